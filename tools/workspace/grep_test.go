package workspace

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGrep(t *testing.T) {
	w := openTemp(t)
	put(t, w, "a.go", "package a\n\nfunc A() {}\nfunc B() {}\n", "pkg/b.go", "package b\r\n// calls A()\r\n", "pkg/c.txt", "a.b\naxb\nfunc A",
		"bom.txt", "\ufeffbom here\n", "latin.txt", "caf\xe9\n", "esc.txt", "red \x1b[31m\u202e\n", "empty", "", "node_modules/x.go", "func A\n",
		"two words.txt", "quux\n", "opt.txt", "path=x y\n-v\n{\"k\": 1}\n\"quoted\"\n")
	link(t, w, "a.go", "l.go")
	for _, c := range []struct{ name, input, want string }{
		{"everywhere", `A\(`, "a.go:3:func A() {}\npkg/b.go:2:// calls A()"},
		{"no-newline-at-end", "func A$", "pkg/c.txt:3:func A"},
		{"line-start", "^package", "a.go:1:package a\npkg/b.go:1:package b"},
		{"line-end-crlf", "b$", "pkg/b.go:1:package b\npkg/c.txt:1:a.b\npkg/c.txt:2:axb"},
		{"text-start", `\Afunc B`, "a.go:4:func B() {}"},
		{"empty-line", "path=a.go ^$", "a.go:2:"},
		{"fixed", "fixed=1 a.b", "pkg/c.txt:1:a.b"},
		{"not-fixed", "path=pkg a.b", "pkg/c.txt:1:a.b\npkg/c.txt:2:axb"},
		{"ignore-case", "case=i path=a.go FUNC b", "a.go:4:func B() {}"},
		{"ignore-case-long-s", "case=i path=pkg CALLS", "pkg/b.go:2:// calls A()"},
		{"fixed-ignore-case", "fixed=1 case=i path=pkg A()", "pkg/b.go:2:// calls A()"},
		{"glob-name", "glob=*.txt func", "pkg/c.txt:3:func A"},
		{"glob-path", "glob=pkg/** package", "pkg/b.go:1:package b"},
		{"glob-quoted", `glob="two w*" .`, "two words.txt:1:quux"},
		{"file", "path=a.go func", "a.go:3:func A() {}\na.go:4:func B() {}"},
		{"file-through-link", "path=l.go func A", "l.go:3:func A() {}"},
		{"absolute", "path=" + w.dir + "/pkg package", "pkg/b.go:1:package b"},
		{"bulky-if-named", "path=node_modules func", "node_modules/x.go:1:func A"},
		{"bom", "^bom", "bom.txt:1:bom here"},
		{"latin", "caf.$", `latin.txt:1:caf\xe9`},
		{"undisplayable", "red", `esc.txt:1:red \x1b[31m\u{202e}`},
		{"option-like", "-- path=x", "opt.txt:1:path=x y"},
		{"dash", "-v", "opt.txt:2:-v"},
		{"brace-after-dashes", `-- \{"k"`, `opt.txt:3:{"k": 1}`},
		{"quotes-are-text", `"quoted"`, `opt.txt:4:"quoted"`},
		{"unknown-single-word", "x=y", `no match for "x=y" in 9 files (1 dependency directory skipped)`},
		{"trailing-blank", "path=opt.txt x ", "opt.txt:1:path=x y"},
		{"trailing-blank-counts", "path=opt.txt y ", `no match for "y " in 1 file`},
		{"context", "path=a.go context=1 A", "a.go-2-\na.go:3:func A() {}\na.go-4-func B() {}"},
		{"json", `{"pattern":"a.b","path":"pkg","fixed":true,"glob":"*.txt","context":1}`, "pkg/c.txt:1:a.b\npkg/c.txt-2-axb"},
		{"none", "nowhere", `no match for "nowhere" in 9 files (1 dependency directory skipped)`},
		{"none-glob", "glob=*.rs x", `no match for "x" in 0 files matching *.rs (1 dependency directory skipped)`},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, w, "grep", c.input, c.want) })
	}
	for _, c := range []struct{ name, input, want string }{
		{"empty", "", "no pattern; use grep [path=DIR] [glob=*.go] PATTERN"},
		{"options-alone", "path=pkg", "no pattern; use grep [path=DIR] [glob=*.go] PATTERN"},
		{"bad-case", "case=x a", "bad case x; use case=i, or leave it away"},
		{"bad-fixed", "fixed=maybe a", "bad fixed maybe; use fixed=1, or leave it away; -- goes before a pattern that begins like an option"},
		{"bad-context", "context=x a", "bad context x; use a number from 0 to 50; -- goes before a pattern that begins like an option"},
		{"much-context", "context=51 a", "bad context 51; use a number from 0 to 50"},
		{"negative-context", `{"pattern":"a","context":-1}`, "bad context -1; use a number from 0 to 50"},
		{"bad-glob", "glob=[ a", `bad pattern [; the special characters are * ** ? [a-z] {a,b}, and \ before one makes it plain`},
		{"lines", `{"pattern":"a\nb"}`, "the pattern has several lines, but grep looks at one line at a time; use one of them and context="},
		{"absent", "path=nope a", "no directory nope; list . to see what there is"},
		{"outside", "path=../x a", "../x is outside the workspace; use a path under the workspace root"},
		{"broken-json", `{"k"`, "bad JSON: unexpected EOF; fields: pattern, path, glob, case, fixed, context"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, w, "grep", c.input, c.want) })
	}
}

