package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A chatScript answers with messages in order and keeps every request.
type chatScript struct {
	replies  []llm.Message
	errs     map[int]error // by ask, from 1
	mu       sync.Mutex
	requests []llm.ChatRequest
}

func (s *chatScript) Chat(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
	if err := ctx.Err(); err != nil {
		return llm.Message{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	n := len(s.requests)
	if n > len(s.replies) {
		return llm.Message{}, fmt.Errorf("chat script: ask %d of %d", n, len(s.replies))
	}
	return s.replies[n-1], s.errs[n]
}

func chatted(replies ...llm.Message) *chatScript { return &chatScript{replies: replies} }

func answers(text string) llm.Message { return llm.Message{Role: llm.Assistant, Text: text} }

// calls makes a message of calls, given as id, name and arguments in turn.
func calls(text string, parts ...string) llm.Message {
	m := llm.Message{Role: llm.Assistant, Text: text}
	for i := 0; i < len(parts); i += 3 {
		m.Calls = append(m.Calls, llm.ToolCall{ID: parts[i], Name: parts[i+1], Arguments: parts[i+2]})
	}
	return m
}

// callName is what the strictest servers take as the name of a tool.
var callName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// assertValid holds a conversation to what the strictest servers ask for.
func assertValid(t *testing.T, messages []llm.Message) {
	t.Helper()
	open, ids := map[string]bool{}, map[string]bool{}
	for i, m := range messages {
		switch {
		case (i == 0) != (m.Role == llm.System):
			t.Errorf("message %d: a system message stands at the beginning", i)
		case m.Role == llm.ToolResult && !open[m.CallID]:
			t.Errorf("message %d answers no open call: %q", i, m.CallID)
		case m.Role != llm.ToolResult && len(open) > 0:
			t.Errorf("calls without an answer before message %d: %v", i, open)
		}
		delete(open, m.CallID)
		for _, c := range m.Calls {
			if ids[c.ID] || !callName.MatchString(c.Name) || !json.Valid([]byte(c.Arguments)) || c.Arguments[0] != '{' {
				t.Errorf("message %d: bad call %+v", i, c)
			}
			open[c.ID], ids[c.ID] = true, true
		}
	}
	assert.Empty(t, open)
}

// assertOnlyAppended checks that each request begins with the one before it.
func assertOnlyAppended(t *testing.T, requests []llm.ChatRequest) {
	t.Helper()
	for i, r := range requests {
		assertValid(t, r.Messages)
		if i > 0 {
			before := requests[i-1].Messages
			require.Greater(t, len(r.Messages), len(before))
			assert.Equal(t, before, r.Messages[:len(before)], "request %d", i+1)
		}
	}
}

func TestNativeStepByStep(t *testing.T) {
	model := chatted(
		calls("I look.", "a1", "list", `{"input": "."}`, "a2", "bash", `"echo hi"`),
		calls("", "b1", "nope", `{}`),
		answers("42"),
	)
	var r recorder
	result, err := react.Native{LLM: model, Tools: r.tools(), MaxSteps: 3}.Run(t.Context(), "what is it?")
	require.NoError(t, err)
	assert.Equal(t, "42", result.Answer)
	assert.Equal(t, 3, result.Asks)
	assertOnlyAppended(t, model.requests)
	assert.Equal(t, `[system]
`+react.NativeRules+`
[user]
what is it?
[assistant]
I look.
[call a1 list]
{"input": "."}
[call a2 bash]
{"input":"echo hi"}
[tool a1]
list saw .
[tool a2]
bash saw echo hi
[assistant]
[call b1 nope]
{}
[tool b1]
error: unknown tool nope; tools: bash, read_file, write_file, edit_file, list, glob, grep
[user]
NOTE: one reply is left: answer and call no tool
`, llm.Render(model.requests[2].Messages))
	assert.Equal(t, []react.Step{
		{Task: "what is it?", Ask: 1, Reply: "I look.", Call: llm.ToolCall{ID: "a1", Name: "list", Arguments: `{"input": "."}`},
			Move: react.Move{Kind: react.Act, Thought: "I look.", Tool: "list", Input: "."}, Observation: "list saw ."},
		{Task: "what is it?", Ask: 1, Call: llm.ToolCall{ID: "a2", Name: "bash", Arguments: `{"input":"echo hi"}`},
			Move: react.Move{Kind: react.Act, Tool: "bash", Input: "echo hi", Lines: tools.Block}, Observation: "bash saw echo hi"},
		{Task: "what is it?", Ask: 2, Call: llm.ToolCall{ID: "b1", Name: "nope", Arguments: `{}`},
			Move:        react.Move{Kind: react.Act, Tool: "nope", Input: "{}", Lines: tools.Body},
			Observation: "error: unknown tool nope; tools: bash, read_file, write_file, edit_file, list, glob, grep",
			Note:        "one reply is left: answer and call no tool"},
		{Task: "what is it?", Ask: 3, Reply: "42", Move: react.Move{Kind: react.Done, Answer: "42"}},
	}, result.Steps)
}

func TestNativeReportsMistakesFirst(t *testing.T) {
	model := chatted(answers("x"))
	for _, c := range []struct {
		loop react.Native
		want string
	}{
		{react.Native{}, "react: Native.LLM is nil; set a model, such as an openai.Client"},
		{react.Native{LLM: model, MaxSteps: -1}, "react: Native.MaxSteps is -1; zero is the default, negative means nothing"},
		{react.Native{LLM: model, Tools: []tools.Tool{{Name: "x"}}}, `react: tool "x" has no Call`},
		{react.Native{LLM: model, Tools: []tools.Tool{say("x", ""), say("x", "")}}, `react: two tools are named "x"`},
	} {
		_, err := c.loop.Run(t.Context(), "x")
		assert.EqualError(t, err, c.want)
	}
	assert.Empty(t, model.requests)
}

var fields = tools.Tool{Name: "fields", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
	Call: func(_ context.Context, input string) (string, error) { return "got " + input, nil }}

func TestNativeArguments(t *testing.T) {
	for _, c := range []struct{ name, tool, arguments, want, stored string }{
		{"object", "fields", `{"path": "a"}`, `got {"path": "a"}`, `{"path": "a"}`},
		{"object-of-lines", "fields", "{\n \"path\": \"a\\nb\"\n}", `got {"path":"a\nb"}`, "{\n \"path\": \"a\\nb\"\n}"},
		{"words", "fields", `"a 10-40"`, "got a 10-40", `{"input":"a 10-40"}`},
		{"words-in-input", "fields", `{"input": "a 10-40"}`, "got a 10-40", `{"input": "a 10-40"}`},
		{"nothing", "fields", ``, "got {}", `{}`},
		{"null", "fields", `null`, "got {}", `{}`},
		{"list", "fields", `["a"]`, "error: bad arguments for fields: they are not what it takes; want a JSON object with the fields of its schema", `{"input":"[\"a\"]"}`},
		{"string", "echo", `"ls <a>"`, "got ls <a>", `{"input":"ls <a>"}`},
		{"input", "echo", `{"input": "ls\npwd"}`, "got ls\npwd", `{"input": "ls\npwd"}`},
		{"none", "echo", `{}`, "got ", `{}`},
		{"other-field", "echo", `{"command": "ls"}`, `error: bad arguments for echo: they are not what it takes; want {"input": "..."}`, `{"command": "ls"}`},
		{"two-fields", "echo", `{"input": "ls", "x": 1}`, `error: bad arguments for echo: they are not what it takes; want {"input": "..."}`, `{"input": "ls", "x": 1}`},
		{"number", "echo", `{"input": 1}`, `error: bad arguments for echo: they are not what it takes; want {"input": "..."}`, `{"input": 1}`},
		{"cut", "echo", `{"input": "rm -r`, `error: bad arguments for echo: they are not JSON: unexpected end of JSON input; want {"input": "..."}`, `{"input":"{\"input\": \"rm -r"}`},
		{"two-objects", "echo", `{}{}`, `error: bad arguments for echo: they are not JSON: invalid character '{' after top-level value; want {"input": "..."}`, `{"input":"{}{}"}`},
		{"invalid-utf8", "echo", "\"\xff\"", "got \ufffd", "{\"input\":\"\ufffd\"}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			echo := tools.Tool{Name: "echo", Call: fields.Call}
			model := chatted(calls("", "a", c.tool, c.arguments), answers("done"))
			result, err := react.Native{LLM: model, Tools: []tools.Tool{fields, echo}}.Run(t.Context(), "x")
			require.NoError(t, err)
			assert.Equal(t, strings.TrimSpace(c.want), strings.TrimSpace(result.Steps[0].Observation))
			assert.Equal(t, c.stored, result.Steps[0].Call.Arguments)
			assertOnlyAppended(t, model.requests)
		})
	}
}

func TestNativeNamesAndIDs(t *testing.T) {
	model := chatted(
		calls("", "a", "List", `"x"`, "a", "list", `"y"`, "", "no such\ntool", `"z"`, "", "", `"w"`),
		calls("", "a", "list", `"v"`),
		answers("done"),
	)
	result, err := react.Native{LLM: model, Tools: []tools.Tool{say("list", "seen")}}.Run(t.Context(), "x")
	require.NoError(t, err)
	var got []string
	for _, s := range result.Steps {
		got = append(got, s.Call.ID+" "+s.Call.Name+": "+s.Observation)
	}
	assert.Equal(t, []string{
		"a list: seen", "call00002 list: seen",
		`call00003 no_such_tool: error: unknown tool "no such\ntool"; tools: list`,
		"call00004 unknown: error: unknown tool ; tools: list",
		"call00005 list: seen", " : ",
	}, got)
	assertOnlyAppended(t, model.requests)
}

// Every way in which a run can end in the middle of calls leaves a conversation
// in which each call has one answer, in order, and from which it goes on.
func TestNativeEveryCallIsAnswered(t *testing.T) {
	three := calls("", "a", "one", `{}`, "b", "two", `{}`, "c", "three", `{}`)
	notRun := "error: not run: the run ended before its turn; call it again if it is still needed"
	for _, c := range []struct {
		name string
		two  func(cancel func()) (string, error)
		max  int
		end  func(err error) bool
		want []string
	}{
		{"panic", func(func()) (string, error) { panic("oh") }, 1, as[*react.LimitError],
			[]string{"1", "error: tool two panicked: oh", "3"}},
		{"error", func(func()) (string, error) { return "some", errors.New("bad") }, 1, as[*react.LimitError],
			[]string{"1", "error: bad\nsome", "3"}},
		{"fatal", func(func()) (string, error) { return "", tools.Fatal(errors.New("over")) }, 5, as[*react.ToolError],
			[]string{"1", "error: over", notRun}},
		{"cancel", func(cancel func()) (string, error) { cancel(); return "late", nil }, 5, as[*react.CancelError],
			[]string{"1", "late", notRun}},
		{"break", func(func()) (string, error) { return "stop", nil }, 5, func(err error) bool { return err == nil },
			[]string{"1", "stop", notRun}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			list := []tools.Tool{say("one", "1"), {Name: "two", Call: func(context.Context, string) (string, error) { return c.two(cancel) }}, say("three", "3")}
			var kept react.Result
			loop := react.Native{LLM: chatted(three), Tools: list, MaxSteps: c.max,
				Trace: &react.Trace{End: func(r react.Result, _ error) { kept = r }}}
			var end error
			for step, err := range loop.Steps(ctx, "x") {
				if end = err; step.Observation == "stop" {
					break
				}
			}
			assert.True(t, c.end(end), "%v", end)
			var got []string
			for _, s := range kept.Steps {
				got = append(got, s.Observation)
			}
			assert.Equal(t, c.want, got)

			model := chatted(answers("done"))
			again := react.Native{LLM: model, Tools: list, MaxSteps: 6}
			result, err := again.Run(t.Context(), "x", kept.Steps...)
			require.NoError(t, err)
			assert.Equal(t, "done", result.Answer)
			assert.Equal(t, 2, result.Asks)
			assertOnlyAppended(t, model.requests)
			assert.Len(t, model.requests[0].Messages, 6)
		})
	}
}

