package workspace

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newEdit(text string) *edit {
	return &edit{asked: "a.go", limit: 8 << 20, hidden: &secrets{}, text: []byte(text), withBash: (&Workspace{runner: Unconfined{}}).withBash}
}

// oneBlock is a call with a single block, whose lines are given as text.
func oneBlock(search, replace string) []block { return []block{{linesOf(search), linesOf(replace)}} }

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		name, text, search, replace, want string
	}{
		{"middle", "a\nb\nc\n", "b", "x", "a\nx\nc\n"},
		{"start", "a\nb\n", "a", "x", "x\nb\n"},
		{"end", "a\nb\n", "b", "x", "a\nx\n"},
		{"end-without-newline", "a\nb", "b", "x", "a\nx"},
		{"more-lines-at-open-end", "a\nb", "b", "b\nc\nd", "a\nb\nc\nd"},
		{"insert-above-open-end", "a\nb", "b", "x\nb", "a\nx\nb"},
		{"remove-open-end", "a\nb", "b", "", "a\n"},
		{"remove", "a\nb\nc\n", "b", "", "a\nc\n"},
		{"remove-all", "a\n", "a", "", ""},
		{"whole-lines-only", "ab\nb\nbc\n", "b", "x", "ab\nx\nbc\n"},
		{"numbered", "a\nb\nc\n", "2|b\n3|c", "2|x", "a\nx\n"},
		{"numbers-are-text-where-they-match", "1|b\nb\n", "1|b", "x", "x\nb\n"},
		{"grow", "a\nb\nc\n", "b", "1\n2\n3", "a\n1\n2\n3\nc\n"},
		{"shrink", "a\nb\nc\nd\n", "b\nc", "x", "a\nx\nd\n"},

		{"crlf", "a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"},
		{"crlf-insert-at-start", "a\r\nb\r\n", "a", "x\na", "x\r\na\r\nb\r\n"},
		{"crlf-open-end", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"},
		{"crlf-across", "a\r\nb\r\nc\r\n", "a\nb", "a\nx", "a\r\nx\r\nc\r\n"},
		{"mixed", "a\r\nb\nc\r\n", "b", "x", "a\r\nx\nc\r\n"},
		{"mixed-each-its-own", "a\r\nb\nc\r\n", "a\nb\nc", "x\ny\nz", "x\r\ny\nz\r\n"},
		{"mixed-context-stays", "a\r\nb\nc\r\n", "a\nb\nc", "new\na\nb\nc", "new\r\na\r\nb\nc\r\n"},
		{"mixed-inserted-inside", "a\r\nb\nc\n", "a\nb", "a\nnew\nb", "a\r\nnew\r\nb\nc\n"},
		{"lone-cr-kept", "a\rb\nc\nd\re\n", "c", "x", "a\rb\nx\nd\re\n"},
		{"lone-cr-is-text", "a\rb\nc\n", "b", "", ""},
		{"cr-at-open-end-is-text", "a\nb\r", "b", "", ""},
		{"latin-1", "caf\xe9\nb\n\xff\xfe", "b", "é", "caf\xe9\né\n\xff\xfe"},
		{"nul", "a\x00\nb\n\x00", "b", "x", "a\x00\nx\n\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEdit(c.text)
			err := e.apply(t.Context(), oneBlock(c.search, c.replace))
			if c.want == "" && c.replace == "" && c.name != "remove-all" {
				assert.ErrorContains(t, err, "block 1 not found in a.go")
				c.want = c.text
			} else {
				assert.NoError(t, err)
			}
			assert.Equal(t, c.want, string(e.text))
		})
	}
}

