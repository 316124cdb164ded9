package react_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

func act(tool, input string) react.Move { return react.Move{Kind: react.Act, Tool: tool, Input: input} }
func done(answer string) react.Move     { return react.Move{Kind: react.Done, Answer: answer} }

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, reply string
		want        react.Move
		err         error
	}{
		// Markers.
		{"act", "ACT: list .", act("list", "."), nil},
		{"done", "DONE: 42", done("42"), nil},
		{"colons", "ACT : list .", act("list", "."), nil},
		{"full-width colon", "ACT： list .", act("list", "."), nil},
		{"no blank after the colon", "ACT:list .", act("list", "."), nil},
		{"lower case", "act: list .", react.Move{}, react.ErrNoMove},
		{"title case", "Done: I will go on.", react.Move{}, react.ErrNoMove},
		{"numbered", "1. ACT: list .", react.Move{}, react.ErrNoMove},
		{"quoted", "> ACT: list .", react.Move{}, react.ErrNoMove},
		{"mid-line", "Now ACT: list .", react.Move{}, react.ErrNoMove},
		{"bullet", "- ACT: list .", react.Move{}, react.ErrNoMove},
		{"word that begins alike", "ACTION: list .", react.Move{}, react.ErrNoMove},
		{"bold label", "**ACT:** glob *.go", act("glob", "*.go"), nil},
		{"bold word", "**ACT**: glob *.go", act("glob", "*.go"), nil},
		{"bold line", "**ACT: list docs**", act("list", "docs"), nil},
		{"bold with a glob", "**ACT:** glob src/**", act("glob", "src/**"), nil},
		{"glob without bold", "ACT: glob src/**", act("glob", "src/**"), nil},
		{"underlined", "__DONE:__ 42", done("42"), nil},
		{"underlined path", "__ACT: bash cat pkg/__init__", react.Move{}, react.ErrAmbiguous},
		{"bold that ends in mid-line", "**ACT: bash rm x** removes it > notes", react.Move{}, react.ErrAmbiguous},
		{"backtick that ends in mid-line", "`ACT: read_file a` should do", react.Move{}, react.ErrAmbiguous},
		{"bold left open", "**ACT: list docs", act("list", "docs"), nil},
		{"two bare dones", "DONE\nDONE\n", done("DONE"), nil},
		{"bare done before an illustration", "DONE\n\nWhat I did:\n```\nACT: read_file x\n```", done("What I did:\n```\nACT: read_file x\n```"), nil},
		{"heading and bold", "### **ACT:** list .", act("list", "."), nil},
		{"backtick line", "`ACT: list .`", act("list", "."), nil},
		{"backtick label", "`ACT:` list .", act("list", "."), nil},
		{"no-break spaces", "\u00a0ACT:\u00a0list\u00a0docs", act("list", "docs"), nil},
		{"byte order mark", "\ufeffACT: list .", act("list", "."), nil},
		{"carriage returns", "Look.\r\nACT: list .\r\r\n", act("list", "."), nil},
		{"carriage return at the end", "ACT: bash ls\r", act("bash", "ls"), nil},
		{"invalid bytes", "ACT: list \xff\xfe.", act("list", "\ufffd."), nil},
		{"bare done", "All good.\nDONE\n", done(""), nil},
		{"bare done with text under it", "DONE\nIt is 42.", done("It is 42."), nil},
		{"bare done and the turn's end", "DONE<|im_end|>\n<|im_start|>user\nACT: list .", done(""), nil},
		{"bare done before a marker", "DONE\nACT: list .", act("list", "."), nil},
		{"done with more words", "DONE with that.", react.Move{}, react.ErrNoMove},

		// Names.
		{"name on the next line", "ACT:\nlist .", act("list", "."), nil},
		{"no name", "ACT:", react.Move{}, react.ErrNoTool},
		{"no name but a fence", "ACT:\n```\nls\n```", react.Move{}, react.ErrNoTool},
		{"no name but a label", "ACT:\nOBS: x", react.Move{}, react.ErrNoTool},
		{"no name but a marker", "ACT:\nDONE: x", react.Move{}, react.ErrNoTool},
		{"fence for a name", "ACT: ```bash\nrm -r x\n```", react.Move{}, react.ErrNoTool},
		{"case", "ACT: List .", act("list", "."), nil},
		{"hyphen", "ACT: read-file x", act("read_file", "x"), nil},
		{"quotes", "ACT: \"list\" .", act("list", "."), nil},
		{"colon", "ACT: bash: ls", act("bash", "ls"), nil},
		{"brackets", "ACT: [list] .", act("list", "."), nil},
		{"zero-width", "ACT: li\u200bst .", act("list", "."), nil},
		{"unknown", "ACT: rm x", act("rm", "x"), nil},
		{"bold name", "ACT: **list** .", act("list", "."), nil},
		{"backtick round all", "ACT: `bash rm foo`", act("`bash", "rm foo`"), nil},
		{"bracket round all", "ACT: [bash rm foo]", act("[bash", "rm foo]"), nil},
		{"quote round all", "ACT: \"bash rm\"", act("\"bash", "rm\""), nil},
		{"bold round all", "ACT: **bash rm**", act("**bash", "rm**"), nil},
		{"unknown in brackets", "ACT: bash[ls -la]", act("bash[ls", "-la]"), nil},

		// One.
		{"drops the rest", "ACT: list .\nSome words.\nACT: bash rm", act("list", "."), nil},
		{"without input", "ACT: list", act("list", ""), nil},
		{"input in a fence", "ACT: read_file\n```\nmain.go\n```", react.Move{}, react.ErrAmbiguous},
		{"without input, and output", "ACT: list\n\nOBS:\n```\na\n```", act("list", ""), nil},
		{"inner blanks", "ACT: grep a  b", act("grep", "a  b"), nil},
		{"quotes kept", `ACT: grep "Fix typo"`, act("grep", `"Fix typo"`), nil},
		{"trailing dot", "ACT: read_file main.go.", act("read_file", "main.go."), nil},
		{"backticks round it", "ACT: read_file `a b`", act("read_file", "a b"), nil},
		{"two backtick words", "ACT: grep `a` `b`", act("grep", "`a` `b`"), nil},
		{"longer backticks inside", "ACT: grep `` `a` ``", act("grep", "a"), nil},
		{"four deep", "ACT: grep ```` ``` `` `a` `` ``` ````", act("grep", "```` ``` `` `a` `` ``` ````"), nil},
		{"one backtick", "ACT: grep `", act("grep", "`"), nil},

		// Block.
		{"line", "ACT: bash ls -la", act("bash", "ls -la"), nil},
		{"line kept as it is", "ACT: bash echo a\\ ", act("bash", "echo a\\ "), nil},
		{"line below", "ACT: bash\n\n  ls -la\n", act("bash", "  ls -la"), nil},
		{"fence", "ACT: bash\n```\ncd a\n\n  ls\n```\n", act("bash", "cd a\n\n  ls"), nil},
		{"fence with a word", "ACT: bash\n\n~~~sh\nls\n~~~", act("bash", "ls"), nil},
		{"empty fence", "ACT: bash\n```\n```", act("bash", ""), nil},
		{"shorter fence inside", "ACT: bash\n````\ncat <<E\n```\nE\n````", act("bash", "cat <<E\n```\nE"), nil},
		{"nothing", "ACT: bash", act("bash", ""), nil},
		{"nothing but a label", "ACT: bash\nOBS: x", act("bash", ""), nil},
		{"nothing but a marker", "ACT: bash\nACT: bash ls", react.Move{}, react.ErrAmbiguous},
		{"two lines", "ACT: bash cd a\nrm -r b", react.Move{}, react.ErrAmbiguous},
		{"continuation", "ACT: bash ls \\\n  -la", react.Move{}, react.ErrAmbiguous},
		{"prose behind", "ACT: bash ls\n\nWhat does it print?", react.Move{}, react.ErrAmbiguous},
		{"output in a fence behind", "ACT: bash ls\n```\na\n```", react.Move{}, react.ErrAmbiguous},
		{"prose behind a fence", "ACT: bash\n```\nls\n```\nThat lists them.", react.Move{}, react.ErrAmbiguous},
		{"open fence", "ACT: bash\n```\nls", react.Move{}, react.ErrUnclosed},
		{"label behind", "ACT: bash ls\nobservation : a\nDONE: a", act("bash", "ls"), nil},
		{"bold label behind", "ACT: bash ls\n**Observation:** a", act("bash", "ls"), nil},
		{"stray fence behind", "ACT: bash ls\n```\n", react.Move{}, react.ErrAmbiguous},
		{"tag below", "ACT: bash\n<think>x</think>", react.Move{}, react.ErrAmbiguous},
		{"label of the prompt below", "ACT: bash\nNOTE: x", react.Move{}, react.ErrAmbiguous},
		{"token below", "ACT: bash\n<|im_start|>user", react.Move{}, react.ErrAmbiguous},
		{"token after the line below", "ACT: bash\nls<|eot_id|>\n\nOBS: x", act("bash", "ls"), nil},
		{"command as info word", "ACT: bash\n```sh ls -l\n```", react.Move{}, react.ErrAmbiguous},
		{"stray fence and a word", "ACT: bash ls\n```sh", react.Move{}, react.ErrAmbiguous},
		{"stray fence behind a fence", "ACT: bash\n```\nls\n```\n```", react.Move{}, react.ErrAmbiguous},
		{"backticks round the line", "ACT: bash `ls -la`", act("bash", "ls -la"), nil},
		{"substitution", "ACT: bash echo `date`", act("bash", "echo `date`"), nil},
		{"two substitutions", "ACT: bash `a` `b`", act("bash", "`a` `b`"), nil},
		{"here-document", "ACT: bash cat <<'E' >a\nx\n ```\nE", act("bash", "cat <<'E' >a\nx\n ```\nE"), nil},
		{"two here-documents", "ACT: bash cat <<A <<-\"B\"\n1\nA\n2\n\tB\n", act("bash", "cat <<A <<-\"B\"\n1\nA\n2\n\tB"), nil},
		{"here-document with a blank", "ACT: bash cat << EOF | sort\nb\na\nEOF", act("bash", "cat << EOF | sort\nb\na\nEOF"), nil},
		{"here-document with a backslash", "ACT: bash cat <<\\E\n$x\nE", act("bash", "cat <<\\E\n$x\nE"), nil},
		{"here-document and prose", "ACT: bash cat <<E\nx\nE\nDone.", react.Move{}, react.ErrAmbiguous},
		{"open here-document", "ACT: bash cat > a << EOF\nx", react.Move{}, react.ErrUnclosed},
		{"here-document in backticks", "ACT: bash `cat <<E`", react.Move{}, react.ErrUnclosed},
		{"here-string", "ACT: bash cat <<<E", act("bash", "cat <<<E"), nil},
		{"shift", "ACT: bash echo $((1<<x))", act("bash", "echo $((1<<x))"), nil},
		{"shift with blanks", "ACT: bash echo $((1 << 3))", act("bash", "echo $((1 << 3))"), nil},

		// Body.
		{"first line only", "ACT: write_file a.txt", act("write_file", "a.txt"), nil},
		{"body in a fence", "ACT: write_file a.go\n```go\nx\n\n```", act("write_file", "a.go\nx\n"), nil},
		{"body in a here-document", "ACT: write_file a <<E\nACT: x\nDONE: y\nE", act("write_file", "a\nACT: x\nDONE: y"), nil},
		{"path in backticks", "ACT: write_file `a b`\n```\nx\n```", act("write_file", "a b\nx"), nil},
		{"no first line", "ACT: write_file\n```\nx\n```", act("write_file", "\nx"), nil},
		{"empty body", "ACT: write_file a\n```\n```", act("write_file", "a\n"), nil},
		{"longer fence", "ACT: write_file a.md\n````\n```go\nx\n```\n````", act("write_file", "a.md\n```go\nx\n```"), nil},
		{"fence inside closes it", "ACT: write_file a.md\n```\n```go\nx\n```", react.Move{}, react.ErrAmbiguous},
		{"body without a fence", "ACT: write_file a.txt\nx", react.Move{}, react.ErrAmbiguous},
		{"two fences", "ACT: write_file a\n```\nx\n```\n```\ny\n```", react.Move{}, react.ErrAmbiguous},
		{"farewell", "ACT: write_file a\n```\nx\n```\nDone!", react.Move{}, react.ErrAmbiguous},
		{"operator in mid-line", "ACT: write_file <<E a", act("write_file", "<<E a"), nil},
		{"unknown tool is body", "ACT: note a\n```\nx\n```", act("note", "a\nx"), nil},
		{"unknown tool and done", "ACT: none\nDONE: 8080", react.Move{}, react.ErrAmbiguous},

		// Reasoning.
		{"reasoning", "<think>\nACT: bash rm\n</think>\nACT: list .", act("list", "."), nil},
		{"reasoning on one line", "<thinking>look</thinking>ACT: list .", act("list", "."), nil},
		{"reasoning twice", "<think>a</think>\nwords\n<think>\nDONE: no\n</think>\nACT: list .", act("list", "."), nil},
		{"reasoning left open", "<think>\nACT: list .", react.Move{}, react.ErrNoMove},
		{"closing tag in reasoning", "<think>\nThe `</think>` tag.\nDONE: no\n</think>\nACT: list .", act("list", "."), nil},
		{"lone closing tag", "ACT? no\nBetter not.\n</think>\n\nACT: list .", act("list", "."), nil},
		{"tag in mid-line", "The <think> tag.\nACT: list .", act("list", "."), nil},
		{"move only in reasoning", "<think>\nACT: list .\n</think>", react.Move{}, react.ErrNoMove},

		// Fences before the move.
		{"illustration", "Wrong:\n```\nACT: bash rm\n```\nRight:\nACT: list .", act("list", "."), nil},
		{"packaging", "```\nACT: bash ls\n```", act("bash", "ls"), nil},
		{"packaging with a label", "```\nACT: bash ls\n```\nOBS: x", act("bash", "ls"), nil},
		{"packaging round a fence", "````\nLook.\nACT: bash\n```\nls\n```\n````", act("bash", "ls"), nil},
		{"packaging of one line behind prose", "My step:\n```text\nACT: list .\n```", act("list", "."), nil},
		{"packaging of an answer", "So:\n```\nDONE: 42\n```", done("42"), nil},
		{"packaging of a command behind prose", "My step:\n```\nACT: bash ls\n```", react.Move{}, react.ErrAmbiguous},
		{"packaging and prose behind", "```\nACT: bash ls\n```\nthere", react.Move{}, react.ErrAmbiguous},
		{"packaging before reasoning", "```\nACT: list .\n```\n<think>x</think>\n", act("list", "."), nil},
		{"fence left open", "```\nACT: list .", act("list", "."), nil},
		{"fence left open round a command", "For example:\n```\nACT: bash rm -rf /\n", react.Move{}, react.ErrUnclosed},
		{"fence left open in packaging", "````\n```\nACT: bash rm\n````", react.Move{}, react.ErrUnclosed},
		{"illustrations one after another", "So:\n```\nx\n```\nACT: bash rm\n```", react.Move{}, react.ErrAmbiguous},
		{"packaging and an invented turn", "```\nACT: bash ls\n```\nOBS: foo\n\nACT: bash rm foo", act("bash", "ls"), nil},
		{"packaged answer and an invented turn", "```\nDONE: 5\n```\nOBS: foo\nACT: list", done("5"), nil},
		{"bare done in a fence", "It printed:\n```\nDONE\n```", react.Move{}, react.ErrNoMove},

		// Answers.
		{"several lines", "DONE: a\n\n  b\nACT: list .\n\n", done("a\n\n  b\nACT: list ."), nil},
		{"indented answer", "DONE:\n\n    code\n", done("    code"), nil},
		{"empty", "DONE:  \n\n", done(""), nil},
		{"empty label at the end", "DONE: 23\nOBS:\n", done("23"), nil},
		{"bold answer", "**DONE: 42**\nYes.", done("42\nYes."), nil},

		// Turn ends.
		{"token after an answer", "DONE: 42<|eot_id|>", done("42"), nil},
		{"tokens", "ACT: list .</s>\n<|im_end|>\n", act("list", "."), nil},
		{"token ends the reply", "ACT: bash ls<|im_end|>\n<|im_start|>user\nrm", act("bash", "ls"), nil},
		{"token after a fence", "ACT: bash\n```\nls\n```<end_of_turn>", act("bash", "ls"), nil},
		{"token inside", "ACT: grep '<|im_end|>' a", act("grep", "'<|im_end|>' a"), nil},
		{"no token", "ACT: grep <| a |>", act("grep", "<| a |>"), nil},
		{"blank reply", " \n\t\n", react.Move{}, react.ErrNoMove},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := react.Parse(c.reply, standardTools())
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("Parse(%q) = %+v, %v, want error %v", c.reply, got, err, c.err)
			}
			got = react.Move{Kind: got.Kind, Tool: got.Tool, Input: got.Input, Answer: got.Answer}
			if got != c.want {
				t.Errorf("Parse(%q) = %+v, want %+v", c.reply, got, c.want)
			}
		})
	}
}

