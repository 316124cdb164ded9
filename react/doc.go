// Package react runs agents that act through plain text. A [Loop] asks a model
// what to do, reads one move from its reply, runs the tool, shows what came of
// it, and asks again, until the model answers or a limit is reached.
//
//	loop := react.Loop{LLM: model, Tools: list}
//	result, err := loop.Run(ctx, "which port does the server use?")
//
// What follows is the specification of the text protocol, [ActDone], complete
// enough for a second implementation. [Parse] implements it for replies.
// docs/PROTOCOL.md has the same with a grammar and an example for each rule, and
// testdata/protocol has cases to check an implementation with.
//
// # Replies
//
// A reply is thought, then one move, then nothing. The move is an act or done:
//
//	The config file should say.
//	ACT: read_file config.py
//
//	ACT: bash
//	```
//	cd src
//	go test ./...
//	```
//
//	ACT: write_file hello.py <<EOF
//	print("Hello, World!")
//	EOF
//
//	DONE: the server listens on 8080
//
// A reply is first made valid UTF-8 (U+FFFD stands for what is not), freed of a
// byte order mark at its start and of the carriage returns that end its lines.
// Blank means space, tab or no-break space (U+00A0).
//
// # Markers
//
// A marker stands at the start of a line: blanks, heading marks (#), and one of
// ** or __ or a single backtick may stand before it; then ACT or DONE in upper
// case, blanks, and a colon, ASCII or full-width (U+FF1A). Markup opened before
// the label closes before or behind the colon, or at the end of the line, as in
// "**ACT:** list docs" or "**ACT: list docs**"; an act whose markup closes in
// mid-line, as in "**ACT: bash** ls", is ambiguous. DONE alone on a line needs no
// colon, unless a marker with a colon follows that stands in no closed fence; a
// turn-end token behind it ends the reply there. All
// else is text: "act:", "1. ACT:", "> ACT:", "Assistant: ACT:", a marker in
// mid-line.
//
// # Thought
//
// The lines before the move are the thought. In it
//
//   - a reasoning block is dropped and never searched: <think> or <thinking> at
//     the start of a line, to the first closing tag that ends its line or is
//     followed by a marker. One that is never closed means that the reply has no
//     move.
//   - a closing tag that ends its line, with no opening tag and no marker with a
//     colon before it, drops everything up to it.
//   - a closed fence is passed over. If there is no move outside fences, the
//     first closed fence that holds a marker is packaging and its inside the
//     reply. With prose before that fence it may be an illustration: then an
//     act is ambiguous, unless its tool takes one line. An observation label
//     behind that fence begins invented text, in which no move is looked for.
//   - a fence that is never closed is text; an act after it is unclosed, unless
//     its tool takes one line.
//
// # Fences and here-documents
//
// A fence is a line that, after blanks, has three or more backticks or tildes,
// then an info word or nothing. It ends at the first line that is only a fence
// of the same kind, at least as long.
//
// A here-document is opened on a line by << or <<-, spaces, tabs or nothing, and a tag
// of up to 32 letters, digits and underscores, the first no digit; the tag may
// stand in quotes or behind a backslash. A <, letter, digit or underscore may
// not stand before the <<, and a blank, the line's end or one of ; | & > must
// follow the tag. The document ends at the first line that is just the tag,
// with tabs before it if <<- opened it.
//
// # Acts
//
// ACT: is followed by the name of the tool, which holds no blanks, and the rest
// of the line. The name may stand on the next line, unless that is blank, a
// fence, a label or a marker. Names match exactly, else the only tool that has
// the name without regard to case, - and _, invisible signs, a colon behind it,
// and pairs of quotes, backticks, asterisks or brackets round it. What the tool takes
// decides what else is input; an unknown tool counts as Body:
//
//   - One: the rest of the line. What follows is dropped; but where the rest is
//     empty and a fence follows, the act is ambiguous.
//   - Block: one line, which is the rest of the line or, if that is empty, the
//     next line that is not blank, with the here-documents opened on it, all of
//     it as it stands; or, if the rest is empty, the inside of one fence.
//   - Body: the rest of the line and, under it, at most one fence or, if the
//     line ends in its operator, one here-document. The input is the line
//     without the operator, then, if there is a body, a newline and the lines of
//     the body.
//
// A fence or here-document without its end makes the act unclosed. After the
// input of a Block or Body only blank lines may stand. An observation label (OBS
// or Observation in any case, a colon, markup as with markers) begins invented
// text, which is dropped to the end of the reply. Any other line makes the act
// ambiguous. So do, in the fence of an input, a line that would open another
// fence of the same kind and at least its length, and more than one info word;
// and, where the command of a Block is looked for on the lines below, one that
// looks like a marker, a label of the prompt, a reasoning tag or a turn token.
//
// Quotes, dots, brackets, indents and newlines of inputs are kept. An equal run
// of backticks round the whole of a line of input, with no such run inside, is
// packaging. The inputs of One and the first lines of Body lose the blanks at
// their ends.
//
// # Done
//
// DONE: is followed by the answer: everything to the end of the reply, without
// blank lines round it and an empty observation label at its end. It may be
// empty. Nothing after DONE can run.
//
// # Turn ends
//
// A turn-end token (<|…|> without blanks and at most 64 bytes long,
// <end_of_turn> or </s>) is dropped at the very end of the reply and at the end
// of a marker's line, of the tool's name below it and of the line of a Block
// below that, where it ends the reply. A tool's name does not end in one.
//
// # Refusals
//
// A reply in which no move can be read is refused with a [*ProtocolError] and
// nothing of it is run: [ErrNoMove], [ErrNoTool], [ErrAmbiguous],
// [ErrUnclosed]. The price of that is known: loops and continuations of a shell
// that stand outside a fence are refused once, with the cure; a file that holds
// a fence needs a longer one, or a here-document.
//
// # Prompts
//
// A prompt begins with the instructions. Task, moves and observations follow,
// each act and task with a blank line before it, and no newline at the end:
//
//	TASK: which port does the server use?
//
//	The config file should say.
//	ACT: read_file config.py
//	OBS:
//	```obs
//	DEBUG = False
//	PORT = 8080
//	```
//	NOTE: one reply is left: answer with DONE:
//
// Structure stands at column 0 and only there. A task or observation of one line
// stands behind its label, of more lines in a fence with the info word task or
// obs that is longer than any run of backticks in it. A line of a thought or an
// answer that, behind blanks and any number of "| ", could be taken for a
// marker, a label, a fence or a reasoning tag gets "| " before it; a reader
// takes one away. A refused reply stands behind REFUSED: or in a fence with the
// info word reply, shortened to 1 KiB, and its observation says what to do. So
// what is instructions, task, move and observation can be read back from the
// prompt alone.
//
// # What is not promised
//
// Parse cannot see that a reply was cut when what is left is whole: "ACT: bash
// rm -r x" may have been the beginning of a longer line. Up to the line that
// opens a fence or here-document only the Asker's [llm.TruncatedError] protects;
// from there on a cut act is unclosed. Nor can it know that a line which only
// looks like the end of a here-document was meant as its text.
//
// What a tool does with an input is the tool's business, and so is what a
// model is talked into by the text it reads.
package react
