package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/tools"
)

func hidden(t testing.TB, texts ...string) *secrets {
	t.Helper()
	s, err := newSecrets(texts)
	require.NoError(t, err)
	return s
}

func withSecrets(texts ...string) func(*Config) { return func(c *Config) { c.Redact = texts } }

// redact redacts text written in pieces of n bytes.
func redact(s *secrets, text string, n int) string {
	var out bytes.Buffer
	r := redactor{secrets: s, out: &out}
	for b := []byte(text); len(b) > 0; {
		piece := bytes.Clone(b[:min(n, len(b))])
		r.Write(piece)
		clear(piece) // the writer may use it again
		b = b[min(n, len(b)):]
	}
	r.Close()
	return out.String()
}

func TestRedact(t *testing.T) {
	long := strings.Repeat("x", 3*redactedAtOnce)
	for _, c := range []struct {
		name, secrets string // parted by |
		in, want      string
	}{
		{"none", "", "a secret", "a secret"},
		{"absent", "hunter2", "hunter1", "hunter1"},
		{"inside", "hunter2", "my hunter2!", "my [redacted]!"},
		{"all", "hunter2", "hunter2", "[redacted]"},
		{"twice", "hunter2", "hunter2 hunter2", "[redacted] [redacted]"},
		{"side-by-side", "hunter2", "hunter2hunter2", "[redacted]"},
		{"beginning-only", "hunter2", "hunter hunter", "hunter hunter"},
		{"restart", "aaab", "aaaaab", "aa[redacted]"},
		{"overlap", "abcde|defgh", "xabcdefghx", "x[redacted]x"},
		{"self-overlap", "abab", "xababab", "x[redacted]"},
		{"contained", "abcd|xabcdx", "xabcd xabcdx", "x[redacted] [redacted]"},
		{"longer-fails-late", "abcd|abcdefgh", "abcdefgX", "[redacted]efgX"},
		{"blanks-around", " \thunter2\n", "hunter2\n", "[redacted]\n"},
		{"newline-in-it", "one\ntwo", "one\ntwo", "[redacted]"},
		{"controls-in-it", "a\rb\x1b[0mc", "xa\rb\x1b[0mcx", "x[redacted]x"},
		{"bytes", "\xff\x00\xfe\x01", "\xff\x00\xfe\x01\xff", "[redacted]\xff"},
		{"line-of-it", "-----KEY-----\nMIIEvQIBADANBgkqhk\nend", "1|MIIEvQIBADANBgkqhk\n2|end", "1|[redacted]\n2|end"},
		{"like-the-mark", "redacted", "a redacted hunter2", "a *** hunter2"},
		{"ends-like-the-mark", "hunt[", "hunt[", "***"},
		{"begins-like-the-mark", "ed]hunt", "ed]hunt", "***"},
		{"holds-the-mark", "a[redacted]b", "a[redacted]b", "***"},
		{"far", "hunter2", long + "hunter2" + long + "hunter2", long + "[redacted]" + long + "[redacted]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := hidden(t, strings.FieldsFunc(c.secrets, func(r rune) bool { return r == '|' })...)
			assert.Equal(t, c.want, s.hide(c.in))
			for _, n := range []int{1, 2, 3, 7, redactedAtOnce, 1 << 20} {
				assert.Equal(t, c.want, redact(s, c.in, n), "in pieces of %d bytes", n)
			}
		})
	}
}

func TestRedactRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		secrets []string
		wantErr string
	}{
		{"short", []string{"abc"}, "open workspace: Config.Redact has a secret of 3 bytes; want 4 or more"},
		{"like-all-marks", []string{"redacted", "****", "#abc", "~abc"},
			"open workspace: Config.Redact has secrets that look like [redacted] and *** and ### and ~~~; leave one of them out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(Config{Dir: t.TempDir(), Redact: c.secrets})
			assert.EqualError(t, err, c.wantErr)
		})
	}
}

// A key that is not set is no secret.
func TestRedactEmpty(t *testing.T) {
	w := openTemp(t, withSecrets("", "  \n  "))
	put(t, w, "a", "a b\n")
	want(t, w, "read_file", "a", "a b")
	w = openTemp(t, withSecrets("", "hunter2"))
	put(t, w, "a", "a hunter2\n")
	want(t, w, "read_file", "a", "a [redacted]")
}

// fileText returns what is in a file.
func fileText(t testing.TB, w *Workspace, name string) string {
	t.Helper()
	data, err := w.root.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}

