package script_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// asks asks a player for each prompt in turn and returns the replies; an error
// stands in the place of one.
func asks(t *testing.T, p *script.Player, prompts ...string) []string {
	t.Helper()
	var replies []string
	for _, prompt := range prompts {
		reply, err := p.Ask(t.Context(), prompt)
		if err != nil {
			reply = err.Error()
		}
		replies = append(replies, reply)
	}
	return replies
}

func player(t testing.TB, text string) *script.Player {
	t.Helper()
	return &script.Player{Script: parse(t, text)}
}

func TestPlayerInOrder(t *testing.T) {
	p := &script.Player{Script: open(t, "count")}
	prompt1 := "Instructions\n\nTASK: How many Go files are here?"
	prompt2 := prompt1 + "\n\nI will look.\nACT: rm -rf .\nOBS: error: unknown tool rm; tools: bash"
	prompt3 := prompt2 + "\n\nACT: bash ls *.go | wc -l\nOBS: 2"
	assert.Equal(t, []string{"I will look.\nACT: rm -rf .", "ACT: bash ls *.go | wc -l", "DONE: 2"}, asks(t, p, prompt1, prompt2, prompt3))
	require.NoError(t, p.Check())
	calls := p.Calls()
	require.Len(t, calls, 3)
	assert.Equal(t, script.Call{Lane: "main", Ask: 2, At: "count.txtar:20", Prompt: prompt2, Added: prompt2[len(prompt1):],
		Hash: script.Hash(prompt2), Status: "reply"}, calls[1])
}

func TestPlayerLeftOver(t *testing.T) {
	p := player(t, "-- reply times=2 --\na\n-- fault status 429 --\n-- call t --\n{}\n-- reply --\nDONE: b\n")
	require.EqualError(t, p.Check(), `scripted: 5 of 5 replies were not used, from reply 1 (x.txtar:1) on: "a"; the run ended earlier than scripted`)
	asks(t, p, "1")
	var left *llm.UnusedRepliesError
	require.ErrorAs(t, p.Check(), &left)
	assert.Equal(t, &llm.UnusedRepliesError{Of: 5, Replies: []string{"a", "fault status 429", "call t {}", "DONE: b"},
		At: []string{"x.txtar:1", "x.txtar:3", "x.txtar:4", "x.txtar:6"}}, left)
}

func TestPlayerUnexpected(t *testing.T) {
	p := player(t, "-- reply times=2 --\nACT: a\n")
	replies := asks(t, p, "1", "12", "123")
	assert.Equal(t, []string{"ACT: a", "ACT: a"}, replies[:2])
	want := "scripted: ask 3 has no reply (x.txtar:1)\nreplies: 2, all used\nadded since the last ask: \"3\"\nhint: the last reply is an act; end the script with DONE:"
	assert.Equal(t, want, replies[2])
	require.EqualError(t, p.Check(), want)
	var dry *llm.UnexpectedAskError
	require.ErrorAs(t, p.Check(), &dry)
	assert.Equal(t, "unexpected", p.Calls()[2].Status)
}

func TestPlayerShared(t *testing.T) {
	const script = "-- reply --\nACT: a\n-- reply --\nACT: b\n-- reply --\nACT: c\n-- reply --\nDONE: d\n"
	p := player(t, script)
	asks(t, p, "a", "b", "a1")
	var shared *llm.ConcurrentAskError
	require.ErrorAs(t, p.Check(), &shared)
	assert.Equal(t, 3, shared.Ask)
	var left *llm.UnusedRepliesError
	assert.NotErrorAs(t, p.Check(), &left)

	p = player(t, "-- script --\nallow concurrent\n"+script)
	asks(t, p, "a", "b", "a1", "b1")
	require.NoError(t, p.Check())
}

func TestPlayerCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := player(t, "-- reply --\na\n")
	_, err := p.Ask(ctx, "x")
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, p.Calls())
	assert.Equal(t, []string{"a"}, asks(t, p, "x"))
}

// TestPlayerAgain asks again for an answer that did not arrive.
func TestPlayerAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := player(t, "-- reply delay=10s --\na\n-- reply --\nb\n")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := p.Ask(ctx, "x")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, []string{"a", "b"}, asks(t, p, "x", "xy"))
		require.NoError(t, p.Check())
		calls := p.Calls()
		assert.Equal(t, []bool{false, true, false}, []bool{calls[0].Again, calls[1].Again, calls[2].Again})
	})
}

// TestPlayerTime plays delays, pieces and tokens.
func TestPlayerTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := player(t, "-- script --\nchunk word\n-- reply delay=2m gap=1s in=5 out=3 cached=2 --\none  two three\n-- reply chunk=2 --\nåbc\n-- reply chunk=line --\na\nb\n-- reply chunk=rune --\nå\xffb\n-- reply --\n  x \n")
		var pieces []string
		var usage []llm.Usage
		ctx := llm.WithTrace(t.Context(), &llm.Trace{
			Delta: func(piece string) { pieces = append(pieces, piece) },
			Usage: func(u llm.Usage) { usage = append(usage, u) },
		})
		for i, want := range [][]string{{"one  ", "two ", "three"}, {"åb", "c"}, {"a\n", "b"}, {"å", "\xff", "b"}, {"  x "}} {
			pieces = nil
			start := time.Now()
			reply, err := p.Ask(ctx, strings.Repeat("x", i+1))
			require.NoError(t, err)
			assert.Equal(t, want, pieces)
			assert.Equal(t, strings.Join(want, ""), reply)
			if i == 0 {
				assert.Equal(t, 2*time.Minute+2*time.Second, time.Since(start))
			}
		}
		assert.Equal(t, []llm.Usage{{Prompt: 5, Reply: 3, Cached: 2}}, usage)
		require.NoError(t, p.Check())
	})
}

