package react

import (
	"time"

	"github.com/actdone/actdone/tools"
)

// A Trace watches a run. Each func may be nil. They are called in the goroutine
// of the run, one after another, those for streamed text in that of the Asker.
// They cannot change the run. What differs from run to run, such as times and
// stacks, is told here and nowhere else. Compare net/http/httptrace.
//
// A Trace shared by concurrent runs must be safe for that.
type Trace struct {
	// AskStart and AskDone enclose each ask; a failed one too. Asks are
	// numbered from 1 for each task.
	AskStart func(ask int, prompt string)
	AskDone  func(ask int, reply string, err error, took time.Duration)

	// Text is called with each piece of a reply as it streams in, Retry when
	// the Asker starts over after err: the text so far is void.
	Text  func(ask int, piece string)
	Retry func(ask int, err error)

	// Stopped is called when EarlyStop has ended a reply.
	Stopped func(ask int)

	// PromptLost is called when the token counts of the server show that it
	// dropped part of the prompt without saying so, as local servers do when
	// their context is too small: prompts only grow, the count did not.
	PromptLost func(LostPrompt)

	// ActStart and ActDone enclose each call of a tool. If the call panicked,
	// panicked holds the value and the stack, else it is nil.
	ActStart func(ask int, move Move)
	ActDone  func(ask int, move Move, took time.Duration, panicked *tools.PanicError)

	// Step is called when a step is complete.
	Step func(Step)

	// End is called once at the end of the run, whatever the end, with what Run
	// returns. If the caller broke out of Steps before the end, the error says
	// so. A panic of the LLM or the caller is not an end.
	End func(Result, error)
}
