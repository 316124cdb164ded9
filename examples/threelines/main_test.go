package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

func Example() {
	main()
	// Output:
	// run read_file with "config.py"
	// answer: the server listens on 8080
}

// read puts what the three lines find in the form of react.Parse.
func read(reply string) react.Move {
	if answer, ok := done(reply); ok {
		return react.Move{Kind: react.Done, Answer: answer}
	}
	tool, input := act(reply)
	return react.Move{Kind: react.Act, Tool: tool, Input: input}
}

// TestAgainstParse: where the three lines suffice, and where they would do
// something that the model did not say.
func TestAgainstParse(t *testing.T) {
	list := []tools.Tool{{Name: "bash", Lines: tools.Block}, {Name: "read_file"}}
	for _, test := range []struct {
		name  string
		reply string
		same  bool
	}{
		{"act", "ACT: read_file config.py", true},
		{"thought", "The config should say.\nACT: bash ls -l", true},
		{"no-input", "ACT: bash", true},
		{"done", "DONE: 8080", true},
		{"answer-of-lines", "DONE: 8080\nsince May", true},

		{"invented", "ACT: read_file a\nOBS: 8080\n\nDONE: 8080", false},
		{"fence", "ACT: bash\n```\ncd src\nls\n```", false},
		{"prose", "ACT: bash rm -r build\nwhich I would not > do", false},
		{"cut-off", "ACT: bash <<EOF\nrm -r", false},
		{"reasoning", "<think>\nACT: bash ls\n</think>\nACT: bash pwd", false},
		{"bold", "**ACT:** bash ls", false},
		{"no-blank", "DONE:8080", false},
		{"name", "ACT: Read-File a", false},
		{"talk", "It is 8080.", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := read(test.reply)
			want, err := react.Parse(test.reply, list)
			same := err == nil && got.Kind == want.Kind && got.Tool == want.Tool && got.Input == want.Input && got.Answer == want.Answer
			assert.Equal(t, test.same, same, "got %+v, want %+v, %v", got, want, err)
		})
	}
}