func TestPlayerFaults(t *testing.T) {
	for _, test := range []struct {
		section string
		want    error
		pieces  string
	}{
		{"fault status 429 retry-after=20s --\nwait", &llm.StatusError{Code: 429, Message: "wait", RetryAfter: 20 * time.Second}, ""},
		{"fault status 503 --", &llm.StatusError{Code: 503, Message: "Service Unavailable"}, ""},
		{"fault timeout --", context.DeadlineExceeded, ""},
		{"fault hang after=1 --\none two", context.DeadlineExceeded, "one "},
		{"fault cut after=2 --\none two three", &llm.TruncatedError{Text: "one two ", Reason: "stream ended without a finish reason"}, "one two "},
		{"fault cut --\none two", &llm.TruncatedError{Text: "one two", Reason: "stream ended without a finish reason"}, "one two"},
		{"fault cut after=0 --\none two", &llm.TruncatedError{Reason: "stream ended without a finish reason"}, ""},
		{"fault cut after=9 chunk=rune --\none", &llm.TruncatedError{Text: "one", Reason: "stream ended without a finish reason"}, "one"},
		{"fault reset after=1 --\none two", &llm.TruncatedError{Text: "one ", Reason: "connection broke", Err: io.ErrUnexpectedEOF}, "one "},
		{"fault badjson after=1 --\none two", &llm.DecodeError{Code: 200, Body: `{"choices":[{"del`}, "one "},
		{"fault errframe after=1 message=overloaded --\none two", &llm.StatusError{Message: "overloaded"}, "one "},
		{"fault errframe --", &llm.StatusError{Message: "the server had an error"}, ""},
		{"fault empty --", llm.ErrNoReply, ""},
		{"fault raw type=text/html --\n<p>", &llm.DecodeError{Code: 200, Body: "<p>"}, ""},
		{"fault error --\nno route", errors.New("no route"), ""},
		{"reply finish=length --\none", &llm.TruncatedError{Text: "one", Reason: "length"}, "one"},
		{"reply finish=content_filter --\none", &llm.RefusedError{Text: "one", Reason: "content_filter"}, "one"},
		{"reply --", llm.ErrNoReply, ""},
	} {
		t.Run(strings.TrimSpace(test.section), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := player(t, "-- "+test.section+"\n-- reply finish=stop --\nDONE: x\n")
				pieces := ""
				ctx, cancel := context.WithTimeout(llm.WithTrace(t.Context(), &llm.Trace{Delta: func(s string) { pieces += s }}), time.Hour)
				defer cancel()
				reply, err := p.Ask(ctx, "p")
				assert.Empty(t, reply)
				assert.Equal(t, test.want, err)
				assert.Equal(t, test.pieces, pieces)
				assert.Equal(t, []string{"DONE: x"}, asks(t, p, "p"))
				require.NoError(t, p.Check())
			})
		})
	}
}

func TestPlayerCall(t *testing.T) {
	p := player(t, "-- call bash --\n{}\n")
	const want = "x.txtar:1: this step calls a function, but the ask is one of plain text; the script is for chat: serve it, or write the act as a reply"
	assert.Equal(t, []string{want}, asks(t, p, "p"))
	require.EqualError(t, p.Check(), want)
}

func TestPlayerStale(t *testing.T) {
	p := player(t, "-- prompt --\none\n-- reply of="+script.Hash("one")+" --\na\n-- added --\ntwo\n-- reply of="+script.Hash("one\ntwo")+" --\nb\n-- added newline=no --\nthree\n-- reply of=00000000 --\nc\n-- reply of=00000000 --\nd\n")
	assert.Equal(t, []string{"x.txtar:11"}, p.Script.Stale())
	asks(t, p, "one", "one\ntwo", "one\ntwothree", "one\ntwothree four")
	require.NoError(t, p.Check())
	var stale []string
	for _, call := range p.Calls() {
		if call.Stale {
			stale = append(stale, call.At)
		}
	}
	assert.Equal(t, []string{"x.txtar:11", "x.txtar:13"}, stale)
}

func TestPlayerRewrite(t *testing.T) {
	const text = "-- script --\nnormalize uuid\n-- prompt --\nold\n-- reply --\na\n-- reply --\nb\n-- added --\nold\n-- reply --\nc\n-- reply times=2 --\nd\n-- expect --\nshrinks\n-- reply --\ne\n"
	const id = "01234567-89ab-cdef-0123-456789abcdef"
	prompts := []string{"p " + id, "p " + id + "\nq", "p " + id + "\nq\nr " + strings.ToUpper(id), "p " + id + "\nq\nr " + strings.ToUpper(id) + "s", "p " + id + "\nq\nr " + strings.ToUpper(id) + "st", "short"}
	for all, want := range map[bool]string{
		false: "-- script --\nnormalize uuid\n-- prompt --\np <uuid 1>\n-- reply --\na\n-- reply --\nb\n-- added --\nr <uuid 2>\n-- reply --\nc\n-- reply times=2 --\nd\n-- expect --\nshrinks\n-- reply --\ne\n",
		true:  "-- script --\nnormalize uuid\n-- prompt --\np <uuid 1>\n-- reply --\na\n-- added --\nq\n-- reply --\nb\n-- added --\nr <uuid 2>\n-- reply --\nc\n-- reply times=2 --\nd\n-- prompt --\nshort\n-- expect --\nshrinks\n-- reply --\ne\n",
	} {
		p := player(t, text)
		p.Update = true
		asks(t, p, prompts...)
		require.NoError(t, p.Check())
		p.Rewrite(all)
		assert.Equal(t, want, string(p.Script.Bytes()))

		p = player(t, want)
		asks(t, p, prompts...)
		require.NoError(t, p.Check())
	}
}
