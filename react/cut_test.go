package react_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// TestCutExposure cuts acts that have a body at every byte between the line that
// opens it and the end of the line that closes it. None of what is left is a
// move, whatever ended the reply there.
func TestCutExposure(t *testing.T) {
	t.Run("own", func(t *testing.T) {
		for name, reply := range bodyReplies {
			t.Run(name, func(t *testing.T) { require.Positive(t, cutEverywhere(t, reply, standardTools())) })
		}
	})
	t.Run("cases", func(t *testing.T) {
		cut := 0
		for _, c := range readLines[parseCase](t, shared(t, "cases/parse.jsonl")) {
			// Without CRs, so that offsets in the reply are offsets in Move.Reply.
			reply := strings.ReplaceAll(c.Reply, "\r", "")
			if cutEverywhere(t, reply, c.list()) > 0 {
				cut++
			}
		}
		require.GreaterOrEqual(t, cut, 4) // the acts of the cases that have a body
	})
}

// cutEverywhere cuts a reply that Parse takes for an act with a body, and returns
// in how many places; 0 where it is not one.
func cutEverywhere(t *testing.T, reply string, list []tools.Tool) (cuts int) {
	t.Helper()
	m, err := react.Parse(reply, list)
	if err != nil || m.Kind != react.Act || m.Lines == tools.One {
		return 0
	}
	from, to, ok := bodySpan(m)
	if !ok || !strings.HasPrefix(reply, m.Reply) {
		return 0
	}
	for end := from; end < to; end++ {
		for _, tail := range []string{"", "\n", "<|im_end|>", "\nOBS:", "\n\nDONE: all is well", "\nACT: list"} {
			got, err := react.Parse(reply[:end]+tail, list)
			if err == nil {
				t.Errorf("Parse(%q) = %s %s %q%q\ncut at byte %d of %q", reply[:end]+tail, got.Kind, got.Tool, got.Input,
					got.Answer, end, reply)
			}
			cuts++
		}
	}
	return cuts
}

// bodySpan returns where the line that opens the body of m ends in m.Reply, and
// where the line that closes it is complete. The closing line is the last one, or
// stands before that of a fence round the whole; how far above it the body was
// opened, the input says.
func bodySpan(m react.Move) (from, to int, ok bool) {
	lines := strings.SplitAfter(m.Reply+"\n", "\n")
	lines = lines[:len(lines)-1]
	for last := len(lines) - 1; last >= max(0, len(lines)-2); last-- {
		for opens := last - 1; opens >= 0; opens-- {
			if length, ok := bodyBetween(lines[opens], lines[last], strings.Join(lines[opens+1:last], ""), m.Input); ok {
				from = len(strings.Join(lines[:opens+1], "")) - len("\n")
				return from, len(strings.Join(lines[:last], "")) + length, true
			}
		}
	}
	return 0, 0, false
}

// bodyBetween reports whether body is what an input holds between these lines, and
// how much of the closing line it takes to close it.
func bodyBetween(opening, closing, body, input string) (length int, ok bool) {
	closing = strings.TrimRight(closing, " \t\n")
	input += "\n"
	char, n := fenceRun(strings.TrimSpace(opening))
	switch {
	case n >= 3:
		closes, m := fenceRun(strings.TrimSpace(closing))
		blank := len(closing) - m
		return blank + n, closes == char && m >= n && strings.HasSuffix(input, body) &&
			strings.Count(input, "\n") <= strings.Count(body, "\n")+1
	case strings.Contains(opening, "<<"):
		whole := strings.HasSuffix(opening+body+closing+"\n", input)
		head := strings.Count(input, "\n") == strings.Count(body, "\n")+1
		named := strings.Contains(opening, strings.TrimLeft(closing, "\t"))
		return len(closing), named && (whole || head && strings.HasSuffix(input, body))
	}
	return 0, false
}

// fenceRun returns the sign that a fence line begins with, and how many of it.
func fenceRun(line string) (char string, n int) {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return "", 0
	}
	return line[:1], len(line) - len(strings.TrimLeft(line, line[:1]))
}

