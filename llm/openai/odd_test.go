package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/internal/growthtest"
	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// TestOddServers is about answers that no provider documents and that once were
// read wrong.
func TestOddServers(t *testing.T) {
	cut := func(text, reason string) error { return &llm.TruncatedError{Text: text, Reason: reason} }
	json200 := func(body string) answer { return raw(200, "application/json", body) }
	for _, c := range []struct {
		name   string
		answer answer
		want   string
		err    error
	}{
		{"length then stop", stream(chunk("ACT: list ."), finish("length"), finish("stop"), end), "", cut("ACT: list .", "length")},
		{"filter then stop", stream(chunk("ACT: x"), finish("content_filter"), finish("stop"), end), "", &llm.RefusedError{Text: "ACT: x", Reason: "content_filter"}},
		{"text after the finish", stream(chunk("ACT: bash rm a"), finish("stop"), chunk("/b"), end), "", cut("ACT: bash rm a/b", "text after the finish reason")},
		{"whole message at the end", stream(chunk("DONE: "), chunk("42"), `data: {"choices":[{"message":{"content":"DONE: 42"},"finish_reason":"stop"}]}`+"\n\n", end), "DONE: 42", nil},
		{"whole message beside null", stream(chunk("DONE: 42"), `data: {"choices":[{"delta":null,"message":{"content":"DONE: 42"},"finish_reason":"stop"}]}`+"\n\n", end), "DONE: 42", nil},
		{"two choices without index", json200(`{"choices":[{"message":{"content":"A"}},{"message":{"content":"B"}}]}`), "A", nil},
		{"index with a point", stream(`data: {"choices":[{"index":0.0,"delta":{"content":"A"},"finish_reason":"stop"}]}`+"\n\n", end), "A", nil},
		{"odd reasoning", json200(`{"choices":[{"message":{"content":"A","reasoning":{"effort":1}}}]}`), "A", nil},
		{"thought among the parts", json200(`{"choices":[{"message":{"content":[{"type":"reasoning","text":"T\nDONE: no"},{"type":"text","text":"A"}]}}]}`), "A", nil},
		{"error without an object", json200(`{"object":"error","message":"no such model","code":404}`), "", status(404, "no such model")},
		{"detail", json200(`{"detail":"Not found"}`), "", status(0, "Not found")},
		{"error event", stream("event: error\ndata: {\"message\":\"boom\"}\n\n"), "", status(0, "boom")},
		{"error that is none", json200(`{"error":[],"choices":[{"message":{"content":"A"}}]}`), "A", nil},
		{"error without words", json200(`{"error":{"message":null,"code":null},"choices":[{"message":{"content":"A"}}]}`), "A", nil},
		{"too many choices", json200(`{"choices":[` + strings.Repeat("{},", 1<<20) + `{}]}`), "", &llm.DecodeError{Code: 200, Body: `{"choices":[` + strings.Repeat("{},", 1<<20)[:4084]}},
		{"finish reason to be seen", stream(chunk("A"), finish(`\u001b[31mred\n`+strings.Repeat("q", 5000)), end), "", cut("A", "_[31mred_"+strings.Repeat("q", 31))},
		{"long event", stream("data: " + strings.Repeat("x", 17<<20) + "\n\n"), "", &llm.DecodeError{Code: 200}},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			model, _ := serve(t, c.answer)
			reply, err := model.Ask(t.Context(), "p")
			if c.err != nil {
				assertError(t, c.err, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, reply)
		})
	}
}

// TestOddCounts holds that token counts cannot spoil a reply.
func TestOddCounts(t *testing.T) {
	for counts, want := range map[string]llm.Usage{
		`{"prompt_tokens":"12","completion_tokens":3.0}`: {Prompt: 12, Reply: 3},
		`{"prompt_tokens":-5,"completion_tokens":1e300}`: {},
		`{"prompt_tokens":1e12,"completion_tokens":3}`:   {Reply: 3},
		`"12"`: {},
		`[]`:   {},
		`{"prompt_tokens":7,"prompt_tokens_details":[]}`:                                                {Prompt: 7},
		`{"prompt_tokens":50,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1000}}`:     {Prompt: 1050, Cached: 1000, Reply: 5},
		`{"prompt_tokens":900,"completion_tokens":5,"total_tokens":1505,"cache_read_input_tokens":600}`: {Prompt: 1500, Cached: 600, Reply: 5},
		`{"prompt_tokens":900,"completion_tokens":5,"total_tokens":905,"prompt_cache_hit_tokens":600}`:  {Prompt: 900, Cached: 600, Reply: 5},
		`{"prompt_tokens":600,"completion_tokens":5,"total_tokens":605,"prompt_cache_hit_tokens":600}`:  {Prompt: 600, Cached: 600, Reply: 5},
	} {
		model, _ := serve(t, raw(200, "application/json", `{"choices":[{"message":{"content":"A"}}],"usage":`+counts+`}`))
		var told llm.Usage
		reply, err := model.Ask(llm.WithTrace(t.Context(), &llm.Trace{Usage: func(u llm.Usage) { told = u }}), "p")
		require.NoError(t, err)
		assert.Equal(t, "A", reply)
		assert.Equal(t, want, told, counts)
	}
}

