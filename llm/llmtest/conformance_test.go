package llmtest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/llm/script"
)

func newClient(_ *testing.T, ep llmtest.Endpoint) llm.Asker {
	return &openai.Client{BaseURL: ep.BaseURL, Key: openai.Secret(ep.Key), Model: ep.Model, HTTP: ep.Client, Plain: ep.Plain, Seed: 1}
}

func TestClientConforms(t *testing.T) { llmtest.TestAsker(t, newClient) }

// TestClientConformsAsOneMessage is the client for servers that want one message.
func TestClientConformsAsOneMessage(t *testing.T) {
	llmtest.TestAsker(t, func(t *testing.T, ep llmtest.Endpoint) llm.Asker {
		client := newClient(t, ep).(*openai.Client)
		client.OneMessage, client.Tries = true, 1
		return client
	})
}

func TestScriptedLLMConforms(t *testing.T) {
	llmtest.TestDouble(t, func(_ *testing.T, replies ...string) llm.Asker { return &llm.ScriptedLLM{Replies: replies} })
}

func TestPlayerConforms(t *testing.T) {
	llmtest.TestDouble(t, func(_ *testing.T, replies ...string) llm.Asker {
		lane := &script.Lane{Name: "main"}
		for _, reply := range replies {
			lane.Steps = append(lane.Steps, &script.Step{Reply: script.Section{Text: reply, New: true}, Options: script.Options{Chunk: "rune"}})
		}
		return &script.Player{Script: &script.Script{Lanes: []*script.Lane{lane}}}
	})
}

func TestWrappersConform(t *testing.T) {
	for name, wrap := range map[string]func(llm.Asker) llm.Asker{
		"itself":    func(a llm.Asker) llm.Asker { return a },
		"ask-func":  func(a llm.Asker) llm.Asker { return llm.AskFunc(a.Ask) },
		"retrying":  func(a llm.Asker) llm.Asker { return retrying{a} },
		"deadlines": func(a llm.Asker) llm.Asker { return llm.AskFunc(hasty(a)) },
	} {
		t.Run(name, func(t *testing.T) { llmtest.TestWrapper(t, wrap) })
	}
}

// TestRefusedRequests holds that an Asker whose requests are refused is told why,
// which it may not tell itself, once.
func TestRefusedRequests(t *testing.T) {
	found := llmtest.CheckAsker(t, func(_ *testing.T, ep llmtest.Endpoint) llm.Asker {
		return llm.AskFunc(func(ctx context.Context, _ string) (string, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, ep.BaseURL+"/chat/completions", strings.NewReader("{}"))
			if err != nil {
				return "", err
			}
			answer, err := ep.Client.Do(r)
			if err != nil {
				return "", err
			}
			return "", errors.Join(&llm.StatusError{Code: answer.StatusCode}, answer.Body.Close())
		})
	}, func(name string) bool { return name != "memory" })
	assert.ErrorContains(t, found["memory"], "request 1 was refused with status 400: ")
	assert.Equal(t, 1, strings.Count(found["memory"].Error(), "refused"))
}

// TestChaosConforms is about Chaos where it does not slip. It holds text back
// until it is sure which is given.
func TestChaosConforms(t *testing.T) {
	llmtest.TestWrapper(t, func(a llm.Asker) llm.Asker { return &llmtest.Chaos{LLM: a, Every: 1 << 40} })
}

// A retrying asks again for what may succeed later.
type retrying struct{ llm.Asker }

func (r retrying) Ask(ctx context.Context, prompt string) (string, error) {
	for try := 1; ; try++ {
		reply, err := r.Asker.Ask(ctx, prompt)
		var status *llm.StatusError
		if err == nil || try == 3 || !errors.As(err, &status) || status.Code < 429 {
			return reply, err
		}
		llm.ContextTrace(ctx).Retry(err)
		select {
		case <-time.After(max(time.Second, status.RetryAfter)):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// hasty gives each ask an hour.
func hasty(a llm.Asker) func(context.Context, string) (string, error) {
	return func(ctx context.Context, prompt string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		return a.Ask(ctx, prompt)
	}
}

// TestKnownGaps takes a gap for what it is, and reports one that is none.
func TestKnownGaps(t *testing.T) {
	gap := errors.New("it does not")
	told := spyOn(t, "TestIt", func(t *spy) { llmtest.Judge(t, nil, true) })
	assert.Equal(t, []string{"this gap is closed; take it out of Without"}, told.errors)
	told = spyOn(t, "TestIt", func(t *spy) { llmtest.Judge(t, gap, false) })
	assert.Equal(t, []string{"it does not"}, told.errors)
	told = spyOn(t, "TestIt", func(t *spy) { llmtest.Judge(t, nil, false) })
	assert.Empty(t, told.errors)
	told = spyOn(t, "TestIt", func(t *spy) { llmtest.Names(t, llmtest.Conformance{Without: []string{"reply", "flight"}}) })
	assert.Equal(t, []string{`llmtest: Without names "flight", which is no subtest`}, told.errors)
	llmtest.Conformance{Without: []string{"parts"}}.TestWrapper(t, func(a llm.Asker) llm.Asker {
		return &gappy{inner: a}
	})
}

// A gappy drops the parts.
type gappy struct{ inner llm.Asker }

func (g *gappy) Ask(ctx context.Context, prompt string) (string, error) {
	return g.inner.Ask(llm.WithParts(ctx, nil), prompt)
}
