package llmtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/actdone/actdone/llm"
)

// doubleChecks returns the rules for an Asker that answers from a list.
func doubleChecks(new func(t *testing.T, replies ...string) llm.Asker) []check {
	d := doubleTest{new}
	return []check{
		{"reply", d.reply},
		{"trace", d.trace},
		{"cancelled", d.cancelled},
		{"exhausted", d.exhausted},
		{"concurrent", d.concurrent},
	}
}

// A doubleTest tests an Asker that answers from a list.
type doubleTest struct {
	new func(t *testing.T, replies ...string) llm.Asker
}

// askTwice asks for two steps of one conversation.
func askTwice(r *report, a llm.Asker) (first, second end) {
	return r.ask(r.t.Context(), a, "go"), r.ask(r.t.Context(), a, "go\n\nand on")
}

// reply: in order, as they are, to whatever prompt.
func (d doubleTest) reply(r *report) {
	double := d.new(r.t, oddReplies()...)
	prompt := ""
	for i, reply := range oddReplies() {
		prompt += fmt.Sprintf("prompt %d\n", i)
		r.wants(r.ask(r.t.Context(), double, prompt), reply)
	}
}

func (d doubleTest) trace(r *report) {
	e := r.ask(r.t.Context(), d.new(r.t, "one two three"), "go")
	r.wants(e, "one two three")
	if heard := strings.Join(e.deltas, ""); len(e.deltas) > 0 && heard != e.reply {
		r.errorf("Trace.Delta heard %q of the reply %q", heard, e.reply)
	}
}

// cancelled: an ask whose context has ended uses nothing.
func (d doubleTest) cancelled(r *report) {
	double := d.new(r.t, "one", "two")
	ctx, cancel := context.WithCancel(r.t.Context())
	cancel()
	r.wantsEnded(r.ask(ctx, double, "go"), context.Canceled)
	first, second := askTwice(r, double)
	r.wants(first, "one")
	r.wants(second, "two")
}

// exhausted: an ask too many is an error, every time.
func (d doubleTest) exhausted(r *report) {
	double := d.new(r.t, "one", "two")
	askTwice(r, double)
	for n := 3; n <= 4; n++ {
		if e := r.ask(r.t.Context(), double, fmt.Sprint("go\n\nand on", n)); e.err == nil {
			r.errorf("ask %d of a double with 2 replies returned %q, want an error", n, e.reply)
		}
	}
}

// concurrent: a hundred asks at once get each reply once.
func (d doubleTest) concurrent(r *report) {
	var want, got []string
	for i := range 100 {
		want = append(want, fmt.Sprintf("reply %03d", i))
	}
	double := d.new(r.t, want...)
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range want {
		all.Go(func() {
			e := r.ask(r.t.Context(), double, fmt.Sprintf("ask %d.", i))
			mu.Lock()
			defer mu.Unlock()
			if got = append(got, e.reply); e.err != nil {
				r.errorf("an ask failed: %v", e.err)
			}
		})
	}
	all.Wait()
	if slices.Sort(got); !slices.Equal(got, want) {
		r.errorf("the replies are not each given once: %s", shorten(strings.Join(got, ", ")))
	}
}
