package openai_test

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// texts returns the roles of a request's messages and their contents.
func texts(request map[string]any) (roles, contents []string) {
	messages, _ := request["messages"].([]any)
	for _, m := range messages {
		m, _ := m.(map[string]any)
		roles = append(roles, m["role"].(string))
		contents = append(contents, m["content"].(string))
	}
	return roles, contents
}

// parts makes a prompt of texts and their roles: s, u or a.
func parts(roles string, texts ...string) (string, []llm.Part) {
	names := map[byte]llm.Role{'s': llm.System, 'u': llm.User, 'a': llm.Assistant}
	var all []llm.Part
	end := 0
	for i, text := range texts {
		end += len(text)
		all = append(all, llm.Part{Role: names[roles[i]], End: end})
	}
	return strings.Join(texts, ""), all
}

func TestMessages(t *testing.T) {
	for _, test := range []struct {
		name, roles string
		texts       []string
		set         func(*openai.Client)
		change      func([]llm.Part) []llm.Part
		want        string // roles of the messages sent
	}{
		{name: "none", roles: "", want: "u"},
		{name: "no-parts", roles: "u", texts: []string{"hello"}, change: func([]llm.Part) []llm.Part { return nil }, want: "u"},
		{name: "system-and-user", roles: "su", texts: []string{"rules", "\n\nTASK: x"}, want: "su"},
		{name: "steps", roles: "suauau", texts: []string{"r", "t", "\n\nACT: a", "\nOBS: b", "\n\nACT: c", "\nOBS: d"}, want: "suauau"},
		{name: "refused-step", roles: "suauu", texts: []string{"r", "t", "\n\nACT: a", "\nOBS: b", "\n\nREFUSED:\n```\nx\n```\nOBS: error"}, want: "suau"},
		{name: "refused-first", roles: "suua", texts: []string{"r", "t", "\nREFUSED: x", "ACT: a"}, want: "sua"},
		{name: "neighbours", roles: "ssuuaa", texts: []string{"a", "b", "c", "d", "e", "f"}, want: "sua"},
		{name: "only-assistant", roles: "a", texts: []string{"x"}, want: "a"},
		{name: "empty-part", roles: "suau", texts: []string{"r", "t", "", "o"}, want: "su"},
		{name: "empty-first-part", roles: "su", texts: []string{"", "t"}, want: "u"},
		{name: "empty-last-part", roles: "sua", texts: []string{"r", "t", ""}, want: "su"},
		{name: "short-of-the-end", roles: "su", texts: []string{"r", "t"}, change: func(p []llm.Part) []llm.Part { return p[:1] }, want: "u"},
		{name: "beyond-the-end", roles: "su", texts: []string{"r", "t"}, change: func(p []llm.Part) []llm.Part { p[1].End++; return p }, want: "u"},
		{name: "backwards", roles: "sua", texts: []string{"r", "tt", ""}, change: func(p []llm.Part) []llm.Part { p[0].End = 3; p[1].End = 1; return p }, want: "u"},
		{name: "negative", roles: "su", texts: []string{"r", "t"}, change: func(p []llm.Part) []llm.Part { p[0].End = -1; return p }, want: "u"},
		{name: "one-message", roles: "sua", texts: []string{"r", "t", "a"}, set: func(c *openai.Client) { c.OneMessage = true }, want: "u"},
		{name: "leading-blanks", roles: "ua", texts: []string{"  \n\tx", "  y  \n"}, want: "ua"},
		{name: "crlf-and-cr", roles: "ua", texts: []string{"a\r\nb\r", "\nc\r\n"}, want: "ua"},
		{name: "nul-and-controls", roles: "ua", texts: []string{"a\x00b\x01\x1b[0m\x7f", "\x00"}, want: "ua"},
		{name: "separators", roles: "ua", texts: []string{"a\u2028b\u2029\u0085\ufeff", "<a&b>"}, want: "ua"},
		{name: "quotes", roles: "ua", texts: []string{`"\"`, `\u0041"}]}`}, want: "ua"},
		{name: "emoji", roles: "ua", texts: []string{"🙂é日本", "\U0010ffff\ufffd"}, want: "ua"},
		{name: "mebibyte", roles: "sua", texts: []string{"r", strings.Repeat("0123456é\n", 1<<17), strings.Repeat("x", 1<<20)}, want: "sua"},
	} {
		t.Run(test.name, func(t *testing.T) {
			model, requests := serve(t, stream(whole("ok")))
			if test.set != nil {
				test.set(model)
			}
			prompt, p := parts(test.roles, test.texts...)
			if test.change != nil {
				p = test.change(p)
			}
			_, err := model.Ask(llm.WithParts(t.Context(), p), prompt)
			require.NoError(t, err)
			roles, contents := texts((*requests)[0])
			initials := ""
			for _, role := range roles {
				initials += role[:1]
			}
			assert.Equal(t, test.want, initials)
			assert.True(t, prompt == strings.Join(contents, ""), "joined contents are not the prompt")
			assert.True(t, prompt == "" || !strings.Contains(strings.Join(contents, "\x03")+"\x03", "\x03\x03"), "empty message")
		})
	}
}

