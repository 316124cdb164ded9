// Package llm defines how an agent asks a model, and doubles to test agents
// without one.
//
// The contract is [Asker]: a prompt in, a reply out. [ScriptedLLM] is the
// double: it answers from a list and keeps every prompt it was asked.
// The package imports the standard library only.
//
// What an Asker learns beside the reply (text as it streams in, token usage,
// reasoning) travels to those who want to watch in the context: see
// [WithTrace]. Where the parts of a prompt end travels the other way: see
// [WithParts].
package llm

import "context"

// An Asker sends one prompt to a language model and returns its reply.
//
// Rules for implementers:
//
//   - The prompt is sent as it is: nothing trimmed, added or cut.
//   - The reply is returned as the model wrote it, whole. A reply that was cut
//     (token limit, stream that ended early) is a [*TruncatedError] holding
//     the text, never a success. A reply without any text is [ErrNoReply].
//   - Other failures use the types of this package where they fit:
//     [*StatusError], [*ConnectionError], [*DecodeError], [*RefusedError]. No
//     error text holds a key.
//   - When ctx ends, Ask returns soon, with an error for which
//     errors.Is(err, ctx.Err()) holds.
//   - Text given to [Trace].Delta is the reply's. Before the reply is asked for
//     again, Trace.Retry says so. Who asks other things on the way hides the
//     trace from them: [WithoutTrace].
//   - Ask may be called by many goroutines at once.
//   - Ask keeps no memory of earlier prompts that would change its replies
//     (doubles excepted).
//
// The double is [ScriptedLLM].
type Asker interface {
	Ask(ctx context.Context, prompt string) (reply string, err error)
}

// AskFunc makes an [Asker] of a func.
type AskFunc func(ctx context.Context, prompt string) (string, error)

// Ask calls f.
func (f AskFunc) Ask(ctx context.Context, prompt string) (string, error) { return f(ctx, prompt) }

// Fixed returns a double that answers every prompt with the same reply, for
// tests of code that asks once and does not care how often. To see the
// prompts, use [ScriptedLLM].
func Fixed(reply string) Asker {
	return AskFunc(func(ctx context.Context, _ string) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return reply, nil
	})
}