func TestParseThoughtReplyDropped(t *testing.T) {
	for _, c := range []struct{ reply, thought, upTo, dropped string }{
		{"A.\n\nB.\nACT: list .\nOBS: x", "A.\n\nB.", "A.\n\nB.\nACT: list .", "\nOBS: x"},
		{"<think>\nx\n</think>\nB.\nACT: list .", "B.", "<think>\nx\n</think>\nB.\nACT: list .", "<think>\nx\n</think>\n"},
		{"a\n</think>\n\n  B.\nDONE: x</s>", "  B.", "a\n</think>\n\n  B.\nDONE: x", "a\n</think>\n</s>"},
		{"Step:\n```\nnow\nACT: list .\n```\n", "Step:\nnow", "Step:\n```\nnow\nACT: list .", "\n```\n"},
		{"ACT: bash\n```\nls\n```\n\nOBS: x", "", "ACT: bash\n```\nls\n```", "\n\nOBS: x"},
	} {
		m, err := react.Parse(c.reply, standardTools())
		if assert.NoError(t, err, c.reply) {
			assert.Equal(t, c.thought, m.Thought)
			assert.Equal(t, c.upTo, m.Reply)
			assert.Equal(t, c.dropped, m.Dropped)
		}
	}
}

func TestParseErrorSaysWhatToDo(t *testing.T) {
	for _, c := range []struct{ reply, text, cure string }{
		{"I think we…", `reply has neither ACT: nor DONE: at the start of a line: "I think we…"`, "write ACT: and a tool, or DONE: and the answer"},
		{"ACT:", `ACT: names no tool: "ACT:"`, "name the tool right after ACT:"},
		{"ACT: bash cd a\nls", `reply leaves open what the input of ACT: is: "ACT: bash cd a\nls"`,
			"ACT: bash takes one line, or several in a ``` fence under it; nothing may follow, but \"ls\" does"},
		{"ACT: write_file a\nx", `reply leaves open what the input of ACT: is: "ACT: write_file a\nx"`,
			"ACT: write_file takes its first line, then a ``` fence; nothing may follow, but \"x\" does"},
		{"**ACT: bash** ls", `reply leaves open what the input of ACT: is: "**ACT: bash** ls"`, "write ACT: without ** round it"},
		{"So:\n```\nACT: bash ls\n```", "reply leaves open what the input of ACT: is: \"So:\\n```\\nACT: bash ls\\n```\"",
			"if it is to run, write the move itself outside the fence"},
		{"ACT: bash\n```sh ls\n```", "reply leaves open what the input of ACT: is: \"ACT: bash\\n```sh ls\\n```\"",
			"begin the input on the line under the fence; behind the marks one word may stand"},
		{"ACT: write_file a\n```\n```go\nx\n```", "reply leaves open what the input of ACT: is: \"ACT: write_file a\\n```\\n```go\\nx\\n```\"",
			"the lines hold a fence of their own; write them in a longer one"},
		{"ACT: read_file\n```\na\n```", "reply leaves open what the input of ACT: is: \"ACT: read_file\\n```\\na\\n```\"",
			"ACT: read_file takes one line; write the input behind the name, without a fence"},
		{"act: list .", `reply has neither ACT: nor DONE: at the start of a line: "act: list ."`,
			"write the marker at the very start of its line, in upper case: ACT: or DONE:"},
		{"1. ACT: list .", `reply has neither ACT: nor DONE: at the start of a line: "1. ACT: list ."`,
			"write the marker at the very start of its line, in upper case: ACT: or DONE:"},
		{"ACT: bash\n```\nls", "reply ends inside a fence or here-document: \"ACT: bash\\n```\\nls\"",
			"close the fence or here-document on a line of its own, then write nothing more"},
	} {
		_, err := react.Parse(c.reply, standardTools())
		bad, ok := errors.AsType[*react.ProtocolError](err)
		if assert.True(t, ok) {
			assert.EqualError(t, bad, c.text)
			assert.Equal(t, c.cure, bad.Cure)
			assert.Equal(t, c.reply, bad.Reply)
		}
	}
	_, err := react.Parse(strings.Repeat("ä", 500), nil)
	assert.Less(t, len(err.Error()), 300)
}

func TestParseMatchesTheOnlyTool(t *testing.T) {
	list := []tools.Tool{{Name: "Get"}, {Name: "get"}, {Name: "查询天气"}}
	for name, want := range map[string]string{"get": "get", "Get": "Get", "GET": "GET", "查询天气": "查询天气", "`查询天气`": "查询天气"} {
		m, err := react.Parse("ACT: "+name+" x", list)
		assert.NoError(t, err)
		assert.Equal(t, want, m.Tool)
	}
}
