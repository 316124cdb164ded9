package llmtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/script"
)

// askerChecks returns the rules for an Asker that talks HTTP.
func askerChecks(new func(t *testing.T, ep Endpoint) llm.Asker) []check {
	a := askerTest{new}
	return slices.Concat([]check{
		{"prompt", a.prompt},
		{"prompt-large", a.promptLarge},
		{"parts", a.parts},
		{"reply", a.reply},
		{"reply-split", a.replySplit},
		{"plain", a.plain},
		{"trace", a.trace},
		{"usage", a.usage},
		{"memory", a.memory},
		{"concurrent", a.concurrent},
	}, a.endChecks(), a.contextChecks(), a.retryChecks(), a.keyChecks(), a.leakChecks())
}

// oddPrompts are prompts that careless code changes.
func oddPrompts() []string {
	return []string{
		"hello",
		"  \tleading blanks",
		"trailing blanks \t ",
		"\n\nlines before\nand behind\n\n\n",
		"CR LF\r\nand CR\ralone",
		"NUL\x00 and \x01 \x1b[31m control characters \x7f",
		"quotes \" ' ` and \\ \\n \\u0041 and / and %s %d",
		"<b>&amp; </script> {{.}} ${HOME}",
		"é 中文 🙂 👩‍👩‍👧 \u202eright to left\u202c \u2028 \ufeff \U0010ffff",
		" ",
	}
}

func (a askerTest) prompt(r *report) {
	for _, prompt := range oddPrompts() {
		b := a.bench(r, "-- reply --\nfine\n", setup{})
		r.wants(b.ask(prompt), "fine")
		b.wantsPrompts(prompt)
	}
}

func (a askerTest) promptLarge(r *report) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "line %d 🙂\n", i)
	}
	b := a.bench(r, "-- reply --\nfine\n", setup{})
	r.wants(b.ask(text.String()), "fine")
	b.wantsPrompts(text.String())
}

// parts: as messages with their roles, or as one message; joined they are the
// prompt.
func (a askerTest) parts(r *report) {
	messages := []llm.Message{
		{Role: llm.System, Text: "rules \n\n"}, {Role: llm.User, Text: "TASK: go\n"},
		{Role: llm.Assistant, Text: "\nACT: look \n"}, {Role: llm.User, Text: "\nOBS: 2"},
	}
	var prompt string
	var parts []llm.Part
	for _, m := range messages {
		prompt += m.Text
		parts = append(parts, llm.Part{Role: m.Role, End: len(prompt)})
	}
	b := a.bench(r, "-- script --\napi chat\n-- reply --\nfine\n", setup{})
	r.wants(r.ask(llm.WithParts(r.t.Context(), parts), b.asker, prompt), "fine")
	apart, _ := script.Render(messages)
	whole, _ := script.Render([]llm.Message{{Role: llm.User, Text: prompt}})
	for _, got := range b.prompts() {
		if got != apart && got != whole {
			r.errorf("the messages are\n%s\nwant those of the parts, or one of the user that is the prompt:\n%s", got, apart)
		}
	}
}

// oddReplies are replies that careless code changes.
func oddReplies() []string {
	replies := []string{"fine", "fine\n", "\n\nfine\n\n\n", "  \t fine \t ", "data: fine\n\ndata: [DONE]\n"}
	return append(replies, oddPrompts()...)
}

// replies holds that each of them arrives.
func (a askerTest) replies(r *report, replies []string, how setup, options script.Options) {
	for _, reply := range replies {
		step := &script.Step{Reply: script.Section{Text: reply, New: true}, Options: options}
		how.script = &script.Script{Settings: script.Settings{API: "text"}, Lanes: []*script.Lane{{Name: "main", Steps: []*script.Step{step}}}}
		r.wants(a.bench(r, "", how).ask("go"), reply)
	}
}

func (a askerTest) reply(r *report) {
	a.replies(r, oddReplies(), setup{}, script.Options{Chunk: "word"})
}

// innerTexts are replies whose ends nobody changes.
func innerTexts() []string {
	return []string{"fine", "one\n\ntwo \n\ttabs\r\nend", "é 中文 🙂 👩‍👩‍👧 \u2028 \ufeff \U0010ffff.", "<b>&amp; \\n \"quoted\" </script>"}
}

func (a askerTest) replySplit(r *report) {
	a.replies(r, innerTexts(), setup{}, script.Options{Chunk: "rune", Split: "bytes"})
}

func (a askerTest) plain(r *report) {
	a.replies(r, innerTexts(), setup{plain: true}, script.Options{})
}

