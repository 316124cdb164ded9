package workspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// blockText writes an edit block with markers of 7 characters.
func blockText(search, replace string) string {
	return "<<<<<<< SEARCH\n" + search + "=======\n" + replace + ">>>>>>> REPLACE\n"
}

func TestParseBlocks(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []block
		wantErr    string
	}{
		{"one", blockText("a\nb\n", "c\n"), []block{{[]string{"a", "b"}, []string{"c"}}}, ""},
		{"no-last-newline", strings.TrimSuffix(blockText("a\n", "b\n"), "\n"), []block{{[]string{"a"}, []string{"b"}}}, ""},
		{"two", "\n" + blockText("a\n", "b\n") + "\n \n" + blockText("c\n", ""), []block{{[]string{"a"}, []string{"b"}}, {[]string{"c"}, []string{}}}, ""},
		{"blank-lines-kept", blockText("\na\n\n", "\n"), []block{{[]string{"", "a", ""}, []string{""}}}, ""},
		{"crlf", strings.ReplaceAll(blockText("a\n", "b\n"), "\n", "\r\n"), []block{{[]string{"a"}, []string{"b"}}}, ""},
		{"blanks-behind-markers", "<<<<<<< SEARCH \na\n=======\t\nb\n>>>>>>> REPLACE  ", []block{{[]string{"a"}, []string{"b"}}}, ""},
		{"longer", "<<<<<<<<< SEARCH\n<<<<<<< SEARCH\n=======\n=========\n>>>>>>> REPLACE\n>>>>>>>>> REPLACE",
			[]block{{[]string{"<<<<<<< SEARCH", "======="}, []string{">>>>>>> REPLACE"}}}, ""},
		{"lengths-differ", "<<<<<<<< SEARCH\na\n========\nb\n>>>>>>>> REPLACE\n" + blockText("c\n", "d\n"),
			[]block{{[]string{"a"}, []string{"b"}}, {[]string{"c"}, []string{"d"}}}, ""},
		{"conflict-markers-of-others", blockText("<<<<<<< HEAD\n>>>>>>> main\n", "x\n"), []block{{[]string{"<<<<<<< HEAD", ">>>>>>> main"}, []string{"x"}}}, ""},
		{"indented-markers-are-text", blockText(" =======\n", " >>>>>>> REPLACE\n"), []block{{[]string{" ======="}, []string{" >>>>>>> REPLACE"}}}, ""},
		{"empty", "", nil, errNoBlock.Error()},
		{"prose", "please change a to b", nil, errNoBlock.Error()},
		{"short-markers", "<<<<<< SEARCH\na\n======\nb\n>>>>>> REPLACE", nil, errNoBlock.Error()},
		{"no-divider", "<<<<<<< SEARCH\na\n>>>>>>> REPLACE", nil, "block 1 has no divider line; write ======= between the old lines and the new"},
		{"no-end", "<<<<<<<< SEARCH\na\n========\nb", nil, "block 1 has no end; write >>>>>>>> REPLACE under the new lines"},
		{"two-dividers", blockText("a\n", "b\n") + blockText("a\n=======\nb\n", "c\n"), nil, "block 2 has two divider lines; use longer markers (9 characters)"},
		{"two-starts", "<<<<<<< SEARCH\n" + blockText("a\n", "b\n"), nil, "block 1 has two SEARCH lines; use longer markers (9 characters)"},
		{"end-inside", blockText("a\n", ">>>>>>> REPLACE\nb\n"), nil, `text after block 1: "b"; if it belongs to the block, use longer markers (9 characters)`},
		{"longest-run-counts", blockText("==========\n=======\n", "b\n"), nil, "block 1 has two divider lines; use longer markers (12 characters)"},
		{"too-many", strings.Repeat(blockText("a\n", "b\n"), 201), nil, "more than 200 blocks; make several calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseBlocks(c.text)
			assert.Equal(t, c.want, got)
			if c.wantErr == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.wantErr)
			}
		})
	}
}

func TestUnnumbered(t *testing.T) {
	for _, c := range []struct {
		name    string
		in      block
		want    block
		changed bool
	}{
		{"both", block{[]string{"9|a", "10|"}, []string{"9|b"}}, block{[]string{"a", ""}, []string{"b"}}, true},
		{"search-only", block{[]string{"9|a"}, []string{"b", "c|d"}}, block{[]string{"a"}, []string{"b", "c|d"}}, true},
		{"bars-in-text", block{[]string{"9|a|b"}, []string{}}, block{[]string{"a|b"}, []string{}}, true},
		{"not-all", block{[]string{"9|a", "b"}, nil}, block{[]string{"9|a", "b"}, nil}, false},
		{"no-number", block{[]string{"|a"}, nil}, block{[]string{"|a"}, nil}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, changed := c.in.unnumbered()
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.changed, changed)
		})
	}
}