func TestInvalidUTF8(t *testing.T) {
	model, requests := serve(t, stream(whole("ok")))
	_, err := model.Ask(t.Context(), "a\xff\xe2\x82b")
	require.NoError(t, err)
	_, contents := texts((*requests)[0])
	assert.Equal(t, []string{"a\ufffd\ufffd\ufffdb"}, contents)

	// The other half of a character comes with the next prompt.
	for _, prompt := range []string{"a\xe2\x82", "a\xe2\x82\xac", "a\xe2\x82\xac\xe2"} {
		_, err := model.Ask(t.Context(), prompt)
		require.NoError(t, err)
	}
	_, contents = texts((*requests)[2])
	assert.Equal(t, []string{"a€"}, contents)
	_, contents = texts((*requests)[3])
	assert.Equal(t, []string{"a€\ufffd"}, contents)
}

func TestSystem(t *testing.T) {
	model, requests := serve(t, stream(whole("ok")))
	model.System = "be \"brief\"\n\u2028<&>"
	prompt, p := parts("su", "rules", "task")
	_, err := model.Ask(llm.WithParts(t.Context(), p), prompt)
	require.NoError(t, err)
	_, err = model.Ask(t.Context(), "hello")
	require.NoError(t, err)
	roles, contents := texts((*requests)[0])
	assert.Equal(t, []string{"system", "system", "user"}, roles)
	assert.Equal(t, []string{model.System, "rules", "task"}, contents)
	_, contents = texts((*requests)[1])
	assert.Equal(t, []string{model.System, "hello"}, contents)
}

// TestLoop runs the same replies through the client and through the double.
func TestLoop(t *testing.T) {
	replies := []string{
		"I look.\nACT: list .", "no move here", "ACT: read a.txt", "ACT: rm x",
		"ACT: bash\n```\nls\n```\nand now something else", "ACT: list \"é\" <&>", "DONE: it is 7 🙂",
	}
	double := &llm.ScriptedLLM{Replies: replies}
	model, requests := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		stream(whole(replies[n-1]))(w, r, n)
	})
	loop := react.Loop{LLM: double, Retries: 2, Tools: []tools.Tool{
		{Name: "list", Usage: "DIR  names", Call: func(_ context.Context, in string) (string, error) { return "a.txt\nb " + in, nil }},
		{Name: "read", Usage: "FILE", Call: func(context.Context, string) (string, error) { return "", http.ErrNoLocation }},
		{Name: "bash", Usage: "COMMAND", Lines: tools.Block, Call: func(context.Context, string) (string, error) { return "ok", nil }},
	}}
	want, err := loop.Run(t.Context(), "how many\nfiles?")
	require.NoError(t, err)
	loop.LLM = model
	got, err := loop.Run(t.Context(), "how many\nfiles?")
	require.NoError(t, err)
	assert.Equal(t, want.Answer, got.Answer)
	assert.Equal(t, want.Steps, got.Steps)

	require.Len(t, *requests, len(double.Prompts))
	var before, roleBefore []string
	for i, request := range *requests {
		roles, contents := texts(request)
		assert.Equal(t, double.Prompts[i], strings.Join(contents, ""), "ask %d", i+1)
		assert.Equal(t, "system", roles[0])
		assert.NotContains(t, contents, "")
		if n := len(before); n > 0 { // each list of messages goes on from the one before
			require.GreaterOrEqual(t, len(contents), n)
			assert.Equal(t, before[:n-1], contents[:n-1])
			assert.True(t, strings.HasPrefix(contents[n-1], before[n-1]))
			assert.Equal(t, roleBefore, roles[:n])
		}
		before, roleBefore = contents, roles
	}
}

func TestExtra(t *testing.T) {
	model, requests := serve(t, stream(whole("ok")))
	model.Stop, model.MaxTokens = []string{"OBS:"}, 7
	model.Extra = map[string]any{
		"model": "other", "max_tokens": 5, "stop": nil, "stream_options": map[string]any{"x": true},
		"chat_template_kwargs": map[string]any{"enable_thinking": false},
	}
	_, err := model.Ask(t.Context(), "p")
	require.NoError(t, err)
	want := map[string]any{
		"model": "other", "max_tokens": 5.0, "stop": nil, "stream_options": map[string]any{"x": true},
		"chat_template_kwargs": map[string]any{"enable_thinking": false}, "stream": true,
		"messages": []any{map[string]any{"role": "user", "content": "p"}},
	}
	assert.Equal(t, want, (*requests)[0])

	for name, value := range map[string]any{"messages": nil, "stream": false, "odd": func() {}} {
		model.Extra = map[string]any{name: value}
		_, err := model.Ask(t.Context(), "p")
		assert.ErrorContains(t, err, "Client.Extra", name)
	}
	assert.Len(t, *requests, 1)
}

