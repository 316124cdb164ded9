package dialects_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/dialects"
)

// jsonAction is a reply with a JSON block in the place of the tool's name.
func jsonAction(block string) string {
	return "Thought: t\nAction:\n```json\n" + block + "\n```"
}

// causeOf returns the cause of a refusal.
func causeOf(t *testing.T, err error) error {
	t.Helper()
	bad := new(react.ProtocolError)
	require.ErrorAs(t, err, &bad)
	assert.NotEmpty(t, bad.Cure)
	return bad.Err
}

func TestClassicJSONAction(t *testing.T) {
	const (
		notJSON  = "the block under Action: is not a JSON object"
		extraKey = "the block under Action: has one key too many"
		noInput  = "action_input is missing, or neither a text nor an object"
		noAction = "the block under Action: names no action"
		follows  = "text follows the input"
		unsaid   = "the block says what Action: and Action Input: cannot"
	)
	list := jsonAction(`{"action": "list", "action_input": "a"}`)
	for _, test := range []struct {
		name, reply string
		tool, input string
		answer      string
		err         string
	}{
		{name: "text", reply: list, tool: "list", input: "a"},
		{name: "empty-text", reply: jsonAction(`{"action": "list", "action_input": ""}`), tool: "list"},
		{name: "object", reply: jsonAction("{\"action_input\": {\n \"a\": [1, 2],\n \"b\": \"x  y\"\n},\n\"action\": \"list\"}"), tool: "list", input: `{"a":[1,2],"b":"x  y"}`},
		{name: "object-kept", reply: jsonAction(`{"action": "list", "action_input": {"b": 1.0, "a": "<\u003c"}}`), tool: "list", input: `{"b":1.0,"a":"<\u003c"}`},
		{name: "no-info", reply: "Action:\n```\n{\"action\": \"list\", \"action_input\": \"a\"}\n```", tool: "list", input: "a"},
		{name: "fence-behind-label", reply: "Action: ```json\n{\"action\": \"list\", \"action_input\": \"a\"}\n```", tool: "list", input: "a"},
		{name: "blank-lines", reply: "Action:\n\n~~~JSON\n\n{\"action\": \"list\", \"action_input\": \"a\"}\n\n~~~\n\n", tool: "list", input: "a"},
		{name: "name-as-models-write-it", reply: jsonAction(`{"action": " Write-File ", "action_input": "a.txt\nx\r\n"}`), tool: "write_file", input: "a.txt\nx\n"},
		{name: "lines-of-block", reply: jsonAction(`{"action": "bash", "action_input": "cat <<E\nx\nE"}`), tool: "bash", input: "cat <<E\nx\nE"},
		{name: "unknown-tool", reply: jsonAction(`{"action": "no such", "action_input": "a"}`), tool: "no such", input: "a"},
		{name: "observation-follows", reply: list + "\nObservation: x\nThought: y", tool: "list", input: "a"},
		{name: "packed", reply: "````\n" + list + "\n````", tool: "list", input: "a"},
		{name: "answer", reply: jsonAction(`{"action": "Final Answer", "action_input": "\n  two\nlines\n"}`), answer: "two\nlines"},
		{name: "answer-object", reply: jsonAction(`{"action": "final answer", "action_input": {"n": 1}}`), answer: `{"n":1}`},

		{name: "open-fence", reply: "Action:\n```json\n{\"action\": \"list\", \"action_input\": \"a\"}", err: "the fence is not closed"},
		{name: "fence-inside", reply: "Action:\n```\n```json\n{\"action\": \"list\", \"action_input\": \"a\"}\n```\n```", err: "the lines hold a fence of their own"},
		{name: "other-info", reply: "Action:\n```python\n{\"action\": \"list\", \"action_input\": \"a\"}\n```", err: "Action: names no tool"},
		{name: "packing-fence-is-no-block", reply: "```\nAction:\n```\n{\"action\": \"list\", \"action_input\": \"a\"}\n```", err: "Action: names no tool"},
		{name: "text-follows", reply: list + "\nThat lists it.", err: follows},
		{name: "thought-follows", reply: list + "\nThought: or not", err: follows},
		{name: "input-follows", reply: list + "\nAction Input: b", err: follows},
		{name: "second-block-follows", reply: list + "\n```\n{}\n```", err: follows},
		{name: "text-follows-answer", reply: jsonAction(`{"action": "Final Answer", "action_input": "a"}`) + "\nb", err: follows},
		{name: "cut", reply: jsonAction(`{"action": "list", "action_input": "a`), err: notJSON},
		{name: "two-objects", reply: jsonAction(`{"action": "list", "action_input": "a"} {}`), err: notJSON},
		{name: "list-of-objects", reply: jsonAction(`[{"action": "list", "action_input": "a"}]`), err: notJSON},
		{name: "comment", reply: jsonAction("{\"action\": \"list\", // why\n\"action_input\": \"a\"}"), err: notJSON},
		{name: "single-quotes", reply: jsonAction(`{'action': 'list', 'action_input': 'a'}`), err: notJSON},
		{name: "real-newline", reply: jsonAction("{\"action\": \"bash\", \"action_input\": \"a\nb\"}"), err: notJSON},
		{name: "empty", reply: jsonAction(""), err: notJSON},
		{name: "other-key", reply: jsonAction(`{"action": "write_file", "action_input": "a", "text": "b"}`), err: extraKey},
		{name: "key-in-other-case", reply: jsonAction(`{"Action": "list", "action_input": "a"}`), err: extraKey},
		{name: "action-twice", reply: jsonAction(`{"action": "list", "action": "bash", "action_input": "a"}`), err: extraKey},
		{name: "input-twice", reply: jsonAction(`{"action": "bash", "action_input": "ls", "action_input": null}`), err: extraKey},
		{name: "no-action", reply: jsonAction(`{"action_input": "a"}`), err: noAction},
		{name: "null-action", reply: jsonAction(`{"action": null, "action_input": "a"}`), err: noAction},
		{name: "blank-action", reply: jsonAction(`{"action": " ", "action_input": "a"}`), err: noAction},
		{name: "number-action", reply: jsonAction(`{"action": 1, "action_input": "a"}`), err: noAction},
		{name: "no-input", reply: jsonAction(`{"action": "list"}`), err: noInput},
		{name: "null-input", reply: jsonAction(`{"action": "list", "action_input": null}`), err: noInput},
		{name: "array-input", reply: jsonAction(`{"action": "list", "action_input": ["a"]}`), err: noInput},
		{name: "number-input", reply: jsonAction(`{"action": "list", "action_input": 1}`), err: noInput},
		{name: "lines-of-one", reply: jsonAction(`{"action": "list", "action_input": "a\nb"}`), err: "list takes one line"},
		{name: "body-begins-with-fence", reply: jsonAction("{\"action\": \"write_file\", \"action_input\": \"```\\nx\\n```\"}"), err: unsaid},
		{name: "body-opens-here-document", reply: jsonAction(`{"action": "write_file", "action_input": "a <<E\nx\nE"}`), err: unsaid},
		{name: "name-of-two-lines", reply: jsonAction(`{"action": "a\nb", "action_input": "x"}`), err: unsaid},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := dialects.Classic{}.Parse(test.reply, worldTools(nil))
			if test.err != "" {
				assert.EqualError(t, causeOf(t, err), test.err, "Parse(%q) = %+v", test.reply, m)
				return
			}
			assert.NoError(t, err, "Parse(%q)", test.reply)
			assert.Equal(t, [3]string{test.tool, test.input, test.answer}, [3]string{m.Tool, m.Input, m.Answer}, "Parse(%q)", test.reply)
			assert.Equal(t, test.tool == "", m.Kind == react.Done)
		})
	}
}

