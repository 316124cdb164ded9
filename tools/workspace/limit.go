package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits caps what a call may take and show. A zero field has the default
// given beside it; there is no "unlimited".
type Limits struct {
	Timeout     time.Duration // of a command: 120 s, or what the call asks for up to 600 s; if set, also the most a call gets
	OutputHead  int           // bytes kept of the beginning of a command's output: 2 KiB
	OutputTail  int           // bytes kept of its end: 6 KiB
	ReadLines   int           // lines that read_file shows: 250
	ReadBytes   int           // bytes that read_file, list, glob and grep show: 8 KiB
	LineChars   int           // characters that read_file shows of a line: 1,000
	ListEntries int           // entries that list shows: 400
	GlobPaths   int           // paths that glob shows: 200
	GrepMatches int           // matches that grep shows: 100
	WriteBytes  int           // bytes that a call of write_file or edit_file takes: 1 MiB
	EditBytes   int           // bytes of the largest file that is edited or replaced: 8 MiB
	WalkEntries int           // entries that list, glob and grep look at: 50,000
	WalkTime    time.Duration // how long they look: 10 s
	Processes   int           // processes of a command at once, with 16 times as many threads: 512
	Memory      int64         // bytes of memory of a command, and of each of its processes: 4 GiB
	FileBytes   int64         // bytes of the largest file a command writes: 1 GiB
}

const (
	defaultTimeout  = 120 * time.Second
	maxTimeout      = 600 * time.Second
	defaultWalkTime = 10 * time.Second
)

// orDefaults returns l with its zero fields filled in, or an error that names
// the field that cannot be.
func (l Limits) orDefaults() (Limits, error) {
	if l.Timeout == 0 {
		l.Timeout = defaultTimeout
	}
	if l.WalkTime == 0 {
		l.WalkTime = defaultWalkTime
	}
	switch {
	case l.WalkTime < 0:
		return l, fmt.Errorf("negative Limits.WalkTime: %v", l.WalkTime)
	case l.Timeout < 0:
		return l, fmt.Errorf("negative Limits.Timeout: %v", l.Timeout)
	case l.Timeout > maxTimeout:
		return l, fmt.Errorf("timeout %s is over the maximum %s", seconds(l.Timeout), seconds(maxTimeout))
	}
	for _, f := range []struct {
		name  string
		value *int
		usual int
	}{
		{"OutputHead", &l.OutputHead, 2 << 10},
		{"OutputTail", &l.OutputTail, 6 << 10},
		{"ReadLines", &l.ReadLines, 250},
		{"ReadBytes", &l.ReadBytes, 8 << 10},
		{"LineChars", &l.LineChars, 1000},
		{"ListEntries", &l.ListEntries, 400},
		{"GlobPaths", &l.GlobPaths, 200},
		{"GrepMatches", &l.GrepMatches, 100},
		{"WriteBytes", &l.WriteBytes, 1 << 20},
		{"EditBytes", &l.EditBytes, 8 << 20},
		{"WalkEntries", &l.WalkEntries, 50_000},
		{"Processes", &l.Processes, 512},
	} {
		if err := orUsual(f.name, f.value, f.usual); err != nil {
			return l, err
		}
	}
	return l, errors.Join(orUsual("Memory", &l.Memory, 4<<30), orUsual("FileBytes", &l.FileBytes, 1<<30))
}

// orUsual gives a field its usual value if it is zero.
func orUsual[T int | int64](name string, field *T, usual T) error {
	if *field < 0 {
		return fmt.Errorf("negative Limits.%s: %d", name, *field)
	}
	if *field == 0 {
		*field = usual
	}
	return nil
}

// seconds writes d as a plain number of seconds, such as 120 or 0.5.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// A capture takes the output of a command: cleaned, then capped. Secrets are
// taken out before, since cleaning may tear them, and after, since it may put
// them together.
type capture struct {
	raw     redactor
	clean   cleaner
	cleaned redactor
	kept    headTail
}

func newCapture(head, tail int, s *secrets) *capture {
	c := &capture{kept: headTail{maxHead: head, maxTail: tail}}
	c.raw = redactor{secrets: s, out: &c.clean}
	c.clean.lines.out = &c.cleaned
	c.cleaned = redactor{secrets: s, out: &c.kept}
	return c
}

func (c *capture) Write(p []byte) (int, error) { return c.raw.Write(p) }

// text returns the output without the newlines at its end. It ends the
// capture.
func (c *capture) text() string {
	c.raw.Close()
	c.clean.Close()
	c.cleaned.Close()
	text := strings.TrimRight(c.kept.String(), "\n")
	if text == "" {
		return "(no output)"
	}
	return text
}

// A headTail keeps the first bytes and the last bytes of what is written to it.
type headTail struct {
	maxHead, maxTail int
	head             []byte
	ring             []byte // the last bytes, beginning at next once it is full
	next             int
	bytes, lines     int // written in all
}

func (h *headTail) Write(p []byte) (int, error) {
	n := len(p)
	h.bytes += n
	h.lines += bytes.Count(p, []byte{'\n'})
	fits := min(n, h.maxHead-len(h.head))
	h.head = append(h.head, p[:fits]...)
	h.keepLast(p[fits:])
	return n, nil
}

func (h *headTail) keepLast(p []byte) {
	p = p[max(0, len(p)-h.maxTail):]
	grow := min(len(p), h.maxTail-len(h.ring))
	h.ring = append(h.ring, p[:grow]...)
	for p = p[grow:]; len(p) > 0; {
		n := copy(h.ring[h.next:], p)
		h.next = (h.next + n) % len(h.ring)
		p = p[n:]
	}
}

// String returns what was written, or its head and tail around a line that says
// how much is missing. The cuts are at line ends where there are any near,
// otherwise between runes.
func (h *headTail) String() string {
	tail := append(bytes.Clone(h.ring[h.next:]), h.ring[:h.next]...)
	if len(h.head)+len(tail) == h.bytes {
		return string(h.head) + string(tail)
	}
	head := cutHead(h.head)
	tail = cutTail(tail)
	lines := h.lines - bytes.Count(head, []byte{'\n'}) - bytes.Count(tail, []byte{'\n'})
	between := ""
	if len(head) > 0 && head[len(head)-1] != '\n' {
		between = "\n"
	}
	return fmt.Sprintf("%s%s[cut: %s, %s; rerun with grep, head or a file]\n%s", head, between,
		count(h.bytes-len(head)-len(tail), "byte", "bytes"), count(lines, "line", "lines"), tail)
}

// cutHead drops an unfinished line from the end of b, or an unfinished rune if
// that line is more than half of b.
func cutHead(b []byte) []byte {
	if end := bytes.LastIndexByte(b, '\n') + 1; end > len(b)/2 {
		return b[:end]
	}
	return wholeRunes(b)
}

// wholeRunes returns b without an incomplete rune at its end.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// cutTail drops the rest of a line, or of a rune, from the start of b likewise.
func cutTail(b []byte) []byte {
	if start := bytes.IndexByte(b, '\n') + 1; start > 0 && start < len(b)/2 {
		return b[start:]
	}
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return b
}
