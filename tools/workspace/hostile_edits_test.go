//go:build unix

package workspace

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var hostileEdits = []hostile{
	{"70-number-of-matches", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "f", "a\nx\na\na\n", "aaa", "aaa\n", "lines", "aa\naa\naa\n")
		wantError(t, w, "edit_file", "f\n"+blockText("b\n", "c\n"), "block 1 not found in f; copy the lines from read_file f"+same)
		wantError(t, w, "edit_file", editing("f"), "block 1 matches 3 places (lines 1, 3, 4); add lines above or below, or use edit_file all f"+same)
		wantError(t, w, "edit_file", "aaa\n"+blockText("aa\n", "b\n"),
			`block 1 not found in aaa; line 1 is closest: "aaa"; copy the lines from read_file aaa 1-1`+same)
		wantError(t, w, "edit_file", "lines\n"+blockText("aa\naa\n", "b\n"),
			"block 1 matches 2 places (lines 1, 2); add lines above or below, or use edit_file all lines"+same)
		want(t, w, "edit_file", "f\n"+blockText("x\n", "y\n"), "edited f (1 block, line 2)\n1|a\n2|y\n3|a\n4|a")
		want(t, w, "edit_file", "all "+editing("f"), "edited f (1 block, 3 places, lines 1, 3, 4)\n1|b\n2|y\n3|b\n4|b")
		want(t, w, "edit_file", "all lines\n"+blockText("aa\naa\n", "b\n"), "edited lines (1 block, 1 place, line 1)\n1|b\n2|aa")
		assertFile(t, w, "lines", "b\naa\n")
	})},
	{"71-nothing-to-do", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "f", "a\n\nc\n")
		wantError(t, w, "edit_file", "f\n"+blockText("a\n", "a\n"), "block 1 changes nothing"+same)
		wantError(t, w, "edit_file", "f\n"+blockText("a\n", "b\n")+blockText("b\n", "a\n"), "the blocks together change nothing"+same)
		wantError(t, w, "edit_file", "f\n"+blockText("", "x\n"), "empty search; use write_file for a new file"+same)
		wantError(t, w, "edit_file", "f\n"+blockText("\n", "x\n"), "empty search; use write_file for a new file"+same)
		wantError(t, w, "edit_file", `{"path":"f","search":"","replace":"x"}`, "empty search; use write_file for a new file"+same)
		assertFile(t, w, "f", "a\n\nc\n")
		want(t, w, "edit_file", "f\n"+blockText("a\n", ""), "edited f (1 block, line 1)\n1|\n2|c")
		assertFile(t, w, "f", "\nc\n")
	})},
	{"72-line-ends", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "crlf", "x\r\na\r\ny\r\n", "mixed", "x\r\na\ny\r\n", "cr", "x\rx\na\nz\r")
		for _, name := range []string{"crlf", "mixed", "cr"} {
			wrote(t, w, "edit_file", name+"\n"+blockText("a\n", "b\nc\n"))
		}
		assertFile(t, w, "crlf", "x\r\nb\r\nc\r\ny\r\n")
		assertFile(t, w, "mixed", "x\r\nb\nc\ny\r\n")
		assertFile(t, w, "cr", "x\rx\nb\nc\nz\r")
	})},
	{"73-other-bytes", parallel(func(t *testing.T, w *Workspace) {
		all := make([]byte, 0, 1024)
		for i := range 1024 {
			all = append(all, byte(i))
		}
		put(t, w, "f", string(all)+"\na\n"+string(all))
		out, err := call(t, w, "edit_file", editing("f"))
		require.NoError(t, err)
		assert.Contains(t, out, `, some bytes shown as \xNN or \u{...})`)
		assertFile(t, w, "f", string(all)+"\nb\n"+string(all))
		put(t, w, "wide", "\xff\xfea\x00\n\x00")
		wantError(t, w, "edit_file", editing("wide"), "wide is utf-16 text; convert it with iconv in bash first"+same)
	})},
	{"74-bom", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "f", "\ufeffa\nb\n")
		want(t, w, "edit_file", "f\n"+blockText("a\n", "x\n"), "edited f (1 block, line 1)\n1|x\n2|b")
		assertFile(t, w, "f", "\ufeffx\nb\n")
	})},
	{"75-markers-in-file", parallel(func(t *testing.T, w *Workspace) {
		conflict := "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"
		put(t, w, "f", "x\n"+conflict+"y\n")
		wantError(t, w, "edit_file", "f\n"+blockText(conflict, "b\n"), "block 1 has two divider lines; use longer markers (9 characters)"+same)
		wrote(t, w, "edit_file", "f\n<<<<<<<<< SEARCH\n"+conflict+"=========\n"+blockText("a\n", "b\n")+">>>>>>>>> REPLACE")
		assertFile(t, w, "f", "x\n"+blockText("a\n", "b\n")+"y\n")
		wantError(t, w, "edit_file", "f\n"+blockText("x\n", ">>>>>>> REPLACE\nz\n"),
			`text after block 1: "z"; if it belongs to the block, use longer markers (9 characters)`+same)
	})},
	{"76-second-block-fails", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "f", "a\nb\n")
		wantError(t, w, "edit_file", editing("f")+blockText("zzz\n", "y\n"), "block 2 not found in f; copy the lines from read_file f"+same)
		assertFile(t, w, "f", "a\nb\n")
		assertNames(t, w, "f")
	})},
	{"77-blocks-in-reverse", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "f", numbers(1, 50))
		want(t, w, "edit_file", "f\n"+blockText("40\n", "forty\n40b\n")+blockText("2\n", "two\n2b\n"),
			"edited f (2 blocks, lines 2-3, 41-42)\n1|1\n2|two\n3|2b\n4|3\n5|4\n6|5\n[...]\n38|37\n39|38\n40|39\n41|forty\n42|40b\n43|41\n44|42\n45|43")
		lines := strings.Replace(strings.Replace(numbers(1, 50), "\n40\n", "\nforty\n40b\n", 1), "\n2\n", "\ntwo\n2b\n", 1)
		assertFile(t, w, "f", lines)
	})},
	{"78-start-and-end", parallel(func(t *testing.T, w *Workspace) {
		put(t, w, "f", "a\nm\nz", "one", "a")
		wrote(t, w, "edit_file", "f\n"+blockText("z\n", "y\n")+blockText("a\n", "b\n"))
		assertFile(t, w, "f", "b\nm\ny")
		wrote(t, w, "edit_file", "f\n"+blockText("b\nm\ny\n", "x\n"))
		assertFile(t, w, "f", "x")
		wrote(t, w, "edit_file", "one\n"+blockText("a\n", "a\nb\n"))
		assertFile(t, w, "one", "a\nb")
	})},
	{"79-size", parallel(func(t *testing.T, w *Workspace) {
		text := "a\n" + strings.Repeat("x", 8<<20-2)
		put(t, w, "f", text, "g", text+"y")
		wantError(t, w, "edit_file", editing("g"), "g has 8,388,609 bytes (max 8,388,608); use bash"+same)
		want(t, w, "edit_file", editing("f"), "edited f (1 block, line 1)\n1|b\n2|"+strings.Repeat("x", 1000)+"[+8,387,606 characters]")
		wantError(t, w, "edit_file", "f\n"+blockText("b\n", "bb\n"), "block 1 makes the file larger than 8,388,608 bytes; use bash"+same)
		wantError(t, w, "edit_file", "f\n"+blockText("b\n", strings.Repeat("y\n", 1<<19)),
			"the edit has 1,048,619 bytes (max 1,048,576); write less at once, or use bash"+same)
		assertNames(t, w, "f", "g")
	})},
	{"90-edits-at-random", func(t *testing.T) {
		t.Parallel()
		random := rand.New(rand.NewPCG(1, 2))
		for range 5000 {
			testRandomEdit(t, random)
		}
	}},
}

