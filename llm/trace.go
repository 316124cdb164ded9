package llm

import "context"

// A Trace watches what happens during an [Asker.Ask]. Each func may be nil.
// They are called one after another, and not after Ask has returned. They
// cannot change the reply. Compare net/http/httptrace.
type Trace struct {
	// Delta is called with each piece of the reply as it arrives. An Asker
	// that does not stream need not call it. Joined, the pieces since the
	// last Retry are the reply.
	Delta func(text string)

	// Reasoning is called with text that the model thought but that is not
	// part of the reply.
	Reasoning func(text string)

	// Usage is called once the server has reported the tokens of the ask.
	Usage func(Usage)

	// Retry is called when the ask is to be sent again after err, before any
	// wait. The text delivered by Delta so far is void.
	Retry func(err error)
}

// Usage is what an ask cost, in tokens, as the server reports it. Zero means
// unknown.
type Usage struct {
	Prompt int // tokens of the whole prompt, cached ones included
	Cached int // how many of them came from a cache
	Reply  int // tokens of the reply, reasoning included
}

type traceKey struct{}

// WithTrace returns a context that carries t to the Askers called with it. A
// trace already in ctx goes on watching: for each event t is called first,
// then the earlier one.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	old, _ := ctx.Value(traceKey{}).(*Trace)
	switch {
	case t == nil:
		return ctx
	case old == nil:
		return context.WithValue(ctx, traceKey{}, t)
	}
	return context.WithValue(ctx, traceKey{}, &Trace{
		Delta:     both(t.Delta, old.Delta),
		Reasoning: both(t.Reasoning, old.Reasoning),
		Usage:     both(t.Usage, old.Usage),
		Retry:     both(t.Retry, old.Retry),
	})
}

// WithoutTrace returns a context from which the traces and the parts of the
// prompt are gone. An Asker that asks other things than the prompt it was given,
// such as a judge or a whole agent, asks them with it: those who listen to the
// prompt's reply must not hear theirs.
func WithoutTrace(ctx context.Context) context.Context {
	return context.WithValue(WithParts(ctx, nil), traceKey{}, (*Trace)(nil))
}

// ContextTrace returns the trace in ctx for an Asker to report to. None of its
// funcs is nil, also where ctx holds no trace.
func ContextTrace(ctx context.Context) Trace {
	var t Trace
	if in, _ := ctx.Value(traceKey{}).(*Trace); in != nil {
		t = *in
	}
	return Trace{
		Delta:     orNothing(t.Delta),
		Reasoning: orNothing(t.Reasoning),
		Usage:     orNothing(t.Usage),
		Retry:     orNothing(t.Retry),
	}
}

func both[T any](f, g func(T)) func(T) {
	switch {
	case f == nil:
		return g
	case g == nil:
		return f
	}
	return func(v T) { f(v); g(v) }
}

func orNothing[T any](f func(T)) func(T) {
	if f == nil {
		return func(T) {}
	}
	return f
}
