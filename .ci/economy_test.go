package ci

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tiktoken-go/tokenizer"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// codec returns what counts all texts here: the tokenizer of OpenAI's newer
// models. Those of Qwen, Llama and Gemma split text a little differently.
func codec(t *testing.T) tokenizer.Codec {
	t.Helper()
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// steps is how many acts the run of these tests has.
const steps = 10

const (
	thought = "The next file may say which port it is."
	output  = "package server\n\nimport \"net/http\"\n\n// Serve listens on the port of the configuration.\nfunc Serve(c Config) error {\n\treturn http.ListenAndServe(fmt.Sprint(c.Host, \":\", c.Port), mux(c))\n}\n\n// mux has the routes.\nfunc mux(c Config) http.Handler {\n\tm := http.NewServeMux()\n\tm.HandleFunc(\"/entries\", entries(c))\n\treturn m\n}"
)

var readFile = tools.Tool{Name: "read_file", Usage: "PATH: show a file", Call: func(context.Context, string) (string, error) { return output, nil }}

// path is the input of act i.
func path(i int) string { return fmt.Sprintf("server/file%d.go", i) }

// replies are those of the run.
func replies() []string {
	var list []string
	for i := range steps {
		list = append(list, thought+"\nACT: read_file "+path(i))
	}
	return append(list, "DONE: 8080")
}

// TestPromptEconomy counts what the layout of a prompt costs beyond what the
// model and the tools said, at ten steps.
func TestPromptEconomy(t *testing.T) {
	c := codec(t)
	tokens := func(text string) int {
		n, err := c.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	list := []tools.Tool{readFile}
	model := &llm.ScriptedLLM{Replies: replies()}
	if _, err := (react.Loop{LLM: model, Tools: list}).Run(t.Context(), "Which port?"); err != nil {
		t.Fatal(err)
	}
	said := 0
	for i := range steps {
		said += tokens(thought) + tokens("read_file") + tokens(path(i)) + tokens(output)
	}
	all := tokens(strings.TrimPrefix(model.Prompts[steps], model.Prompts[0]))
	share := float64(all-said) / float64(all)
	none, one := tokens(react.ActDone{}.Instructions(nil, "", "")), tokens(react.ActDone{}.Instructions(list, "", ""))
	t.Logf("instructions %d tokens, a tool about %d, ten steps %d of which %d are layout (%.1f %%)", none, one-none, all, all-said, 100*share)
	if share > 0.10 {
		t.Errorf("the layout takes %.1f %% of ten steps, at most 10 %% is wanted", 100*share)
	}
}

// lostTail is how many tokens at the end of an ask may differ in the next one:
// what closes the message and opens the reply, and one where the added text
// joins the old.
const lostTail = 8

// TestCacheEconomy counts how much of each prompt a server need not read again,
// as it has read it, or written it, in the ask before: the longest common
// beginning, in tokens, of a prompt and of the prompt and reply before it.
func TestCacheEconomy(t *testing.T) {
	c := codec(t)
	var table strings.Builder
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(rows, "template\tprompt sent as\ttokens of a prompt\treused\tnot reused\tof the prompt before lost, at most\treplies reused")
	for _, one := range []bool{true, false} {
		sent := "parts"
		if one {
			sent = "one message"
		}
		asks := conversation(t, one)
		for _, tmpl := range templates {
			e := measure(t, c, tmpl, asks)
			fmt.Fprintf(rows, "%s\t%s\t%.0f\t%.1f %%\t%.1f\t%d\t%d of %d\n",
				tmpl.name, sent, e.tokens, 100*e.reused/e.tokens, e.tokens-e.reused, e.lost, e.replies, steps)
			if e.lost > lostTail {
				t.Errorf("%s, %s: an ask has lost %d tokens of the prompt before it, at most %d are wanted", tmpl.name, sent, e.lost, lostTail)
			}
		}
	}
	rows.Flush()
	t.Logf("means over %d asks\n%s", steps, &table)
}

// An economy is what the asks of a run cost, but for the first.
type economy struct {
	tokens, reused float64 // of a prompt, on average
	lost           int     // the most tokens of a prompt that the next does not reuse
	replies        int     // how many replies the next prompt reuses whole
}

func measure(t *testing.T, c tokenizer.Codec, tmpl template, asks [][]message) economy {
	t.Helper()
	var e economy
	texts := replies()
	for k := range steps {
		prompt := encode(t, c, tmpl.render(asks[k]))
		before := append(prompt, encode(t, c, texts[k]+tmpl.end)...)
		now := encode(t, c, tmpl.render(asks[k+1]))
		n := 0
		for n < min(len(before), len(now)) && before[n] == now[n] {
			n++
		}
		e.tokens += float64(len(now)) / steps
		e.reused += float64(n) / steps
		e.lost = max(e.lost, len(prompt)-n)
		if n == len(before) {
			e.replies++
		}
	}
	return e
}

// special are the tokens of templates that are no text.
var special = regexp.MustCompile(`<\|\w+\|>|<bos>|<(?:start|end)_of_turn>`)

// encode returns the tokens of text. A special one counts as one.
func encode(t *testing.T, c tokenizer.Codec, text string) []string {
	t.Helper()
	var all []string
	plain := func(text string) {
		_, pieces, err := c.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pieces...)
	}
	from := 0
	for _, at := range special.FindAllStringIndex(text, -1) {
		plain(text[from:at[0]])
		all = append(all, text[at[0]:at[1]])
		from = at[1]
	}
	plain(text[from:])
	return all
}

// conversation returns the messages of each ask of the run, as the client sends
// them to a server.
func conversation(t *testing.T, one bool) [][]message {
	t.Helper()
	var asks [][]message
	texts := replies()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Messages []message }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": %q}, "finish_reason": "stop"}]}`, texts[len(asks)])
		asks = append(asks, request.Messages)
	}))
	defer server.Close()
	model := &openai.Client{BaseURL: server.URL, Model: "any", Plain: true, OneMessage: one, HTTP: server.Client()}
	if _, err := (react.Loop{LLM: model, Tools: []tools.Tool{readFile}}).Run(t.Context(), "Which port?"); err != nil {
		t.Fatal(err)
	}
	return asks
}