func TestClassicHeredocs(t *testing.T) {
	const (
		open    = "a here-document is opened and not closed"
		follows = "text follows the input"
	)
	for _, test := range []struct{ name, tool, input, want, err string }{
		{"block", "bash", "cat > a <<E\nx\n\nE", "cat > a <<E\nx\n\nE", ""},
		{"block-on-next-line", "bash", "\ncat <<'E' | wc\nx\nE\n", "cat <<'E' | wc\nx\nE", ""},
		{"block-with-two", "bash", "diff <<A <<-B\nx\nA\ny\n\tB", "diff <<A <<-B\nx\nA\ny\n\tB", ""},
		{"block-with-labels", "bash", "cat <<E\nObservation: x\n```\nE\nObservation: y", "cat <<E\nObservation: x\n```\nE", ""},
		{"shift", "bash", "echo $((1 << 3))", "echo $((1 << 3))", ""},
		{"here-string", "bash", "cat <<< E", "cat <<< E", ""},
		{"body", "write_file", "a.txt <<E\nx\n y\nE", "a.txt\nx\n y", ""},
		{"body-empty", "write_file", "a.txt <<E\nE", "a.txt\n", ""},
		{"body-in-backticks", "write_file", "`a.txt` <<E\nx\nE", "a.txt\nx", ""},
		{"body-in-mid-line", "write_file", "a << b c", "a << b c", ""},
		{"one", "list", "a <<E", "a <<E", ""},

		{"block-open", "bash", "cat <<E\nx", "", open},
		{"block-indented-end", "bash", "cat <<E\nx\n E", "", open},
		{"block-second-open", "bash", "cat <<A <<B\nA", "", open},
		{"block-in-backticks", "bash", "`cat <<E`\nx\nE", "", open},
		{"block-then-text", "bash", "cat <<E\nx\nE\nrm", "", follows},
		{"body-open", "write_file", "a <<E\nx", "", open},
		{"body-with-two", "write_file", "a <<A <<B\nA\nB", "", "the line opens several here-documents"},
		{"body-then-text", "write_file", "a <<E\nx\nE\nDone.", "", follows},
		{"body-then-fence", "write_file", "a <<E\n```\nx\n```", "", open},
		{"one-then-lines", "list", "a <<E\nx\nE", "", follows},
	} {
		t.Run(test.name, func(t *testing.T) {
			reply := "Action: " + test.tool + "\nAction Input: " + test.input
			m, err := dialects.Classic{}.Parse(reply, worldTools(nil))
			if test.err != "" {
				assert.EqualError(t, causeOf(t, err), test.err, "Parse(%q) = %+v", reply, m)
				return
			}
			assert.NoError(t, err, "Parse(%q)", reply)
			assert.Equal(t, test.want, m.Input, "Parse(%q)", reply)
		})
	}
}