// TestCountsBeforeTheCache holds that an ask without cached tokens says nothing
// about how they are counted.
func TestCountsBeforeTheCache(t *testing.T) {
	var told []llm.Usage
	model, _ := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		cached := []int{0, 600}[n-1]
		raw(200, "application/json", fmt.Sprintf(`{"choices":[{"message":{"content":"A"}}],"usage":{"prompt_tokens":900,"completion_tokens":5,"total_tokens":905,"prompt_cache_hit_tokens":%d}}`, cached))(w, r, n)
	})
	ctx := llm.WithTrace(t.Context(), &llm.Trace{Usage: func(u llm.Usage) { told = append(told, u) }})
	for range 2 {
		_, err := model.Ask(ctx, "p")
		require.NoError(t, err)
	}
	assert.Equal(t, []llm.Usage{{Prompt: 900, Reply: 5}, {Prompt: 900, Cached: 600, Reply: 5}}, told)
}

// TestManyPieces reads replies in many pieces: once the time grew with the square
// of their number, and the deadline did not help.
func TestManyPieces(t *testing.T) {
	part := `{"type":"text","text":"01234567890123456789012345678901"},`
	refusal := delta(`"delta":{"refusal":"012345678901234567890123456789012345678901234567"}`)
	for name, answer := range map[string]func(pieces int) answer{
		"parts": func(pieces int) answer {
			return raw(200, "application/json", `{"choices":[{"message":{"content":[`+strings.TrimSuffix(strings.Repeat(part, pieces), ",")+`]}}]}`)
		},
		"refusal": func(pieces int) answer { return stream(strings.Repeat(refusal, pieces), finish("stop"), end) },
	} {
		t.Run(name, func(t *testing.T) {
			growthtest.Linear(t, growthtest.Writing, func(size int) func() {
				model, _ := serve(t, answer(size/16))
				return func() { _, _ = model.Ask(t.Context(), "p") }
			})
		})
	}
}

// TestEndless asks servers that never end: the reply has a limit, and so has
// the patience with comments and empty chunks.
func TestEndless(t *testing.T) {
	endless := func(piece string) answer {
		return func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, piece); err != nil {
					return
				}
			}
		}
	}
	t.Run("text", func(t *testing.T) {
		model, _ := serve(t, endless(chunk(strings.Repeat("x", 1<<20))))
		_, err := model.Ask(t.Context(), "p")
		cut, ok := err.(*llm.TruncatedError)
		require.True(t, ok, "%T", err)
		assert.Equal(t, "longer than 32 MiB", cut.Reason)
		assert.Less(t, len(cut.Text), 34<<20)
	})
	for name, piece := range map[string]string{"comments": ": still here\n\n", "empty-chunks": "data: {\"choices\":[]}\n\n"} {
		bubble(t, name, func(t *testing.T) {
			var body []any // a piece every ten seconds, for an hour
			for range 360 {
				body = append(body, piece, 10*time.Second)
			}
			o := asked(t, t.Context(), func(c *openai.Client) { c.MaxSilence = time.Minute; c.Tries = 1 }, streams(body...))
			lost, ok := o.err.(*llm.ConnectionError)
			require.True(t, ok, "%T %v", o.err, o.err)
			assert.EqualError(t, lost.Err, "server sent nothing of a reply for 6m0s")
			assert.Equal(t, 6*time.Minute, o.took)
		})
	}
}

func TestCheck(t *testing.T) {
	assert.ErrorContains(t, (&openai.Client{BaseURL: "http://h/v1"}).Check(), "no model")
	assert.NoError(t, (&openai.Client{BaseURL: "http://h/v1", Model: "m"}).Check())
	nan := &openai.Client{BaseURL: "http://h/v1", Model: "m", Extra: map[string]any{"x": func() {}}}
	assert.ErrorContains(t, nan.Check(), "cannot be sent")
}