func TestNativeCancelSaysWhere(t *testing.T) {
	for _, c := range []struct {
		reply llm.Message
		want  string
	}{
		{calls("", "a", "stop", "{}", "b", "stop", "{}"), "step 1: context canceled"},
		{calls("", "a", "stop", "{}"), "step 2: context canceled"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancelling := tools.Tool{Name: "stop", Call: func(context.Context, string) (string, error) { cancel(); return "", nil }}
		_, err := react.Native{LLM: chatted(c.reply), Tools: []tools.Tool{cancelling}}.Run(ctx, "x")
		assert.EqualError(t, err, c.want)
	}
}

func TestNativeRefusedReplies(t *testing.T) {
	cut := &llm.TruncatedError{Text: "I will now", Reason: "length"}
	for _, c := range []struct {
		name  string
		reply llm.Message
		err   error
		want  string
		is    func(error) bool
	}{
		{"cut", llm.Message{}, cut, "error: nothing was run: the reply was cut off (length); write a shorter reply", found[*llm.TruncatedError]},
		{"cut-call", calls("", "a", "rm", `{"input": "-r x"}`), cut, "error: nothing was run: the reply was cut off (length); write a shorter reply", found[*llm.TruncatedError]},
		{"empty", answers(" \n"), nil, "error: nothing was run: the reply was empty; call a tool, or reply with the answer", func(err error) bool { return errors.Is(err, llm.ErrNoReply) }},
		{"no-reply", llm.Message{}, llm.ErrNoReply, "error: nothing was run: the reply was empty; call a tool, or reply with the answer", func(err error) bool { return errors.Is(err, llm.ErrNoReply) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ran := tools.Tool{Name: "rm", Call: func(context.Context, string) (string, error) { t.Error("was run"); return "", nil }}
			play := func(retries int) (*chatScript, react.Result, error) {
				model := &chatScript{replies: []llm.Message{c.reply, answers("done")}, errs: map[int]error{1: c.err}}
				result, err := react.Native{LLM: model, Tools: []tools.Tool{ran}, Retries: retries}.Run(t.Context(), "x")
				return model, result, err
			}
			model, result, err := play(1)
			require.NoError(t, err)
			assert.Equal(t, "done", result.Answer)
			assertOnlyAppended(t, model.requests)
			last := model.requests[1].Messages
			assert.Equal(t, llm.Message{Role: llm.User, Text: c.want}, last[len(last)-1])

			_, result, err = play(0)
			assert.True(t, as[*react.ProtocolError](err) && c.is(err), "%v", err)
			assert.Len(t, result.Steps, 1)
		})
	}
	refusal := &chatScript{replies: []llm.Message{{}}, errs: map[int]error{1: &llm.RefusedError{Reason: "content_filter"}}}
	_, err := react.Native{LLM: refusal, Retries: 3}.Run(t.Context(), "x")
	assert.True(t, as[*react.AskError](err) && found[*llm.RefusedError](err), "%v", err)
}

// found reports whether err is or wraps a T.
func found[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func TestNativeLimits(t *testing.T) {
	again := func() *chatScript {
		var replies []llm.Message
		for range 5 {
			replies = append(replies, calls("", "a", "list", `"x"`, "b", "list", `"y"`))
		}
		return chatted(replies...)
	}
	list := []tools.Tool{say("list", strings.Repeat("long ", 100))}
	model := again()
	result, err := react.Native{LLM: model, Tools: list, MaxSteps: 3}.Run(t.Context(), "x")
	assert.ErrorIs(t, err, react.ErrStepLimit)
	assert.Len(t, result.Steps, 6)
	assert.Equal(t, 3, result.Asks)
	assert.Equal(t, "one reply is left: answer and call no tool", result.Steps[3].Note)
	assert.Empty(t, result.Steps[2].Note)

	model = again()
	_, err = react.Native{LLM: model, Tools: list, MaxPrompt: 2000}.Run(t.Context(), "x")
	assert.ErrorIs(t, err, react.ErrPromptLimit)
	assert.Len(t, model.requests, 2)

	result, err = react.Native{LLM: again(), Tools: list, MaxSteps: 1, MaxObservation: 100}.Run(t.Context(), "x")
	assert.ErrorIs(t, err, react.ErrStepLimit)
	assert.Contains(t, result.Steps[0].Observation, "bytes are missing here]")
}

// Law 2 holds for conversations too.
func TestNativeLinear(t *testing.T) {
	bytes := func(n int) uint64 {
		asked := 0
		loop := react.Native{Tools: []tools.Tool{say("list", strings.Repeat("x", 1<<10))}, MaxSteps: n + 1}
		loop.LLM = llm.ChatFunc(func(context.Context, llm.ChatRequest) (llm.Message, error) {
			if asked++; asked > n {
				return answers("x"), nil
			}
			return calls("", "", "list", fmt.Sprintf(`{"input":"%d"}`, asked)), nil
		})
		return allocated(func() {
			_, err := loop.Run(t.Context(), "t")
			require.NoError(t, err)
		})
	}
	short, long := bytes(200), bytes(1600)
	t.Logf("200 acts allocate %d KiB, 1600 acts %d KiB", short>>10, long>>10)
	assert.Less(t, float64(long)/float64(short), 12.0, "eight times the acts should cost about eight times the bytes")
}

// One Native runs many tasks at once, and the same task gives the same
// conversation and the same steps, also as JSON.
func TestNativeIsConfiguration(t *testing.T) {
	scripts := func() *chatScript {
		return chatted(calls("think", "a", "list", `"x"`), calls("", "", "nope", "{"), answers("done"))
	}
	want := scripts()
	first, err := react.Native{LLM: want, Tools: []tools.Tool{say("list", "seen")}}.Run(t.Context(), "x")
	require.NoError(t, err)
	data, err := json.Marshal(first)
	require.NoError(t, err)
	var back react.Result
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, first, back)

	var each sync.Map
	loop := react.Native{Tools: []tools.Tool{say("list", "seen")}, LLM: llm.ChatFunc(func(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
		model, _ := each.LoadOrStore(r.Messages[1].Text, scripts())
		return model.(*chatScript).Chat(ctx, r)
	})}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			result, err := loop.Run(t.Context(), fmt.Sprint(i))
			assert.NoError(t, err)
			assert.Equal(t, len(first.Steps), len(result.Steps))
		})
	}
	wg.Wait()
}