func TestEditErrors(t *testing.T) {
	many := strings.Repeat("x\n", 12)
	for _, c := range []struct {
		name, text string
		blocks     []block
		wantErr    string
	}{
		{"closest", "func f() {\n\treturn 1\n}\n", oneBlock("return 1", "x"),
			`block 1 not found in a.go; line 2 is closest: "\treturn 1"; copy the lines from read_file a.go 1-3`},
		{"first-that-differs", numbers(1, 40) + "a\nb\nc\n", oneBlock("a\nb\nd", "x"),
			`block 1 not found in a.go; line 43 is closest: "c"; copy the lines from read_file a.go 40-43`},
		{"file-ends-first", "a\nb\n", oneBlock("a\nb\nc", "x"),
			`block 1 not found in a.go; line 2 is closest: ""; copy the lines from read_file a.go 1-2`},
		{"nothing-like-it", "abc\n", oneBlock("xyz", "x"), "block 1 not found in a.go; copy the lines from read_file a.go"},
		{"empty-file", "", oneBlock("x", "y"), "block 1 not found in a.go; copy the lines from read_file a.go"},
		{"long-line", strings.Repeat("ü", 200) + "\n", oneBlock(strings.Repeat("ü", 199), "x"),
			`block 1 not found in a.go; line 1 is closest: "` + strings.Repeat("ü", 50) + `..."; copy the lines from read_file a.go 1-1`},
		{"three-places", "x\na\nx\nx\n", oneBlock("x", "y"),
			"block 1 matches 3 places (lines 1, 3, 4); add lines above or below, or use edit_file all a.go"},
		{"overlapping-places", "a\na\na\n", oneBlock("a\na", "b"),
			"block 1 matches 2 places (lines 1, 2); add lines above or below, or use edit_file all a.go"},
		{"many-places", many, oneBlock("x", "y"),
			"block 1 matches more than 10 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...); add lines above or below, or use edit_file all a.go"},
		{"equal", "a\n", oneBlock("a", "a"), "block 1 changes nothing"},
		{"equal-but-for-numbers", "a\n", oneBlock("1|a", "a"), "block 1 changes nothing"},
		{"empty-search", "a\n", oneBlock("", "b"), "empty search; use write_file for a new file"},
		{"blank-search", "a\n\n", oneBlock("\n", "b"), "empty search; use write_file for a new file"},
		{"second-fails", "a\n", []block{{[]string{"a"}, []string{"b"}}, {[]string{"a"}, []string{"c"}}},
			"block 2 not found in a.go; copy the lines from read_file a.go"},
		{"lines-of-the-file-as-it-is", "a\nx\nb\nx\n", []block{{[]string{"a"}, []string{"1", "2", "3"}}, {[]string{"x"}, []string{"y"}}},
			"block 2 matches 2 places (lines 2, 4); add lines above or below, or use edit_file all a.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.EqualError(t, newEdit(c.text).apply(t.Context(), c.blocks), c.wantErr)
		})
	}
}

func TestEditBlocks(t *testing.T) {
	e := newEdit(numbers(1, 9))
	require.NoError(t, e.apply(t.Context(), []block{
		{[]string{"8"}, []string{"eight", "8b"}},
		{[]string{"2"}, nil},
		{[]string{"4", "5"}, []string{"4", "x", "5"}},
		{[]string{"x"}, []string{"y", "z"}},
	}))
	assert.Equal(t, "1\n3\n4\ny\nz\n5\n6\n7\neight\n8b\n9\n", string(e.text))
	assert.Equal(t, "lines 2, 3-6, 9-10", e.ranges())
	for line, before := range map[int]int{1: 1, 6: 5, 7: 6, 8: 7, 11: 9} {
		assert.Equal(t, before, e.before(line), "line %d", line)
	}
}

func TestEditAll(t *testing.T) {
	e := newEdit("a\nb\r\na\r\na\na")
	e.all = true
	require.NoError(t, e.apply(t.Context(), oneBlock("a", "x\ny")))
	assert.Equal(t, "x\ny\nb\r\nx\r\ny\r\nx\ny\nx\ny", string(e.text))
	assert.Equal(t, 4, e.places)

	e = newEdit("a\na\na\n")
	e.all = true
	require.NoError(t, e.apply(t.Context(), oneBlock("a\na", "b")))
	assert.Equal(t, "b\na\n", string(e.text), "places do not overlap")
}

