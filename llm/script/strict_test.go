package script_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/script"
)

// dialogue is a request with these messages.
func dialogue(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
}

// calling is an assistant's message with calls, each "ID NAME ARGUMENTS".
func calling(calls ...string) string {
	var all []string
	for _, call := range calls {
		words := strings.SplitN(call, " ", 3)
		all = append(all, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, words[0], words[1], words[2]))
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(all, ",") + `]}`
}

func result(id string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"x"}`, id)
}

// withField is a request with a further field.
func withField(field string) string { return strings.Replace(user, "{", "{"+field+",", 1) }

func tool(name, parameters string) string {
	return fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":%s}}`, name, parameters)
}

const (
	hello  = `{"role":"user","content":"hello"}`
	object = `{"type":"object","properties":{}}`
)

func TestServerStrict(t *testing.T) {
	twice := calling("a f {}", "b f {}")
	for _, c := range []struct{ name, body, reason string }{
		{"no json", `{"model":`, "the request is not the JSON of the API: unexpected end of JSON input"},
		{"another shape", `{"model":7}`, "the request is not the JSON of the API: json: cannot unmarshal number into Go struct field chatRequest.model of type string"},
		{"no model", `{"messages":[` + hello + `]}`, "model is missing"},
		{"no messages", dialogue(), "messages is missing or empty"},
		{"choices", withField(`"n":2`), "n is 2; a script gives one choice"},
		{"usage without stream", withField(`"stream_options":{"include_usage":true}`), "stream_options without stream"},
		{"role", dialogue(`{"role":"robot","content":"x"}`), `messages[0] (robot): the role is "robot"; there are system, developer, user, assistant, tool`},
		{"no content", dialogue(`{"role":"user"}`), "messages[0] (user): the content is missing"},
		{"null", dialogue(`{"role":"user","content":null}`), "messages[0] (user): the content is missing"},
		{"nothing said", dialogue(hello, `{"role":"assistant","content":null}`), "messages[1] (assistant): the content is missing"},
		{"content is a number", dialogue(`{"role":"user","content":7}`), "messages[0]: the content is neither a text nor a list of parts"},
		{"picture", dialogue(`{"role":"user","content":[{"type":"image_url"}]}`), `messages[0]: a part of the content is of the type "image_url"; a script takes text only`},
		{"not answered", dialogue(hello, twice, result("a"), hello), "messages[3] (user): calls are not answered: b"},
		{"not answered at the end", dialogue(hello, twice), "the conversation ends, but calls are not answered: a, b"},
		{"answers nothing", dialogue(hello, result("a")), `messages[1] (tool): tool_call_id "a": there is no such call`},
		{"answers twice", dialogue(hello, twice, result("a"), result("a")), `messages[3] (tool): the call "a" is answered already`},
		{"answers without id", dialogue(hello, twice, `{"role":"tool","content":"x"}`), "messages[2] (tool): tool_call_id is missing"},
		{"tool says nothing", dialogue(hello, twice, `{"role":"tool","tool_call_id":"a"}`), "messages[2] (tool): the content is missing"},
		{"user calls", dialogue(strings.Replace(strings.Replace(twice, "assistant", "user", 1), "null", `"x"`, 1)), "messages[0] (user): only an assistant calls tools"},
		{"user answers", dialogue(`{"role":"user","content":"x","tool_call_id":"a"}`), "messages[0] (user): tool_call_id in a message that is none of a tool"},
		{"same id", dialogue(hello, calling("a f {}", "a f {}")), `messages[1] (assistant): tool_calls[1]: a second call with the id "a"`},
		{"same id later", dialogue(hello, calling("a f {}"), result("a"), calling("a f {}"), result("a")), `messages[3] (assistant): tool_calls[0]: a second call with the id "a"`},
		{"no id", dialogue(hello, calling(" f {}")), "messages[1] (assistant): tool_calls[0]: the id is missing"},
		{"kind of call", dialogue(hello, strings.Replace(calling("a f {}"), `"function",`, `"custom",`, 1)), `messages[1] (assistant): tool_calls[0]: the type is "custom", want function`},
		{"name of call", dialogue(hello, calling("a read.file {}")), `messages[1] (assistant): tool_calls[0]: "read.file" is no name of a tool: those are 1 to 64 letters, digits, _ and -`},
		{"arguments", dialogue(hello, calling("a f {x}")), `messages[1] (assistant): tool_calls[0]: the arguments of "f" are no JSON: "{x}"`},
		{"no tools", withField(`"tools":[]`), "tools is empty; leave it out"},
		{"kind of tool", withField(`"tools":[` + strings.Replace(tool("f", object), `"function",`, `"magic",`, 1) + `]`), `tools[0]: the type is "magic", want function`},
		{"name of tool", withField(`"tools":[` + tool("my tool", object) + `]`), `tools[0]: "my tool" is no name of a tool: those are 1 to 64 letters, digits, _ and -`},
		{"two of a name", withField(`"tools":[` + tool("f", object) + "," + tool("f", object) + `]`), `tools[1]: a second tool "f"`},
		{"parameters null", withField(`"tools":[` + tool("f", "null") + `]`), `tools[0]: the parameters of "f" are no JSON Schema of an object`},
		{"parameters text", withField(`"tools":[` + tool("f", `{"type":"string"}`) + `]`), `tools[0]: the parameters of "f" are no JSON Schema of an object`},
		{"choice without tools", withField(`"tool_choice":"required"`), "tool_choice without tools"},
		{"choice of another tool", withField(`"tools":[` + tool("f", object) + `],"tool_choice":{"type":"function","function":{"name":"g"}}`), `tool_choice is {"type":"function","function":{"name":"g"}}; want none, auto, required or one of the tools`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, s := served(t, "-- reply --\nyes\n")
			w := post(s, c.body)
			assert.Equal(t, 400, w.Code)
			assert.Contains(t, w.Body.String(), `"type":"invalid_request_error"`)
			var refused *script.RefusedError
			require.ErrorAs(t, p.Check(), &refused)
			assert.Equal(t, c.reason, refused.Reason)
			post(s, c.body)
			assert.Equal(t, 1, strings.Count(p.Check().Error(), "was refused with status 400"), "one cause, one message")
			assert.Equal(t, 200, post(s, user).Code, "a refused request uses nothing")
		})
	}
}