// What a reply thought goes back with it, and out of the rendering.
func TestNativeReasoning(t *testing.T) {
	reply := calls("", "a", "list", `{}`)
	reply.Reasoning = "hm"
	model := chatted(reply, answers("done"))
	list := []tools.Tool{say("list", "seen")}
	result, err := react.Native{LLM: model, Tools: list}.Run(t.Context(), "x")
	require.NoError(t, err)
	assert.Equal(t, "hm", model.requests[1].Messages[2].Reasoning)
	again := chatted(answers("more"))
	_, err = react.Native{LLM: again, Tools: list}.Run(t.Context(), "y", result.Steps...)
	require.NoError(t, err)
	assert.Equal(t, "hm", again.requests[0].Messages[2].Reasoning)
}

// Reasoning that a server leaves in the text is not the answer.
func TestNativeReasoningInText(t *testing.T) {
	called := calls("\n<think>\nhm\n</think>\n\nI look.", "a", "list", `{}`)
	model := chatted(called, answers("<thinking>so</thinking>42"))
	result, err := react.Native{LLM: model, Tools: []tools.Tool{say("list", "seen")}}.Run(t.Context(), "x")
	require.NoError(t, err)
	assert.Equal(t, "42", result.Answer)
	assert.Equal(t, "I look.", result.Steps[0].Move.Thought)
	assert.Equal(t, "hm", result.Steps[0].Reasoning)
	assert.Equal(t, "so", result.Steps[1].Reasoning)
	_, err = react.Native{LLM: chatted(answers("<think>and so on"))}.Run(t.Context(), "x")
	assert.ErrorIs(t, err, llm.ErrNoReply)
}