func TestGrepContext(t *testing.T) {
	w := openTemp(t)
	put(t, w, "a", numbers(1, 12), "b", "x\n3\ny\n", "c", "3")
	for _, c := range []struct{ name, input, want string }{
		{"apart", "context=1 path=a ^(3|9)$", "a-2-2\na:3:3\na-4-4\n--\na-8-8\na:9:9\na-10-10"},
		{"touching", "context=1 path=a ^(3|6)$", "a-2-2\na:3:3\na-4-4\na-5-5\na:6:6\na-7-7"},
		{"overlapping", "context=2 path=a ^(3|5)$", "a-1-1\na-2-2\na:3:3\na-4-4\na:5:5\na-6-6\na-7-7"},
		{"next-to-each-other", "context=1 path=a ^(3|4)$", "a-2-2\na:3:3\na:4:4\na-5-5"},
		{"at-both-ends", "context=3 path=b ^[xy]$", "b:1:x\nb-2-3\nb:3:y"},
		{"files", "context=1 ^3$", "a-2-2\na:3:3\na-4-4\n--\nb-1-x\nb:2:3\nb-3-y\n--\nc:1:3"},
	} {
		t.Run(c.name, func(t *testing.T) { want(t, w, "grep", c.input, c.want) })
	}
}

func TestGrepCaps(t *testing.T) {
	w := openTemp(t)
	put(t, w, "a", strings.Repeat("hit\n", 90), "b", strings.Repeat("hit\n", 90), "wide", strings.Repeat(strings.Repeat("w", 300)+"\n", 60))
	out, err := call(t, w, "grep", "hit")
	require.NoError(t, err)
	lines := strings.Split(out, "\n")
	assert.Len(t, lines, 101)
	assert.Equal(t, "b:10:hit", lines[99])
	assert.Equal(t, "[cut: 80 matches; use path=, glob= or a narrower pattern]", lines[100])

	out, err = call(t, w, "grep", "www")
	require.NoError(t, err)
	lines = strings.Split(out, "\n")
	assert.LessOrEqual(t, len(out), 8<<10+100)
	assert.Equal(t, fmt.Sprintf("[cut: %d matches; use path=, glob= or a narrower pattern]", 61-len(lines)), lines[len(lines)-1])
	assert.Equal(t, "wide:26:"+strings.Repeat("w", 300), lines[len(lines)-2])
}

func TestGrepLongLine(t *testing.T) {
	w := openTemp(t)
	put(t, w, "a", strings.Repeat("é", 500)+"needle"+strings.Repeat("z", 1000)+"\n", "b", "needle"+strings.Repeat("z", 1000))
	want(t, w, "grep", "path=b needle", "b:1:needle"+strings.Repeat("z", 394)+"[+606 characters]")
	want(t, w, "grep", "path=a needle", "a:1:[+450 characters]"+strings.Repeat("é", 50)+"needle"+strings.Repeat("z", 344)+"[+656 characters]")
}

func TestGrepRedacts(t *testing.T) {
	w := openTemp(t, func(c *Config) { c.Redact = []string{"hunter2hunter2"} })
	put(t, w, "a", strings.Repeat("x", 395)+"hunter2hunter2 needle\n", "b", strings.Repeat("x", 600)+"hunter2hunter2"+strings.Repeat("y", 92)+"needle\n")
	out, err := call(t, w, "grep", "needle")
	require.NoError(t, err)
	assert.NotContains(t, out, "hunter2")
	assert.NotContains(t, out, "unter2")
	assert.Contains(t, out, "a:1:"+strings.Repeat("x", 395)+"[reda")
}

func TestGrepSkips(t *testing.T) {
	w := openTemp(t)
	put(t, w, "a.txt", "KEY\n", ".env", "KEY=1\n", "id_rsa", "KEY\n", "b.bin", "KEY\x00", "c.png", "\x89PNG\r\nKEY", "u16", "\xff\xfeK\x00E\x00Y\x00",
		"d.txt", strings.Repeat("KEY\n", 1<<20)+"x")
	skipped := "2 secret files, 3 binary files, 1 file over 4 MiB skipped"
	want(t, w, "grep", "KEY", "a.txt:1:KEY\n["+skipped+"]")
	want(t, w, "grep", "absent", `no match for "absent" in 1 file (`+skipped+")")
	want(t, w, "grep", "glob=*.txt KEY", "a.txt:1:KEY\n[1 file over 4 MiB skipped]")
}

func TestPlainLines(t *testing.T) {
	for text, want := range map[string]string{"": "", "a\nb": "a\nb", "a\r\nb\r\n": "a\nb\n", "\r\n\r\n": "\n\n", "a\r\r\nb\rc": "a\r\nb\rc", "a\r": "a\r"} {
		assert.Equal(t, want, string(plainLines([]byte(text))), "%q", text)
	}
}
