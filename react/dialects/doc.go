// Package dialects holds text protocols other than ACT and DONE, for models that
// were tuned to them and for replaying runs that were recorded in them:
//
//   - [Classic], the Thought / Action / Action Input / Observation / Final Answer
//     of langchain and llama_index;
//   - [Bracket], the Thought 1: / Action 1: Search[x] / Finish[x] of the ReAct
//     paper (Yao and others, arXiv 2210.03629);
//   - [Fenced], one shell block a reply, as SWE-agent (arXiv 2405.15793) and
//     its small sibling have it.
//
// Each is a [react.Protocol], set as the Protocol of a [react.Loop]. The rules
// they share:
//
//   - The reply is a thought and then one move. The first move counts; nothing
//     after it is believed, run or shown to the model again.
//   - What is truncated, unclosed, or leaves open where its input ends is
//     refused, and nothing of it runs. So is a reply with an observation before
//     its move: the move was made on invented facts.
//   - A label stands at the start of a line: before it at most blanks, heading
//     marks or bold, then the word as written here, perhaps a number, and a colon.
//   - A move inside a fenced block is an illustration, unless the block begins on
//     the first line of the reply, which makes it packaging.
//   - Reasoning at the start of a reply, from <think> or <thinking> to the closing
//     tag, is dropped; left open, the reply has no move.
//   - In a prompt, a line of text that could be taken for structure has "| "
//     before it; the reader takes one away.
//
// A dialect's labels are everyday words, so tools print them and thoughts hold
// them more often than ACT: and DONE:. A new agent does better with the protocol
// of package react.
package dialects
