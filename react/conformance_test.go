package react_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// protocolCases is the folder of cases that any implementation of the protocol
// can be held to. Its README explains them.
var protocolCases = filepath.Join("..", "testdata", "protocol")

// A protocolCase is a reply and what a parser must make of it.
type protocolCase struct {
	ID          string                 `json:"id"`
	Rule        string                 `json:"rule"`
	Reply       *string                `json:"reply"`
	ReplyBase64 []byte                 `json:"reply_base64"`
	Tools       map[string]tools.Lines `json:"tools"`
	Want        protocolWant           `json:"want"`
}

type protocolWant struct {
	Move    string `json:"move"`
	Tool    string `json:"tool"`
	Input   string `json:"input"`
	Answer  string `json:"answer"`
	Thought string `json:"thought"`
	Error   string `json:"error"`
}

// parseAs reads reply and returns the outcome in the words of the cases.
func parseAs(reply string, lines map[string]tools.Lines) protocolWant {
	var list []tools.Tool
	for name, l := range lines {
		list = append(list, tools.Tool{Name: name, Lines: l})
	}
	m, err := react.Parse(reply, list)
	for _, cause := range []struct {
		err  error
		name string
	}{{react.ErrNoMove, "no move"}, {react.ErrNoTool, "no tool"}, {react.ErrAmbiguous, "ambiguous"}, {react.ErrUnclosed, "unclosed"}} {
		if errors.Is(err, cause.err) {
			return protocolWant{Error: cause.name}
		}
	}
	return protocolWant{Move: string(m.Kind), Tool: m.Tool, Input: m.Input, Answer: m.Answer, Thought: m.Thought}
}

func TestConformance(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(protocolCases, "*.jsonl"))
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) {
			for _, c := range readProtocolCases(t, path) {
				if seen[c.ID] {
					t.Errorf("%s is there twice", c.ID)
				}
				seen[c.ID] = true
				reply := string(c.ReplyBase64)
				if c.Reply != nil {
					reply = *c.Reply
				}
				if got := parseAs(reply, c.Tools); got != c.Want {
					t.Errorf("%s: %s\n%q\n got %+v\nwant %+v", c.ID, c.Rule, reply, got, c.Want)
				}
			}
		})
	}
	require.GreaterOrEqual(t, len(seen), 200)
}

// readProtocolCases reads a file of cases, and holds that each is whole.
func readProtocolCases(t *testing.T, path string) []protocolCase {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var cases []protocolCase
	for line := range strings.Lines(string(text)) {
		var c protocolCase
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(&c), line)
		require.NotEmpty(t, c.ID, line)
		require.NotEmpty(t, c.Rule, line)
		require.True(t, (c.Reply == nil) != (c.ReplyBase64 == nil), line)
		require.True(t, (c.Want.Move == "") != (c.Want.Error == ""), line)
		cases = append(cases, c)
	}
	return cases
}

// TestProtocolDoc runs each example of docs/PROTOCOL.md: a block with the info
// word reply, or an item with the reply in JSON's quotes, and behind an arrow
// what comes of it.
func TestProtocolDoc(t *testing.T) {
	text := protocolDoc(t)
	require.Less(t, strings.Count(text, "\n"), 420)
	list := map[string]tools.Lines{"read_file": tools.One, "list": tools.One, "bash": tools.Block, "write_file": tools.Body}
	examples := 0
	for rest := text; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		var reply, said string
		if m := shortExample.FindStringSubmatch(line); m != nil {
			require.NoError(t, json.Unmarshal([]byte(m[1]), &reply), line)
			said = m[2]
		} else if marks := strings.TrimSuffix(line, "reply"); len(marks) >= 3 && line == marks+"reply" && strings.Trim(marks, "`") == "" {
			var ok bool
			reply, rest, ok = strings.Cut(after, "\n"+marks+"\n→ ")
			require.True(t, ok, after)
			said, rest, _ = strings.Cut(rest, "\n")
		} else {
			continue
		}
		examples++
		require.Equal(t, sayOutcome(parseAs(reply, list)), said, "of %q", reply)
	}
	require.GreaterOrEqual(t, examples, 40)
	require.Equal(t, strings.Count(text, "→ act `")+strings.Count(text, "→ done `")+strings.Count(text, "→ refused: "), examples, "an example was not found")
}

// shortExample is an example on one line.
var shortExample = regexp.MustCompile("^- `+(\".*\")`+ → (.*)$")

// protocolDoc returns docs/PROTOCOL.md.
func protocolDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "PROTOCOL.md"))
	require.NoError(t, err)
	return string(text)
}

// TestProtocolDocPrompt holds that the prompt shown there is what the transcript
// of such a run renders.
func TestProtocolDocPrompt(t *testing.T) {
	_, after, ok := strings.Cut(protocolDoc(t), "\n````prompt\n")
	require.True(t, ok)
	want, _, ok := strings.Cut(after, "\n````\n")
	require.True(t, ok)
	run, err := react.Loop{Tools: standardTools(), Retries: 1, MaxSteps: 4}.Transcript("which port does the server use?")
	require.NoError(t, err)
	for _, turn := range [][2]string{
		{"I think about it.", ""},
		{"The config file should say.\nOBS: 80, I guess\nACT: read_file config.py", "DEBUG = False\nPORT = 8080\n"},
		{"ACT: bash\n```\ncd src\nls\n```", "main.py"},
	} {
		m, err := run.Reply(turn[0], nil)
		require.NoError(t, err)
		if m.Kind == react.Act {
			require.NoError(t, run.Observe(turn[1], nil))
		}
	}
	got, err := run.Prompt()
	require.NoError(t, err)
	_, got, _ = strings.Cut(got, "\n\nTASK:")
	require.Equal(t, want, "TASK:"+got)
}

// sayOutcome puts an outcome as docs/PROTOCOL.md does.
func sayOutcome(w protocolWant) string {
	var s string
	switch {
	case w.Error != "":
		return "refused: " + w.Error
	case w.Move == "done":
		s = "done " + quoted(w.Answer)
	default:
		s = fmt.Sprintf("act `%s` %s", w.Tool, quoted(w.Input))
	}
	if w.Thought != "" {
		s += ", thought " + quoted(w.Thought)
	}
	return s
}

// quoted puts s in JSON's quotes, in backticks.
func quoted(s string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		panic(err) // unreachable: a string has a form in JSON
	}
	marks := "`"
	for strings.Contains(s, marks) {
		marks += "`"
	}
	return marks + strings.TrimSuffix(b.String(), "\n") + marks
}