// testRandomEdit compares an edit of a file of few different lines with one made
// by replacing text in another way.
func testRandomEdit(t *testing.T, random *rand.Rand) {
	lines := func(most int) []string {
		l := make([]string, 1+random.IntN(most))
		for i := range l {
			l[i] = []string{"a", "b", "ab", "", "\xff"}[random.IntN(5)]
		}
		return l
	}
	file, search, replace := lines(8), lines(2), lines(3)
	text := strings.Join(file, "\n") + "\n"
	for i := range search {
		if search[i] == "" {
			search[i] = "a"
		}
	}
	pattern := "\n" + strings.Join(search, "\n") + "\n"
	// Each line end is doubled, so that matches side by side do not share one.
	doubled := "\n" + strings.ReplaceAll(text, "\n", "\n\n")
	doubledPattern := "\n" + strings.Join(search, "\n\n") + "\n"
	expected := strings.ReplaceAll(doubled, doubledPattern, "\n"+strings.Join(replace, "\n\n")+"\n")
	expected = strings.ReplaceAll(expected[1:], "\n\n", "\n")

	e := newEdit(text)
	e.all = true
	err := e.apply(t.Context(), []block{{search, replace}})
	switch {
	case strings.Join(search, "\n") == strings.Join(replace, "\n"):
		require.EqualError(t, err, "block 1 changes nothing")
	case !strings.Contains("\n"+text, pattern):
		require.ErrorContains(t, err, "block 1 not found")
	default:
		require.NoError(t, err)
		require.Equal(t, expected, string(e.text), "%q in %q", search, text)
		crlfEdit := newEdit(strings.ReplaceAll(text, "\n", "\r\n"))
		crlfEdit.all = true
		require.NoError(t, crlfEdit.apply(t.Context(), []block{{search, replace}}))
		require.Equal(t, strings.ReplaceAll(expected, "\n", "\r\n"), string(crlfEdit.text))
	}
}