// TestServerTakes sends what a strict provider takes.
func TestServerTakes(t *testing.T) {
	for name, body := range map[string]string{
		"calls":      dialogue(hello, calling("a f {}", "b g []"), result("b"), result("a"), hello, calling("c f 1"), result("c")),
		"says":       dialogue(`{"role":"developer","content":"x"}`, hello, `{"role":"assistant","content":"x"}`),
		"parts":      dialogue(`{"role":"user","content":[{"type":"text","text":"hello"}]}`),
		"empty text": dialogue(`{"role":"user","content":""}`),
		"tools":      withField(`"n":1,"tools":[` + tool("f", object) + `,{"type":"function","function":{"name":"g"}}],"tool_choice":{"type":"function","function":{"name":"f"}}`),
		"choice":     withField(`"tools":[` + tool("f", object) + `],"tool_choice":"required"`),
		"no choice":  withField(`"tool_choice":null`),
	} {
		p, s := served(t, "-- reply --\nyes\n")
		assert.Equal(t, 200, post(s, body).Code, name)
		assert.NoError(t, p.Check(), name)
	}
}

// TestServerLenient passes over what is odd, but for what cannot be read.
func TestServerLenient(t *testing.T) {
	p, s := served(t, "-- script --\nstrict off\n-- expect --\ncontains [robot]\ncontains [tool a]\n-- reply --\nyes\n")
	assert.Equal(t, 400, post(s, "{").Code)
	require.Error(t, p.Check())
	p, s = served(t, string(p.Script.Bytes()))
	body := `{"messages":[{"role":"robot","content":[{"type":"image_url"},{"type":"text","text":"x"}]},` + result("a") + `,` + calling("a f {x}") + `]}`
	r := httptest.NewRequest("POST", "/chat/completions", strings.NewReader(body))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	assert.Equal(t, 200, w.Code)
	require.NoError(t, p.Check())
}

// TestServerKinds sends requests that do not fit the kind of the script.
func TestServerKinds(t *testing.T) {
	p, s := served(t, "-- script --\napi text\n-- reply --\nyes\n")
	post(s, dialogue(hello, calling("a f {}"), result("a")))
	require.ErrorContains(t, p.Check(), "messages[1] is about a tool call, but the script says api text")
	assert.Equal(t, 200, post(s, dialogue(`{"role":"system","content":"a\n"}`, hello)).Code)
	assert.Equal(t, "a\nhello", p.Calls()[0].Prompt)
	assert.Equal(t, []string{"a\n", "hello"}, []string{p.Calls()[0].Prompt[:2], p.Calls()[0].Prompt[2:]})

	p, s = served(t, "-- reply --\nyes\n")
	r := httptest.NewRequest("POST", "/chat/completions", strings.NewReader(user))
	s.ServeHTTP(httptest.NewRecorder(), r)
	require.ErrorContains(t, p.Check(), `the Content-Type is "", want application/json`)
}
