package main

import (
	"strings"
	"testing"

	"github.com/actdone/actdone/llm"
)

func TestAgentMendsItsMistake(t *testing.T) {
	model := &llm.ScriptedLLM{Replies: []string{
		"ACT: setting Port",
		"It is written in lower case.\nACT: setting port",
		"DONE: 8080",
	}}
	result, err := agent(model).Run(t.Context(), "Which port?")
	if err != nil {
		t.Fatal(err)
	}
	if result.Answer != "8080" {
		t.Errorf("answer %q, want 8080", result.Answer)
	}
	seen := `OBS: error: no setting "Port"; there are host and port`
	if !strings.HasSuffix(model.Prompts[1], seen) {
		t.Errorf("prompt 2 ends %q, want %q", model.Prompts[1][len(model.Prompts[0]):], seen)
	}
	if err := model.Check(); err != nil { // were all replies used?
		t.Error(err)
	}
}

func Example() {
	main()
	// Output: the server listens on 8080
}