// What a tool shows of a file with a secret, written back, does not put the mark
// in the place of the secret.
func TestMarkIsNotWritten(t *testing.T) {
	w := openTemp(t, withSecrets("sk-12345678"))
	const text = "K=sk-12345678\n# [redacted]\nx\n"
	put(t, w, "key.txt", text, "plain.txt", "x\n")
	want(t, w, "read_file", "key.txt 1", "file: key.txt (lines 1-1 of 3; 29 bytes)\n1|K=[redacted]")
	const refused = "the text holds [redacted], which stands for a secret in key.txt; use edit_file with blocks that leave that line out"
	wantError(t, w, "write_file", "key.txt\nK=[redacted]\n# [redacted]\ny", refused)
	wantError(t, w, "edit_file", "key.txt\n<<<<<<< SEARCH\nx\n=======\nK=[redacted]\n>>>>>>> REPLACE", refused+"; nothing was changed")
	assert.Equal(t, text, fileText(t, w, "key.txt"))

	_, err := call(t, w, "edit_file", "key.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE")
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(text, "x", "y", 1), fileText(t, w, "key.txt"))
	want(t, w, "write_file", "key.txt\n# [redacted]", "wrote key.txt (replaced, was 3 lines)")
	want(t, w, "read_file", "plain.txt", "x")
	want(t, w, "write_file", "plain.txt\n[redacted]", "wrote plain.txt (replaced, was 1 line)")
}

// Memory is bounded by the longest secret, whatever is written.
func TestRedactorMemory(t *testing.T) {
	s := hidden(t, strings.Repeat("x", 1000))
	r := redactor{secrets: s, out: &headTail{}}
	piece := bytes.Repeat([]byte("x"), 999)
	piece = append(piece, 'y')
	for range 10_000 {
		r.Write(piece)
	}
	assert.Less(t, cap(r.held), 32<<10)
}

// Whatever the cuts, a secret is never in what comes out, and text without
// secrets comes out as it was.
func FuzzRedact(f *testing.F) {
	f.Add("my hunter2!", "hunter2", "r2!x", 3)
	f.Add("xabcdefghx", "abcde", "defgh", 1)
	f.Add("a redacted [redacted] acted]", "acted]", "[red", 2)
	f.Add("aaaaabaaab", "aaab", "abaa", 1)
	f.Add("***a###~", "**a#", "[red", 1)
	f.Add("one\r\ntwo\x1b[0mthree", "two\x1b[0mt", "one\r\nt", 2)
	f.Fuzz(func(t *testing.T, text, one, two string, n int) {
		s, err := newSecrets([]string{one, two})
		if err != nil {
			t.Skip(err)
		}
		got := redact(s, text, max(n, 1))
		has := false
		for _, secret := range s.list {
			assert.NotContains(t, got, string(secret))
			has = has || strings.Contains(text, string(secret))
		}
		assert.Equal(t, has, got != text)
		assert.Equal(t, got, s.hide(text), "pieces matter")
		assert.Equal(t, got, s.hide(got), "not idempotent")

		c := newCapture(40, 40, s)
		for b := []byte(text); len(b) > 0; b = b[min(max(n, 1), len(b)):] {
			c.Write(b[:min(max(n, 1), len(b))])
		}
		shown := s.hide(c.text())
		for _, secret := range s.list {
			assert.NotContains(t, shown, string(secret))
		}
	})
}

// Errors keep what they are, and lose only their words.
func TestDiscreetErrors(t *testing.T) {
	w := openTemp(t, withSecrets("hunter2"))
	fail := func(err error) error {
		_, err = w.discreet(tools.Tool{Name: "x", Call: func(context.Context, string) (string, error) { return "", err }}).Do(t.Context(), "")
		return err
	}
	err := fail(&fs.PathError{Op: "open", Path: "hunter2", Err: fs.ErrNotExist})
	assert.EqualError(t, err, "open [redacted]: file does not exist")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.True(t, tools.IsFatal(fail(tools.Fatal(errors.New("hunter2")))))
	assert.Equal(t, context.Canceled, fail(context.Canceled))

	_, err = w.discreet(tools.Tool{Name: "x", Call: func(context.Context, string) (string, error) { panic("hunter2") }}).Do(t.Context(), "")
	assert.EqualError(t, err, "tool x panicked: [redacted]")
	panicked, ok := errors.AsType[*tools.PanicError](err)
	require.True(t, ok)
	assert.NotEmpty(t, panicked.Stack)
}

// The cut of a long line goes through no secret, wherever it falls.
func TestRedactReadFileCut(t *testing.T) {
	const secret = "sk-0123456789abcdef"
	w := openTemp(t, withSecrets(secret), withLimits(Limits{LineChars: 30}))
	for before := range 40 {
		put(t, w, "a", strings.Repeat("x", before)+secret+strings.Repeat("y", 20)+"\n")
		out, err := call(t, w, "read_file", "a")
		require.NoError(t, err)
		assert.NotContains(t, out, "sk-", before)
		assert.NotContains(t, out, "def", before)
	}
	put(t, w, "a", strings.Repeat(secret+" ", 100)+"\n")
	want(t, w, "read_file", "a", "file: a (lines 1-1 of 1; 2,001 bytes)\n1|[redacted] [redacted] [redacte[+1,893 characters]")
	put(t, w, "a", strings.Repeat(secret, 100)+"\n")
	out, err := call(t, w, "read_file", "a")
	require.NoError(t, err)
	assert.NotContains(t, out, "sk-")
}