// Millions of equal lines, at which a search that is not linear would not end.
func TestEditOfEqualLines(t *testing.T) {
	text := strings.Repeat("\n", 4<<20) + strings.Repeat("a\n", 2<<20)
	half := strings.Repeat("a\n", 500_000)
	e := newEdit(text)
	assert.ErrorContains(t, e.apply(t.Context(), oneBlock(half, "b")), "matches more than 10 places")
	assert.ErrorContains(t, e.apply(t.Context(), oneBlock(half+"b", "b")), "not found")
	e.all = true
	assert.EqualError(t, e.apply(t.Context(), oneBlock("a", "b")), "block 1 and those before it match more than 10,000 places; use bash with sed")
	assert.EqualError(t, e.apply(t.Context(), oneBlock(half, half+half+"b")), "block 1 makes the file larger than 8,388,608 bytes; use bash")
	assert.Equal(t, text, string(e.text))
}

func TestEditEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, newEdit("a\n").apply(ctx, oneBlock("a", "b")), context.Canceled)
}

// FuzzEdit checks that no input panics, that what is not replaced stays, byte
// for byte, and that a refused edit changes nothing.
func FuzzEdit(f *testing.F) {
	f.Add("a\nb\nc\n", blockText("b\n", "x\n"), false)
	f.Add("a\r\nb\r\n\xff", blockText("b\n", "b\nc\n"), false)
	f.Add("a\na\na", blockText("a\n", ""), true)
	f.Add("1|a\n", blockText("1|a\n", "2|b\n")+blockText("b\n", "c\n"), true)
	f.Add("a\rb\n\n=======\n", "<<<<<<<< SEARCH\n=======\n========\n>>>>>>>> REPLACE", false)
	f.Fuzz(func(t *testing.T, text, input string, all bool) {
		blocks, err := parseBlocks(input)
		if err != nil {
			assert.Nil(t, blocks)
			return
		}
		for _, b := range blocks {
			e := newEdit(text)
			e.all = all
			if e.apply(t.Context(), []block{b}) != nil {
				assert.Equal(t, text, string(e.text))
				continue
			}
			checkUntouched(t, text, string(e.text), e.regions, b)
		}
		e := newEdit(text)
		e.all = all
		if e.apply(t.Context(), blocks) == nil {
			e.report(len(blocks), true, Limits{ReadBytes: 8 << 10, LineChars: 1000})
		}
	})
}

// checkUntouched compares the lines outside the regions of the new text with
// those of the old one, and a single region with what the block puts there.
func checkUntouched(t *testing.T, old, new string, regions []region, b block) {
	t.Helper()
	oldLines, newLines := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	at, was := 0, 0
	for _, r := range regions {
		for ; at < r.first-1; at, was = at+1, was+1 {
			require.Equal(t, oldLines[was], newLines[at])
		}
		at, was = at+r.lines, was+r.lines-r.added
	}
	require.Equal(t, strings.Join(oldLines[was:], ""), strings.Join(newLines[min(at, len(newLines)):], ""))
	if len(regions) == 1 && regions[0].lines == len(b.replace) {
		first := regions[0].first - 1
		put := string(flattened([]byte(strings.Join(newLines[first:first+len(b.replace)], ""))))
		plain, _ := b.unnumbered()
		require.Contains(t, []string{asText(b.replace), asText(plain.replace)}, put)
	}
}

// asText joins lines, each with its newline.
func asText(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		flat, search string
		apart        bool
		want         []int
	}{
		{"a\nb\na\n", "a", false, []int{0, 4}},
		{"ba\na\n", "a", false, []int{3}},
		{"a\na\na\na\n", "a\na", false, []int{0, 2, 4}},
		{"a\na\na\na\n", "a\na", true, []int{0, 4}},
		{"xa\na\na\n", "a\na", true, []int{3}},
		{"a\nb\na\nb\nc\n", "a\nb\nc", false, []int{4}},
		{"a\n", "b", false, nil},
		{"", "a", false, nil},
		{"\n\nx\n", "\nx", false, []int{1}},
	} {
		assert.Equal(t, c.want, matches([]byte(c.flat), strings.Split(c.search, "\n"), c.apart, 99), "%q in %q", c.search, c.flat)
	}
	assert.Equal(t, []int{0, 2}, matches([]byte("a\na\na\n"), []string{"a"}, false, 2))
}
