package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// sniffed is how much of a file decides whether it is text.
const sniffed = 8 << 10

// utf16 returns the error about a file that holds UTF-16.
func (w *Workspace) utf16(asked string) error {
	return errors.New(w.withBash(quotePath(asked)+" is utf-16 text", "convert it with iconv in bash first"))
}

// signatures tells some formats by their first bytes.
var signatures = []struct{ start, name string }{
	{"\x89PNG\r\n", "png"},
	{"\xff\xd8\xff", "jpeg"},
	{"GIF87a", "gif"},
	{"GIF89a", "gif"},
	{"%PDF-", "pdf"},
	{"PK\x03\x04", "zip"},
	{"\x1f\x8b\x08", "gzip"},
	{"\x7fELF", "elf"},
	{"SQLite format 3\x00", "sqlite"},
	{"\x00asm", "wasm"},
}

// refuseBinary returns an error if the file does not begin like text.
func (w *Workspace) refuseBinary(f *regular) error {
	start := make([]byte, sniffed)
	n, err := f.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read %s: %w", quotePath(f.asked), err)
	}
	start = start[:n]
	if looksUTF16(start) {
		return w.utf16(f.asked)
	}
	kind := signature(start)
	if kind == "" && bytes.IndexByte(start, 0) < 0 {
		return nil
	}
	if kind != "" {
		kind += ", "
	}
	text := fmt.Sprintf("%s is binary (%s%s)", quotePath(f.asked), kind, count(f.info.Size(), "byte", "bytes"))
	return errors.New(w.withBash(text, "use bash with file, xxd or strings"))
}

// isBinary reports whether a file that begins so is none to search for text.
func isBinary(start []byte) bool {
	return bytes.IndexByte(start, 0) >= 0 || signature(start) != "" || utf16Mark(start)
}

func signature(start []byte) string {
	head := string(start[:min(len(start), 16)])
	for _, s := range signatures {
		if strings.HasPrefix(head, s.start) {
			return s.name
		}
	}
	return ""
}

// looksUTF16 reports whether text has a UTF-16 byte order mark or, like Latin
// letters in UTF-16, a NUL in nearly every second byte and in no other.
func looksUTF16(text []byte) bool {
	if utf16Mark(text) {
		return true
	}
	var nuls [2]int
	for i, b := range text {
		if b == 0 {
			nuls[i%2]++
		}
	}
	pairs := len(text) / 2
	return min(nuls[0], nuls[1]) == 0 && 10*max(nuls[0], nuls[1]) >= 9*pairs && pairs >= 4
}

func utf16Mark(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}
