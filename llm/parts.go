package llm

import "context"

// A Role says who speaks in a part of a prompt.
type Role string

// The roles of chat interfaces.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Part is a stretch of a prompt: from the End of the part before it (or the
// prompt's beginning) to its own End.
type Part struct {
	Role Role
	Name string // for messages and viewers: "instructions", "task", "act 2", "observation 2"
	End  int    // offset in bytes
}

type partsKey struct{}

// WithParts returns a context that tells an [Asker] where the parts of the
// prompt end, in order; the last one ends with the prompt. A chat client sends
// neighbours of one role as one message, so that the contents of the messages,
// joined, are the prompt, byte for byte. A plain Asker ignores parts.
//
// The caller must not change the slice's elements afterwards.
func WithParts(ctx context.Context, parts []Part) context.Context {
	return context.WithValue(ctx, partsKey{}, parts)
}

// ContextParts returns the parts in ctx, or nil. The caller must not change
// them.
func ContextParts(ctx context.Context) []Part {
	parts, _ := ctx.Value(partsKey{}).([]Part)
	return parts
}
