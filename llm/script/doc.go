// Package script reads, writes and plays script files: conversations with a
// model written down, with the task they belong to and what must come of it.
// [Parse] reads a script, a [Player] is the model that it describes, [Format]
// gives the file its canonical form, [Script.Bytes] writes changes back.
//
// # The format
//
// A script is a text archive (txtar, see golang.org/x/tools/txtar): a comment,
// whose first line is the title, then sections, each under a marker line.
//
//	Counts the Go files.
//
//	-- task --
//	How many Go files are here?
//	-- file a.go --
//	package a
//	-- expect --
//	contains How many Go files
//	-- reply --
//	I will look.
//	ACT: list .
//	-- reply --
//	DONE: 1
//	-- answer --
//	1
//
// A marker is "-- ", a kind, the kind's word if it has one, options written
// key=value, " --". A value with blanks is written as a Go string.
//
// Sections about the whole run, in any place, all but file and after at most
// once:
//
//   - task: what the agent is to do.
//   - file PATH: a file of the folder the agent works in. PATH is relative and
//     written with slashes, without blanks.
//   - answer: the answer the run must end with.
//   - after PATH: what a file must hold after the run.
//   - error: checks of the error the run must end with, in place of an answer.
//   - script: settings, see below.
//
// Sections of a conversation, in the order of the asks:
//
//   - lane NAME begins a conversation. Without any there is one, "main".
//   - when, right under lane: checks by which a first prompt finds its lane.
//   - prompt: the whole prompt of the next ask, as it must be.
//   - added: the lines that the next prompt adds to the one before it, as they
//     must be; the one before must be its beginning. A step has one of the two
//     or none.
//   - expect: checks of the next prompt.
//   - reply: what the model answers to it.
//   - call TOOL: a function that the model calls; the arguments as JSON. Calls
//     that follow a reply or a call belong to its message (an empty expect
//     between them makes two of it).
//   - fault KIND: what goes wrong in place of an answer.
//
// # Checks
//
// A check is a line: a verb and a text, behind a "!" if it must not hold. The
// text is the rest of the line, as it stands, or a Go string if it begins with
// " or `. A line that begins with "#" is a note.
//
//	contains TEXT   the prompt holds the text
//	match REGEXP    it matches; ^ and $ are the ends of a line
//	starts TEXT     it begins with the text
//	ends TEXT       it ends with the text
//	count N TEXT    it holds the text N times
//	tool NAME       the request offers this tool (chat requests only)
//	model NAME      the request names this model (chat requests to a server only)
//	shrinks         the prompt does not begin with the one before it
//
// # Options
//
// Of reply, and of the first call of a message that has no reply:
//
//	times=N             the same for N asks
//	delay=2s            wait before the first byte
//	gap=50ms            wait between the pieces
//	chunk=word          pieces: rune, word, line, or a number of characters
//	split=bytes         break the lines of a stream inside characters (server)
//	finish=length       the finish reason: stop, length, tool_calls, content_filter
//	in=9 out=9 cached=9 tokens of the prompt, of the reply, from the cache
//	on= model= of=      written by a recorder: date, model, [Hash] of the prompt
//
// A call may have id=NAME; without it the calls of a conversation are call_1,
// call_2 and so on. newline=no says of a file or after section that its text
// lacks the final newline, and of an added section that it begins in the last
// line of the prompt before, not on a new line.
//
// Every section that holds text may say encoding=quoted: then each of its lines
// begins with ">", so that a line may look like a marker.
//
// # Faults
//
// The text of a section is what arrives before the fault, unless said otherwise.
// Beside the error of an in-process ask stands what a server does.
//
//	status 429 retry-after=20s  [llm.StatusError]; the text is its message
//	timeout                     ends with ctx; a server never answers
//	hang after=N                ends with ctx, after N pieces
//	cut after=N                 [llm.TruncatedError]; a stream that ends without a finish reason
//	reset after=N               the same with io.ErrUnexpectedEOF; a connection that breaks
//	badjson after=N             [llm.DecodeError]; a broken piece, then the end mark
//	errframe after=N message=M  [llm.StatusError]; an error in the stream
//	empty                       [llm.ErrNoReply]; no choices
//	raw type=text/html          [llm.DecodeError]; the text is the answer's body, as it is
//	error                       an error with that text; no server can send it
//
// Without after the whole text arrives. times and chunk are as for a reply, but
// pieces that after counts are words where no chunk is said.
//
// # Settings
//
// The lines of the script section:
//
//	api text|chat           what kind of client it is for; calls imply chat. With text,
//	                        the prompt of a chat request to a server is the contents of
//	                        its messages, joined; else it is their rendering ([Render])
//	chunk word              chunk where a step says none
//	split bytes             split for every step
//	strict off              a server does not check requests
//	normalize NAME [REGEXP] replace what differs from run to run, see below
//	allow concurrent        lanes are found by their when alone
//
// # Which reply
//
// Without lanes the steps answer in order. With lanes a prompt belongs to the
// lane whose last prompt is its longest beginning; if there is none, it starts
// the first unstarted lane whose when holds. A prompt equal to a lane's last one
// is a retry if that step was a fault or did not arrive. This rests on prompts
// that only grow; a step whose prompt was cut down says so with the check
// shrinks.
//
// # What differs per run
//
// Normalizers replace text in prompts and goldens before they are compared or
// written: tempdir, uuid, time, duration, hex (12 digits or more), port, and own
// ones with a regular expression (its first group, if it has one). What is
// replaced is numbered by identity in each conversation: the first uuid is
// <uuid 1> wherever it stands, another is <uuid 2>. Only those that are listed
// run.
//
// # Text
//
// What a section holds is its lines less exactly one final newline; a file keeps
// that newline. If every line of a script ends in CRLF, it is read as LF: git
// has converted it. (In .gitattributes, *.txtar text eol=lf keeps git from it.)
//
// Mistakes that txtar would pass over are errors here, each with its file and
// line: an unknown section, option or check, one given twice, checks without a
// reply, a line that looks like a marker but is none.
package script
