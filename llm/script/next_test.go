package script

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
)

// chat makes the request that a server makes of messages.
func chat(tools []string, messages ...llm.Message) *request {
	prompt, parts := Render(messages)
	return &request{prompt: prompt, parts: parts, tools: tools, model: "m", chat: true}
}

// TestNextChat plays a script as a server does: faults, a call, a reply.
func TestNextChat(t *testing.T) {
	data, err := os.ReadFile("testdata/faults.txtar")
	require.NoError(t, err)
	s, err := Parse("faults.txtar", data)
	require.NoError(t, err)
	p := &Player{Script: s}
	user := llm.Message{Role: "user", Text: "Which file is here?"}
	r := chat([]string{"bash"}, user)
	for _, kind := range []string{"status", "cut"} {
		a, err := p.next(r)
		require.NoError(t, err)
		assert.Equal(t, kind, a.step.Fault.Kind)
	}
	assert.Equal(t, "word", (&answer{player: p, step: s.Lanes[0].Steps[1]}).chunk())
	a, err := p.next(r)
	require.NoError(t, err)
	assert.Equal(t, "call_1", a.calls[0].ID)
	assert.Equal(t, Options{In: 120, Out: 9}, a.step.Options)
	r = chat([]string{"bash"}, user, llm.Message{Role: "assistant", Calls: a.calls}, llm.Message{Role: "tool", CallID: "call_1", Text: "main.go"})
	a, err = p.next(r)
	require.NoError(t, err)
	assert.Equal(t, []string{"One ", "file: ", "main.go"}, a.pieces())
	assert.Equal(t, 4, a.ask)
	require.NoError(t, p.Check())
	assert.Equal(t, "call", p.Calls()[2].Status)
}

// TestNextAgain serves a step again that did not arrive, but not a fault.
func TestNextAgain(t *testing.T) {
	s, err := Parse("x", []byte("-- call a --\n{}\n-- fault status 500 --\n-- reply --\nb\n"))
	require.NoError(t, err)
	p := &Player{Script: s}
	first, err := p.next(chat(nil, llm.Message{Role: "user", Text: "x"}))
	require.NoError(t, err)
	retry := chat(nil, llm.Message{Role: "user", Text: "x"})
	retry.retry = true
	again, err := p.next(retry)
	require.NoError(t, err)
	assert.Same(t, first, again)
	again.undelivered()
	third, err := p.next(chat(nil, llm.Message{Role: "user", Text: "x"}))
	require.NoError(t, err)
	assert.Same(t, first, third)

	more := chat(nil, llm.Message{Role: "user", Text: "x"}, llm.Message{Role: "assistant", Calls: first.calls})
	fault, err := p.next(more)
	require.NoError(t, err)
	fault.undelivered()
	more.retry = true
	last, err := p.next(more)
	require.NoError(t, err)
	assert.Equal(t, "b", last.step.Reply.Text)
	require.NoError(t, p.Check())
}

// TestNextIDs counts calls, but passes over the IDs that the script gives.
func TestNextIDs(t *testing.T) {
	s, err := Parse("x", []byte("-- call a times=2 --\n{}\n-- expect --\n-- call b id=call_3 --\n{}\n-- call c --\n{}\n"))
	require.NoError(t, err)
	p := &Player{Script: s}
	var ids []string
	for _, text := range []string{"1", "2", "3"} {
		a, err := p.next(&request{prompt: text})
		require.NoError(t, err)
		for _, call := range a.calls {
			ids = append(ids, call.ID)
		}
	}
	assert.Equal(t, []string{"call_1", "call_2", "call_3", "call_4"}, ids)
}

// TestNextRequestChecks looks at what a request says beside its messages.
func TestNextRequestChecks(t *testing.T) {
	for _, test := range []struct {
		check string
		tools []string
		want  string
	}{
		{"tool bash", []string{"list", "bash"}, ""},
		{"! tool rm", []string{"bash"}, ""},
		{"model m", nil, ""},
		{"tool bash", []string{"list", "read"}, "the request does not offer the tool bash; it offers list, read"},
		{"tool bash", nil, "the request does not offer the tool bash; it offers none"},
		{"! tool bash", []string{"bash"}, "the request names the tool bash"},
		{"model gpt", nil, `the request names the model "m", not gpt`},
		{"contains red", nil, "the prompt does not contain \"red\""},
		{"contains a blue hat", nil, "the prompt does not contain \"a blue hat\"\n  closest is line 2, in message 1 (user):\n    a blue [-hat-]{+coat+}"},
	} {
		s, err := Parse("x", []byte("-- expect --\n"+test.check+"\n-- reply --\n"))
		require.NoError(t, err)
		p := &Player{Script: s}
		_, err = p.next(chat(test.tools, llm.Message{Role: "user", Text: "a blue coat"}))
		require.NoError(t, err)
		if test.want == "" {
			assert.NoError(t, p.Check(), test.check)
			continue
		}
		assert.EqualError(t, p.Check(), "x:2: ask 1 of lane main: "+test.want)
	}
}

// TestNextLanes finds the conversation by its messages.
func TestNextLanes(t *testing.T) {
	s, err := Parse("x", []byte("-- lane a --\n-- call t --\n{}\n-- reply --\na\n-- lane b --\n-- call t --\n{}\n-- reply --\nb\n"))
	require.NoError(t, err)
	p := &Player{Script: s}
	hi, there := llm.Message{Role: "user", Text: "hi"}, llm.Message{Role: "user", Text: "hi there"}
	one, err := p.next(chat(nil, hi))
	require.NoError(t, err)
	two, err := p.next(chat(nil, there))
	require.NoError(t, err)
	assert.NotSame(t, one.talk, two.talk)
	for _, test := range []struct {
		first llm.Message
		talk  *talk
	}{{there, two.talk}, {hi, one.talk}} {
		a, err := p.next(chat(nil, test.first, llm.Message{Role: "assistant", Calls: one.calls}, llm.Message{Role: "tool", CallID: "call_1", Text: "x"}))
		require.NoError(t, err)
		assert.Same(t, test.talk, a.talk)
	}
	require.NoError(t, p.Check())
}

// TestPartsOfDrift joins the names of parts.
func TestPartsOfDrift(t *testing.T) {
	for _, test := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{"instructions", "task"}, []string{"instructions", "task"}},
		{[]string{"act 1", "observation 1"}, []string{"step 1"}},
		{[]string{"task", "act 1", "observation 1", "refused 2", "observation 2", "act 3"}, []string{"task", "steps 1-2", "act 3"}},
		{[]string{"act 2", "observation 2", "act 4", "observation 4", "answer 5"}, []string{"step 2", "step 4", "answer 5"}},
	} {
		assert.Equal(t, test.want, joinSteps(test.names))
	}
	v := &view{request: &request{prompt: "abc", parts: []llm.Part{{Name: "x", End: 1}, {Name: "y", End: 9}}}, talk: &talk{}}
	assert.Equal(t, "y", v.partAt(2))
	assert.Equal(t, "y", v.partAt(7))
}
