package ci

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// TestPromptEconomy counts what the layout of a prompt costs beyond what the
// model and the tools said, at ten steps.
func TestPromptEconomy(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	tokens := func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	said := 0
	output := "package server\n\nimport \"net/http\"\n\n// Serve listens on the port of the configuration.\nfunc Serve(c Config) error {\n\treturn http.ListenAndServe(fmt.Sprint(c.Host, \":\", c.Port), mux(c))\n}\n\n// mux has the routes.\nfunc mux(c Config) http.Handler {\n\tm := http.NewServeMux()\n\tm.HandleFunc(\"/entries\", entries(c))\n\treturn m\n}"
	list := []tools.Tool{{Name: "read_file", Usage: "PATH: show a file", Call: func(context.Context, string) (string, error) { return output, nil }}}
	model := &llm.ScriptedLLM{}
	for i := range 10 {
		thought, input := "The next file may say which port it is.", fmt.Sprintf("server/file%d.go", i)
		model.Replies = append(model.Replies, thought+"\nACT: read_file "+input)
		said += tokens(thought) + tokens("read_file") + tokens(input) + tokens(output)
	}
	model.Replies = append(model.Replies, "DONE: 8080")
	if _, err := (react.Loop{LLM: model, Tools: list}).Run(t.Context(), "Which port?"); err != nil {
		t.Fatal(err)
	}
	first := model.Prompts[0]
	all := tokens(strings.TrimPrefix(model.Prompts[10], first))
	share := float64(all-said) / float64(all)
	none, one := tokens(react.ActDone{}.Instructions(nil, "", "")), tokens(react.ActDone{}.Instructions(list, "", ""))
	t.Logf("instructions %d tokens, a tool about %d, ten steps %d of which %d are layout (%.1f %%)", none, one-none, all, all-said, 100*share)
	if share > 0.10 {
		t.Errorf("the layout takes %.1f %% of ten steps, at most 10 %% is wanted", 100*share)
	}
}
