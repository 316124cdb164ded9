package react_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// shared returns the path of a file in the folder of shared cases beside the
// module, or skips the test where it is absent.
func shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared folder is not beside the module: %v", err)
	}
	return path
}

// readLines decodes a file of one JSON object a line.
func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var list []T
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var v T
		require.NoError(t, json.Unmarshal(in.Bytes(), &v))
		list = append(list, v)
	}
	require.NoError(t, in.Err())
	return list
}

type outcome struct {
	Move, Tool, Input, Answer string
}

type parseCase struct {
	ID     string `json:"id"`
	Reply  string `json:"reply_actdone"`
	Expect struct {
		outcome
		Thought  string    `json:"thought_contains"`
		Disputed bool      `json:"disputed"`
		Alt      []outcome `json:"alt"`
		Forbid   struct {
			Moves, Tools, Inputs, Answers []string
			Contains                      []string `json:"input_contains"`
		}
	} `json:"expect"`
	Meta struct {
		Finish string `json:"finish_reason"`
	} `json:"meta"`
	Chunks []string `json:"chunks"`
	Tools  []string `json:"tools"`
}

// list returns the tools of the case.
func (c parseCase) list() []tools.Tool {
	if c.Tools == nil {
		return standardTools()
	}
	var list []tools.Tool
	for _, name := range c.Tools {
		list = append(list, tools.Tool{Name: name})
	}
	return list
}

// standardTools are the tools that the cases mean where they name none.
func standardTools() []tools.Tool {
	return []tools.Tool{
		{Name: "bash", Lines: tools.Block},
		{Name: "read_file"},
		{Name: "write_file", Lines: tools.Body},
		{Name: "edit_file", Lines: tools.Body},
		{Name: "list"},
		{Name: "glob"},
		{Name: "grep"},
	}
}

func outcomeOf(m react.Move, err error) outcome {
	switch {
	case err != nil:
		return outcome{Move: "error"}
	case m.Kind == react.Done:
		return outcome{Move: "done", Answer: m.Answer}
	}
	return outcome{Move: "act", Tool: m.Tool, Input: m.Input}
}

// TestParseCases reads replies on which agent libraries broke.
func TestParseCases(t *testing.T) {
	cases := readLines[parseCase](t, shared(t, "cases/parse.jsonl"))
	require.Greater(t, len(cases), 100)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			if c.Meta.Finish == "length" {
				t.Skip("the Asker returns a TruncatedError: TestTruncatedNeverRuns")
			}
			m, err := react.Parse(c.Reply, c.list())
			got := outcomeOf(m, err)
			right := []outcome{c.Expect.outcome}
			if c.Expect.Disputed {
				right = append(right, c.Expect.Alt...)
			}
			if !slices.Contains(right, got) {
				t.Errorf("Parse(%q) = %+v (%v), want one of %+v", c.Reply, got, err, right)
			}
			if !strings.Contains(m.Thought, c.Expect.Thought) && err == nil {
				t.Errorf("thought %q lacks %q", m.Thought, c.Expect.Thought)
			}
			forbid := c.Expect.Forbid
			if slices.Contains(forbid.Moves, got.Move) ||
				got.Move == "act" && (slices.Contains(forbid.Tools, got.Tool) || slices.Contains(forbid.Inputs, got.Input)) ||
				got.Move == "done" && slices.Contains(forbid.Answers, got.Answer) {
				t.Errorf("Parse(%q) = %+v, which is forbidden", c.Reply, got)
			}
			for _, part := range forbid.Contains {
				if strings.Contains(got.Input, part) {
					t.Errorf("Parse(%q): input %q holds %q", c.Reply, got.Input, part)
				}
			}
			if c.Chunks != nil {
				require.Equal(t, c.Reply, strings.Join(c.Chunks, ""))
			}
		})
	}
}