func TestHeader(t *testing.T) {
	var got http.Header
	model, _ := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		got = r.Header
		stream(whole("ok"))(w, r, n)
	})
	model.Header = map[string]openai.Secret{"x-title": "t", "user-agent": "mine/1", "Authorization": "Basic abc"}
	_, err := model.Ask(t.Context(), "p")
	require.NoError(t, err)
	for name, want := range map[string]string{
		"X-Title": "t", "User-Agent": "mine/1", "Authorization": "Basic abc",
		"Content-Type": "application/json", "Accept": "text/event-stream",
	} {
		assert.Equal(t, []string{want}, got[name], name)
	}
}

func TestSettings(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	t.Setenv("OPENAI_MODEL", "")
	for name, test := range map[string]struct {
		model *openai.Client
		want  string
	}{
		"no-model":       {&openai.Client{Key: key}, "no model"},
		"no-key":         {&openai.Client{Model: "m"}, "no key"},
		"no-scheme":      {&openai.Client{Model: "m", BaseURL: "localhost:11434/v1"}, "a scheme and a host"},
		"no-host":        {&openai.Client{Model: "m", BaseURL: "http:///v1"}, "a scheme and a host"},
		"bad-url":        {&openai.Client{Model: "m", BaseURL: "http://a b%"}, "a scheme and a host"},
		"query":          {&openai.Client{Model: "m", BaseURL: "http://h/v1?key=" + key}, "query"},
		"user":           {&openai.Client{Model: "m", BaseURL: "http://u:" + key + "@h/v1"}, "query or a user"},
		"newline":        {&openai.Client{Model: "m", BaseURL: "http://h/v1", Key: "a\n" + key}, "newline"},
		"space":          {&openai.Client{Model: "m", BaseURL: "http://h/v1", Key: "a " + key}, "holds a space"},
		"curly quotes":   {&openai.Client{Model: "m", BaseURL: "http://h/v1", Key: "“" + key + "”"}, "no ASCII"},
		"negative-tries": {&openai.Client{Model: "m", BaseURL: "http://h/v1", Tries: -1}, "not negative"},
	} {
		_, err := test.model.Ask(t.Context(), "p")
		if assert.ErrorContains(t, err, test.want, name) {
			assert.NotContains(t, err.Error(), key, name)
		}
	}
}

func TestEnvironment(t *testing.T) {
	var got *http.Request
	model, requests := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		got = r
		stream(whole("ok"))(w, r, n)
	})
	t.Setenv("OPENAI_API_KEY", "sk-environment")
	t.Setenv("OPENAI_BASE_URL", model.BaseURL+"/chat/completions/")
	t.Setenv("OPENAI_MODEL", "of-environment")
	_, err := (&openai.Client{}).Ask(t.Context(), "p")
	require.NoError(t, err)
	assert.Equal(t, "Bearer sk-environment", got.Header.Get("Authorization"))
	assert.Equal(t, "/v1/chat/completions", got.URL.Path)
	assert.Equal(t, "of-environment", (*requests)[0]["model"])
}