func TestNativeTrace(t *testing.T) {
	var seen []string
	add := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	trace := &react.Trace{
		AskStart: func(n int, prompt string) { add("ask %d %t", n, strings.HasPrefix(prompt, "[system]\n")) },
		Text:     func(n int, piece string) { add("text %d %s", n, piece) },
		ActStart: func(n int, m react.Move) { add("act %d %s", n, m.Input) },
		Step:     func(s react.Step) { add("step %d %s", s.Ask, s.Observation+s.Move.Answer) },
		End:      func(r react.Result, err error) { add("end %s %v", r.Answer, err) },
	}
	script := chatted(calls("look", "a", "list", `"x"`), answers("done"))
	model := llm.ChatFunc(func(ctx context.Context, r llm.ChatRequest) (llm.Message, error) {
		m, err := script.Chat(ctx, r)
		llm.ContextTrace(ctx).Delta(m.Text)
		return m, err
	})
	_, err := react.Native{LLM: model, Tools: []tools.Tool{say("list", "seen")}, Trace: trace}.Run(t.Context(), "x")
	require.NoError(t, err)
	assert.Equal(t, []string{"ask 1 true", "text 1 look", "act 1 x", "step 1 seen", "ask 2 true", "text 2 done", "step 2 done", "end done <nil>"}, seen)
}
