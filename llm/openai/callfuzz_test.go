package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/openai"
)

// FuzzPieces sends any pieces of calls. Whatever they are, each call of a reply
// has a name, arguments and an id of its own.
func FuzzPieces(f *testing.F) {
	f.Add(`{"index":0,"id":"a","function":{"name":"x","arguments":""}}` + "\n" + `{"index":0,"function":{"arguments":"{}"}}`)
	f.Add(`{"index":"1","id":null,"function":{"name":"x","arguments":{"a":1}}}` + "\n" + `{"id":"a","function":{"name":"y"}}`)
	f.Add("null\n7\n{}\n[]\n\"x\"\n{\"function\":7}\n{\"index\":1e300,\"function\":{\"id\":[],\"name\":{}}}")
	f.Add(`{"function":{"name":"x"}},{"function":{"name":"x","arguments":"}"}},{"id":"call00001","function":{"name":"x"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var events strings.Builder
		for line := range strings.SplitSeq(text, "\n") {
			if list := "[" + line + "]"; json.Valid([]byte(list)) && !strings.ContainsRune(line, '\r') {
				events.WriteString(delta(`"delta":{"tool_calls":` + list + `}`))
			} else {
				events.WriteString(pieces(called(fmt.Sprintf(`"index":%d`, len(line)%3), "x", line)))
			}
		}
		_, reply := chatted(t, t.Context(), func(c *openai.Client) { c.Tries = 1 }, streams(events.String(), finish("tool_calls"), end))
		ids := map[string]bool{}
		for _, call := range reply.Calls {
			assert.NotEmpty(t, strings.TrimSpace(call.Name))
			assert.NotEmpty(t, strings.TrimSpace(call.Arguments))
			assert.NotEmpty(t, call.ID)
			assert.False(t, ids[call.ID], "%q twice", call.ID)
			ids[call.ID] = true
		}
	})
}

// FuzzJoin cuts the arguments of calls into pieces, in the way of one server or
// another. Joined, they are the calls of the plain reply.
func FuzzJoin(f *testing.F) {
	for style := range byte(styles) {
		f.Add("x{}\"\\\n🙂", []byte{3, 1, 200}, style)
	}
	f.Fuzz(func(t *testing.T, text string, cuts []byte, style byte) {
		if !utf8.ValidString(text) || len(text) > 1<<10 || len(cuts) > 20 {
			return
		}
		var whole []string
		var streamed []any
		var want []llm.ToolCall
		for i := range 1 + len(cuts)%3 {
			arguments, _ := json.Marshal(map[string]string{"x": strings.Repeat(text, i)})
			call := llm.ToolCall{ID: fmt.Sprint("id", i), Name: fmt.Sprint("tool", i%2), Arguments: string(arguments)}
			want = append(want, call)
			whole = append(whole, called(`"id":"`+call.ID+`"`, call.Name, call.Arguments))
			streamed = append(streamed, cut(call, i, cuts, style%styles)...)
		}
		o, got := chatted(t, t.Context(), nil, streams(append(streamed, finish("tool_calls"), end)...))
		require.NoError(t, o.err)
		plainly, all := chatted(t, t.Context(), plain, streams(`{"choices":[{"message":{"tool_calls":[`+strings.Join(whole, ",")+`]},"finish_reason":"tool_calls"}]}`))
		require.NoError(t, plainly.err)
		assert.Equal(t, want, all.Calls)
		assert.Equal(t, want, got.Calls)
	})
}

// The ways in which servers number their calls, and say the id and the name: in
// the first piece, or in each.
const styles = 6

// cut returns a call in pieces.
func cut(call llm.ToolCall, n int, cuts []byte, style byte) (events []any) {
	id := `"id":"` + call.ID + `"`
	head := []string{
		fmt.Sprintf(`"index":%d,`, n), fmt.Sprintf(`"index":"%d",`, n+1), "", `"index":0,`, fmt.Sprintf(`"index":%d,`, n), "",
	}[style]
	first, rest := called(head+id, call.Name, ""), func(arguments string) string {
		return more(strings.TrimSuffix(head+`"type":"function"`, ","), arguments)
	}
	switch style {
	case 4:
		rest = func(arguments string) string { return called(head+id, call.Name, arguments) }
	case 5:
		rest = func(arguments string) string { return more(id, arguments) }
	}
	events = append(events, pieces(first))
	runes := []rune(call.Arguments)
	for _, c := range append(cuts, 255) {
		size := min(int(c), len(runes))
		if c == 255 {
			size = len(runes)
		}
		events = append(events, pieces(rest(string(runes[:size]))))
		runes = runes[size:]
	}
	return events
}