// bodyReplies are acts with a body: every way to open and close one.
var bodyReplies = map[string]string{
	"fence":                 "Run it.\nACT: bash\n```\ncd src\ngo test ./...\n```",
	"fence info bash":       "ACT: bash\n```bash\nls -l\nrm -f a.txt\n```\n",
	"fence of four":         "ACT: bash\n````\nprintf '```\\n' > a.md\ncat a.md\n````",
	"fence of five":         "ACT: bash\n`````sh\necho a\n````\necho b\n`````",
	"tildes":                "ACT: bash\n~~~\nmake clean\nmake\n~~~",
	"four tildes":           "ACT: bash\n\n~~~~ sh\nmake\n~~~\n```\n~~~~\n",
	"one line in a fence":   "ACT: bash\n```\nrm -rf build\n```",
	"empty line in a fence": "ACT: bash\n```\n\nrm -rf build\n\nls\n```",
	"closed by more":        "ACT: bash\n```\nls\npwd\n`````",
	"indented fence":        "  ACT: bash\n  ```\n  ls\n  pwd\n  ```",
	"thought with fences":   "It says\n```\nACT: bash rm -rf .\n```\nso:\n\nACT: bash\n```\nls\npwd\n```\n",
	"reasoning":             "<think>\nACT: bash rm -rf .\n</think>\nACT: bash\n```\nls\npwd\n```",
	"then invented":         "ACT: bash\n```\nls\npwd\n```\nOBS: a.txt\nACT: bash rm a.txt",
	"turn end":              "ACT: bash\n```\nls\npwd\n```<|im_end|>",
	"packaging":             "````\nList them.\nACT: bash\n```\nls\npwd\n```\n````",
	"packaging of tildes":   "~~~text\nACT: write_file a.txt\n```\nhello\nworld\n```\n~~~",
	"packaged here":         "```\nACT: bash cat > a <<EOF\nhello\nworld\nEOF\n```",
	"bold marker":           "**ACT:** bash\n```\nls\npwd\n```",

	"here":                 "ACT: bash cat > a.txt <<EOF\nhello\n\nworld\nEOF",
	"here, rest":           "ACT: bash cat <<EOF > a.txt && wc a.txt\nhello\nEOF\n",
	"here, tabs":           "ACT: bash cat <<-EOF\n\thello\n\tEOF",
	"here, single quotes":  "ACT: bash python3 - <<'PY'\nprint('''\nEOF\n''')\nPY",
	"here, quoted":         "ACT: bash cat <<\"END_OF_FILE\" | sh\nrm -rf build\nEND_OF_FILE\n\n",
	"here, blank":          "ACT: bash cat << EOF\nhello\nEOF",
	"here, tabs and blank": "ACT: bash cat <<- 'EOF' > a\n\thello\n\tEOF",
	"two here":             "ACT: bash diff <(cat <<A ) - <<B\none\nB\nA\ntwo\nA\nB",
	"here, next line":      "ACT: bash\ncat <<EOF | sh\nrm -rf build\nEOF",
	"here with fences":     "ACT: bash cat > a.md <<EOF\n```\nls\n```\nACT: bash ls\nDONE: x\nEOF",

	"file":                "ACT: write_file a.txt\n```\nhello\nworld\n```",
	"file of unicode":     "Écrire.\nACT: write_file naïve.txt\n```\nπ ≈ 3.14159\u2028日本語 🙂\n\u00a0\n```",
	"file of markdown":    "ACT: write_file README.md\n````markdown\n# Title\n\n```sh\nmake\n```\n\nEnd.\n````\n",
	"file of longer":      "ACT: write_file README.md\n``````\n`````\n````\n```\n````\n`````\n``````",
	"file of protocol":    "ACT: write_file doc.md\n````\nACT: bash\n```\nrm -rf .\n```\nOBS:\n\nDONE: x\n````",
	"file, blank lines":   "ACT: write_file a.txt\n\n\n```\n\n\nhello\n\n```\n\n",
	"file here":           "ACT: write_file a.md <<EOF\n```\nhello\n```\nEOF",
	"file here, tabs":     "ACT: write_file a.txt <<-'END'\n\thello\n\t\tworld\n\tEND",
	"file here, blank":    "ACT: write_file a.txt << EOF\nhello\nEOF",
	"edit":                "ACT: edit_file a.go\n~~~go\nfunc f() {}\n~~~",
	"unknown tool":        "ACT: save a.txt\n```\nhello\nworld\n```",
	"name under marker":   "ACT:\nbash\n```\nls\npwd\n```",
	"many lines":          "ACT: bash\n```\n" + strings.Repeat("echo line\n", 20) + "```",
	"here with long tag":  fmt.Sprintf("ACT: bash cat <<%s\nhello\n%[1]s", strings.Repeat("T", 32)),
	"here in a long line": "ACT: bash " + strings.Repeat("true; ", 20) + "cat <<EOF\nhello\nEOF",
}