// TestAdapt holds what a request leaves out or renames after a server has said
// that it does not know it.
func TestAdapt(t *testing.T) {
	fields := func(request map[string]any) map[string]any {
		request = maps.Clone(request)
		maps.DeleteFunc(request, func(name string, _ any) bool {
			return name == "model" || name == "messages" || name == "stream"
		})
		return request
	}
	with := func(set ...any) map[string]any {
		all := map[string]any{"stream_options": map[string]any{"include_usage": true}, "stop": []any{"OBS:"}, "max_tokens": 9.0}
		for i := 0; i < len(set); i += 2 {
			if set[i+1] == nil {
				delete(all, set[i].(string))
			} else {
				all[set[i].(string)] = set[i+1]
			}
		}
		return all
	}
	swapped := with("max_tokens", nil, "max_completion_tokens", 9.0)
	for _, test := range []struct {
		name string
		code int
		says string
		want map[string]any // fields of the second request; nil if there is none
		set  func(*openai.Client)
	}{
		{name: "stop-openai", says: "Unsupported parameter: 'stop' is not supported with this model.", want: with("stop", nil)},
		{name: "stop-xai", says: "Argument not supported on this model: stop", want: with("stop", nil)},
		{name: "stop-groq", says: "property 'stop' is unsupported", want: with("stop", nil)},
		{name: "stop-fastapi", code: 422, says: `{"detail":[{"loc":["body","stop"],"msg":"Extra inputs are not permitted"}]}`, want: with("stop", nil)},
		{name: "stop-value", says: "Invalid 'stop': array too long. Expected an array with maximum length 4", want: nil},
		{name: "stopped", says: "the server is stopped; unknown reason", want: nil},
		{name: "usage", says: "Unrecognized request argument supplied: stream_options", want: with("stream_options", nil)},
		{name: "usage-field", code: 422, says: "unknown field include_usage", want: with("stream_options", nil)},
		{name: "limit-openai", says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", want: swapped},
		{name: "limit-fastapi", code: 422, says: `{"detail":[{"loc":["body","max_tokens"],"msg":"Extra inputs are not permitted"}]}`, want: swapped},
		{name: "limit-value", says: "max_tokens is too large: 9. This model supports at most 4 completion tokens", want: nil},
		{name: "limit-field-fixed", says: "max_tokens is not supported", want: nil, set: func(c *openai.Client) { c.TokensField = "max_tokens" }},
		{name: "other-parameter", says: "Unsupported parameter: 'temperature' is not supported with this model.", want: nil},
		{name: "other-400", says: "messages: roles must alternate", want: nil},
		{name: "context-length", says: "This model's maximum context length is 4096 tokens", want: nil},
		{name: "other-code", code: 403, says: "max_tokens is not supported", want: nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, body := cmp.Or(test.code, 400), test.says
			if !strings.HasPrefix(body, "{") {
				body = `{"error":{"message":` + quote(test.says) + `}}`
			}
			model, requests := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 1 {
					raw(code, "application/json", body)(w, r, n)
					return
				}
				stream(whole("ok"))(w, r, n)
			})
			model.Stop, model.MaxTokens = []string{"OBS:"}, 9
			if test.set != nil {
				test.set(model)
			}
			_, err := model.Ask(t.Context(), "p")
			assert.Equal(t, with(), fields((*requests)[0]))
			if test.want == nil {
				assertError(t, status(code, strings.TrimSpace(test.says)), err)
				assert.Len(t, *requests, 1)
				return
			}
			require.NoError(t, err)
			require.Len(t, *requests, 2)
			assert.Equal(t, test.want, fields((*requests)[1]))
			_, err = model.Ask(t.Context(), "p")
			require.NoError(t, err)
			assert.Equal(t, test.want, fields((*requests)[2]), "it is remembered")
		})
	}
}

// TestAdaptEnds holds that a server that refuses everything is not asked
// forever.
func TestAdaptEnds(t *testing.T) {
	model, requests := serve(t, raw(400, "text/plain", "unknown: stop, stream_options, max_tokens, max_completion_tokens"))
	model.Stop, model.MaxTokens = []string{"OBS:"}, 9
	_, err := model.Ask(t.Context(), "p")
	assertError(t, status(400, "unknown: stop, stream_options, max_tokens, max_completion_tokens"), err)
	assert.Len(t, *requests, 4)
}

// TestAdaptIsNoTry holds that what the server cannot take costs none of the tries.
func TestAdaptIsNoTry(t *testing.T) {
	bubble(t, "two-tries", func(t *testing.T) {
		refuses := func(r *http.Request, _ int) (*http.Response, error) {
			return response(r, 400, http.Header{}, "unknown field stream_options"), nil
		}
		o := asked(t, t.Context(), func(c *openai.Client) { c.Tries = 2 }, refuses, says(503), good)
		require.NoError(t, o.err)
		assert.Equal(t, 3, o.asks)
	})
}

// TestTokensField holds the name of the limit at OpenAI, where it is another.
func TestTokensField(t *testing.T) {
	for _, test := range []struct {
		base, field, want string
	}{
		{"", "", "max_completion_tokens"},
		{openai.DefaultBaseURL + "/", "", "max_completion_tokens"},
		{"", "n_predict", "n_predict"},
		{"http://h/v1", "", "max_tokens"},
		{"http://h/v1", "n_predict", "n_predict"},
	} {
		var got []string
		model := inMemory(nil)
		model.BaseURL, model.TokensField, model.MaxTokens = test.base, test.field, 9
		model.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			body := new(strings.Builder)
			_, _ = io.Copy(body, r.Body)
			for _, name := range []string{"max_completion_tokens", "max_tokens", "n_predict"} {
				if strings.Contains(body.String(), `"`+name+`":9`) {
					got = append(got, name)
				}
			}
			if len(got) == 1 && test.field == "" {
				return response(r, 400, http.Header{}, "unknown field "+got[0]), nil
			}
			return response(r, 200, nil, whole("ok")), nil
		})
		_, err := model.Ask(t.Context(), "p")
		require.NoError(t, err)
		require.NotEmpty(t, got)
		assert.Equal(t, test.want, got[0])
		if test.field == "" {
			other := map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[test.want]
			assert.Equal(t, []string{test.want, other}, got)
		}
	}
}