func (a askerTest) trace(r *report) {
	b := a.bench(r, "-- reply chunk=word --\none two three\n", setup{})
	e := b.ask("go")
	r.wants(e, "one two three")
	if heard := strings.Join(e.deltas, ""); len(e.deltas) > 0 && heard != e.reply {
		r.errorf("Trace.Delta heard %q of the reply %q", heard, e.reply)
	}
}

func (a askerTest) usage(r *report) {
	b := a.bench(r, "-- reply in=120 cached=100 out=9 --\nfine\n", setup{})
	e := b.ask("go")
	r.wants(e, "fine")
	if want := (llm.Usage{Prompt: 120, Cached: 100, Reply: 9}); len(e.usage) > 1 || len(e.usage) == 1 && e.usage[0] != want {
		r.errorf("Trace.Usage heard %+v, want %+v once or nothing", e.usage, want)
	}
}

// memory: what was asked before changes nothing.
func (a askerTest) memory(r *report) {
	b := a.bench(r, "-- reply --\none\n-- reply --\ntwo\n-- reply --\nthree\n", setup{})
	r.wants(b.ask("first"), "one")
	r.wants(b.ask("second"), "two")
	r.wants(b.ask("first"), "three")
	b.wantsPrompts("first", "second", "first")
}

// concurrent: a hundred asks at once, each with an answer of its own.
func (a askerTest) concurrent(r *report) {
	const asks = 100
	s := &script.Script{Settings: script.Settings{API: "text", Concurrent: true}}
	for i := range asks {
		when, err := script.ParseCheck(fmt.Sprintf("starts \"ask %d.\"", i))
		if err != nil {
			panic(err) // unreachable: it is a check
		}
		step := &script.Step{Reply: script.Section{Text: fmt.Sprintf("reply %d", i), New: true}}
		s.Lanes = append(s.Lanes, &script.Lane{Name: fmt.Sprint("lane", i), When: script.Checks{List: []script.Check{when}}, Steps: []*script.Step{step}})
	}
	b := a.bench(r, "", setup{script: s})
	var all sync.WaitGroup
	for i := range asks {
		all.Go(func() { r.wants(b.ask(fmt.Sprintf("ask %d.", i)), fmt.Sprintf("reply %d", i)) })
	}
	all.Wait()
}

// endChecks are about what is no whole reply.
func (a askerTest) endChecks() []check {
	checks := []check{
		{"no-reply", a.noReply},
		{"length", a.length},
		{"content-filter", a.contentFilter},
		{"refusal", a.refusal},
	}
	for _, f := range []struct{ name, fault, text string }{
		{"fault-status", "status 400", "no such model"},
		{"fault-cut", "cut after=2", "one two three"},
		{"fault-reset", "reset after=2", "one two three"},
		{"fault-badjson", "badjson after=2", "one two three"},
		{"fault-errframe", "errframe after=2 message=overloaded", "one two three"},
		{"fault-empty", "empty", ""},
		{"fault-raw", "raw type=text/html", "<html>Bad gateway</html>"},
	} {
		checks = append(checks, check{f.name, func(r *report) { a.fault(r, f.fault, f.text) }})
	}
	return checks
}

func (a askerTest) noReply(r *report) {
	e := a.bench(r, "-- reply times=20 --\n", setup{}).ask("go")
	if !errors.Is(e.err, llm.ErrNoReply) {
		r.errorf("a reply without text is %q, %v; want llm.ErrNoReply", e.reply, e.err)
	}
}

func (a askerTest) length(r *report) {
	e := a.bench(r, "-- reply finish=length times=20 --\nACT: rm -r\n", setup{}).ask("go")
	r.wantsError(e, &llm.TruncatedError{Text: "ACT: rm -r"})
}

func (a askerTest) contentFilter(r *report) {
	e := a.bench(r, "-- reply finish=content_filter times=20 --\nI will\n", setup{}).ask("go")
	r.wantsError(e, &llm.RefusedError{Text: "I will"})
}

func (a askerTest) refusal(r *report) {
	const events = `data: {"choices":[{"index":0,"delta":{"role":"assistant","refusal":"I cannot"},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`
	e := a.bench(r, "-- fault raw type=text/event-stream times=20 --\n"+events, setup{}).ask("go")
	r.wantsError(e, &llm.RefusedError{Text: "I cannot"})
}

// fault: the same error as of an ask in process.
func (a askerTest) fault(r *report, fault, text string) {
	body := "-- fault " + fault + " times=20 --\n"
	if text != "" {
		body += text + "\n"
	}
	_, want := (&script.Player{Script: parseText(body)}).Ask(r.t.Context(), "go")
	r.wantsError(a.bench(r, body, setup{}).ask("go"), want)
}
