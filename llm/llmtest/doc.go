// Package llmtest tests agents against scripts: what the model says is written
// down, what it must be asked is too, and nothing needs a network or luck.
//
// The whole test of an agent with a script for each file in testdata:
//
//	func TestAgent(t *testing.T) {
//		llmtest.Run(t, "testdata/*.txtar", func(t *testing.T, c *llmtest.Case) (string, error) {
//			return agent(c, c.Dir).Run(t.Context(), c.Task)
//		})
//	}
//
// [Run] takes the task from the file, writes the files of the agent's folder, and
// compares every prompt, the answer or the error, and the folder afterwards. For
// a test in code there are [Open], which plays a script file, and [Script], which
// takes the replies. Package script says what a file may hold.
//
// A script checks itself when the test ends: an ask too many, a prompt that is
// not as expected, a reply that was not used and two conversations that shared
// one sequence fail the test, each with the line of the script and the likely
// cause. Once a test has failed, replies left over are only logged.
//
// # Update and record
//
//	go test -llm.update            rewrites what prompts are expected, the answer and the files afterwards
//	go test -llm.record=REGEXP     asks the model Live and rewrites the replies too
//
// Update asks no model and changes nothing but those sections: it is for changes
// of instructions or of a tool's words. Record is for new behaviour of a model;
// the regular expression is searched for in the paths of scripts. Both write
// nothing if the test fails. LLMTEST_UPDATE=1 and LLMTEST_RECORD=REGEXP do the
// same for all packages. Where CI is set, recording is refused, and so is update
// but for LLMTEST_UPDATE=force.
//
// # Clients and wrappers
//
// [NewServer] serves a script over HTTP, for clients of OpenAI's API; in memory
// and in a [Bubble] of fake time its delays cost nothing. [TestAsker],
// [TestDouble] and [TestWrapper] hold that an [llm.Asker] keeps its contract.
//
// # Models that slip
//
// [Chaos] makes any [llm.Asker] slip as models do, from a seed: what does an
// agent do when the model talks, invents results or is cut off?
package llmtest
