package script_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm/script"
)

const wayOut = `encoding=quoted and begin each of its lines with ">"`

func misspelt(line int, text, head string) string {
	return fmt.Sprintf(`x:%d: %q looks like the marker of a section but is none; write "-- %s --" from the start of the line to its end, or, if it is text, give its section %s`, line, text, head, wayOut)
}

func TestParseMistakes(t *testing.T) {
	const reply = "-- reply --\nDONE: a\n"
	const known = "there are task, file PATH, answer, after PATH, error, script, lane NAME, when, prompt, added, expect, reply, call TOOL, fault KIND; if it is text, give its section " + wayOut
	const stepOptions = "in, out, cached, delay, gap, chunk, split, finish, times, encoding, on, model, of"
	for _, test := range []struct{ name, text, want string }{
		// Sections.
		{"empty", "", `x:1: no replies; write each under a line "-- reply --"`},
		{"no-replies", "Title\n-- task --\ngo\n", `x:1: no replies; write each under a line "-- reply --"`},
		{"unknown", "Title\n\n-- replies --\n" + reply, `x:3: unknown section "replies"; ` + known},
		{"case", reply + "-- Reply --\n", `x:3: unknown section "Reply"; ` + known},
		{"word", "-- answer yes --\n" + reply, `x:1: section "answer" takes options key=value behind that, got "yes"; there are encoding`},
		{"word-none", "-- script yes --\n" + reply, `x:1: section "script" takes nothing behind that, got "yes"; write "-- script --"`},
		{"odd-word", "-- lane a\x01b --\n" + reply, `x:1: "a\x01b"; want characters that can be seen, no quotes`},
		{"two-tasks", "-- task --\na\n-- task --\nb\n" + reply, `x:3: a second task; the first is in line 1`},
		{"empty-task", "-- task --\n\n" + reply, `x:1: the task is empty; write under its marker what the agent is to do`},
		{"two-answers", "-- answer --\n-- answer --\n" + reply, `x:2: a second answer; the first is in line 1`},
		{"two-errors", "-- error --\n-- error --\n" + reply, `x:2: a second error; the first is in line 1`},
		{"answer-error", "-- answer --\n-- error --\n" + reply, `x:2: an answer and an error; a run ends in one of them`},
		{"two-scripts", "-- script --\n-- script --\n" + reply, `x:2: a second script section; the first is in line 1`},
		// Files.
		{"no-path", "-- file --\n" + reply, `x:1: section "file" lacks a word; write "-- file PATH --"`},
		{"two-paths", "-- file a b --\n" + reply, `x:1: section "file" takes options key=value behind that, got "b"; there are newline, encoding`},
		{"path-out", "-- file ../a --\n" + reply, `x:1: path "../a"; want a relative one with slashes, inside the folder`},
		{"path-absolute", "-- file /a --\n" + reply, `x:1: path "/a"; want a relative one with slashes, inside the folder`},
		{"path-windows", "-- file a\\b --\n" + reply, `x:1: path "a\\b"; want a relative one with slashes, inside the folder`},
		{"path-folder", "-- after . --\n" + reply, `x:1: path "."; want a relative one with slashes, inside the folder`},
		{"path-twice", "-- file a --\n\n-- file a --\n" + reply, `x:3: file a is in line 1 too`},
		{"path-under", "-- file a --\n-- file a/b --\n" + reply, `x:2: file a/b cannot be beside a in line 1: one of them would be a file and a folder`},
		{"path-over", "-- after a/b --\n-- after a --\n" + reply, `x:2: after a cannot be beside a/b in line 1: one of them would be a file and a folder`},
		{"newline", "-- file a newline=yes --\n" + reply, `x:1: newline "yes"; there is no`},
		// Markers.
		{"mixed-ends", "-- task --\nx\n-- reply --\r\nDONE: a\r\n", `x:3: the line ends in CRLF, but not all lines do; make all line ends alike`},
		{"no-blanks", reply + "--reply--\n", misspelt(3, "--reply--", "reply")},
		{"half", reply + "-- reply\n", misspelt(3, "-- reply", "reply")},
		{"front", reply + "reply --\n", misspelt(3, "reply --", "reply")},
		{"one-blank", reply + "-- reply--\n", misspelt(3, "-- reply--", "reply")},
		{"three-dashes", reply + "--- answer ---\n", misspelt(3, "--- answer ---", "answer")},
		{"indented", "Title\n  -- task --\n" + reply, misspelt(2, "  -- task --", "task")},
		{"trailing-blank", reply + "-- answer -- \n", misspelt(3, "-- answer -- ", "answer")},
		{"upper", reply + "--Added--\n", misspelt(3, "--Added--", "added")},
		{"file-half", "--file a.go\n" + reply, misspelt(1, "--file a.go", "file a.go")},
		{"in-comment", "--reply--\n" + reply, misspelt(1, "--reply--", "reply")},
		{"option-half", reply + "--reply times=2--\n", misspelt(3, "--reply times=2--", "reply times=2")},
		{"fault-half", reply + "-- fault status 429 retry-after=2s\n", misspelt(3, "-- fault status 429 retry-after=2s", "fault status 429 retry-after=2s")},
		{"call-half", reply + "--call bash id=a --\n", misspelt(3, "--call bash id=a --", "call bash id=a")},
		// Options.
		{"unknown-option", "-- reply speed=2 --\n", `x:1: unknown option "speed"; section "reply" has ` + stepOptions},
		{"no-options", "-- expect a=b --\n" + reply, `x:1: unknown option "a"; section "expect" has none`},
		{"option-twice", "-- reply in=1 in=2 --\n", `x:1: option in twice; write it once`},
		{"option-no-value", "-- reply fast --\n", `x:1: section "reply" takes options key=value behind that, got "fast"; there are ` + stepOptions},
		{"bad-quote", "-- reply model=\"a --\n", `x:1: the value of model begins with a quote but is no Go string; quote it as Go does`},
		{"bad-quote-end", "-- reply model=\"a\"b --\n", `x:1: the value of model begins with a quote but is no Go string; quote it as Go does`},
		{"times", "-- reply times=0 --\n", `x:1: times=0; want a whole number, 1 or more`},
		{"in", "-- reply in=-1 --\n", `x:1: in=-1; want a whole number, 0 or more`},
		{"out", "-- reply out=x --\n", `x:1: out=x; want a whole number, 0 or more`},
		{"cached", "-- reply cached=1e3 --\n", `x:1: cached=1e3; want a whole number, 0 or more`},
		{"delay", "-- reply delay=2 --\n", `x:1: delay=2; want a time such as 2s or 50ms`},
		{"gap", "-- reply gap=-2s --\n", `x:1: gap=-2s; want a time such as 2s or 50ms`},
		{"chunk", "-- reply chunk=0 --\n", `x:1: chunk "0"; there are rune, word, line, and a number of characters`},
		{"split", "-- reply split=runes --\n", `x:1: split "runes"; there is bytes`},
		{"finish", "-- reply finish=end --\n", `x:1: finish "end"; there is stop, length, tool_calls, content_filter`},
		{"finish-calls", "-- reply finish=tool_calls --\n", `x:1: finish=tool_calls without a call; add one with -- call TOOL --`},
		{"on", "-- reply on=yesterday --\n", `x:1: on=yesterday; want a date such as 2026-11-29`},
		{"model", "-- reply model= --\n", `x:1: model= is empty; name the model or leave it out`},
		{"of", "-- reply of=XYZ --\n", `x:1: of=XYZ; want the 8 hex digits that a recorder writes`},
		{"encoding", "-- reply encoding=base64 --\n", `x:1: encoding "base64"; there is quoted`},
		{"quoted", "-- reply encoding=quoted --\n>a\nb\n", `x:3: a line without ">" in a section with encoding=quoted; begin each of its lines with ">"`},
		// Conversations.
		{"checks-alone", reply + "-- expect --\ncontains a\n", `x:3: checks with no reply after them; write the reply, call or fault that they are for`},
		{"golden-alone", reply + "-- added --\na\n", `x:3: checks with no reply after them; write the reply, call or fault that they are for`},
		{"checks-before-lane", "-- lane a --\n" + reply + "-- expect --\n-- lane b --\n" + reply, `x:4: checks with no reply after them; write the reply, call or fault that they are for`},
		{"two-expects", "-- expect --\n-- expect --\n" + reply, `x:2: a second expect before the same reply; the first is in line 1: write the checks into one`},
		{"two-prompts", "-- prompt --\n-- prompt --\n" + reply, `x:2: prompt or added before the same reply is in line 1 already; one of them is enough`},
		{"prompt-added", reply + "-- prompt --\n-- added --\n" + reply, `x:4: prompt or added before the same reply is in line 3 already; one of them is enough`},
		{"first-added", "-- added --\na\n" + reply, `x:1: added before the first reply of a conversation: there is nothing it could be added to; make it prompt`},
		{"first-shrinks", "-- expect --\nshrinks\n" + reply, `x:1: shrinks before the first reply of a conversation: there is nothing it could be shorter than`},
		{"shrinks-added", reply + "-- added --\n-- expect --\nshrinks\n" + reply, `x:3: added of a prompt that shrinks (line 4): it is not added to the one before; make it prompt`},
		{"times-golden", "-- prompt --\n-- reply times=2 --\n", `x:2: times=2 with a prompt or added (line 1): the asks differ; write a step for each`},
		{"when-alone", "-- when --\ncontains a\n" + reply, `x:1: when is not under a lane; write "-- lane NAME --" before it`},
		{"when-late", "-- lane a --\n" + reply + "-- when --\ncontains a\n", `x:4: when is about the first prompt of lane a; write it right under the lane's marker`},
		{"when-after-expect", "-- lane a --\n-- expect --\n-- when --\ncontains a\n" + reply, `x:3: when is about the first prompt of lane a; write it right under the lane's marker`},
		{"two-whens", "-- lane a --\n-- when --\ncontains a\n-- when --\n" + reply, `x:4: a second when of lane a; the first is in line 2`},
		{"when-empty", "-- lane a --\n-- when --\n# soon\n" + reply, `x:2: when without a check; write one, or leave it out: a lane without when takes any conversation`},
		{"two-lanes", "-- lane a --\n" + reply + "-- lane a --\n" + reply, `x:4: a second lane a; the first is in line 1`},
		{"lane-empty", "-- lane a --\n-- lane b --\n" + reply, `x:1: lane a has no replies; write what it answers, or leave it out`},
		{"lane-text", "-- lane a --\nhello\n" + reply, `x:2: text under lane a; a lane is its marker alone: write the text under the marker of a section`},
		{"before-lanes", reply + "-- lane a --\n" + reply, `x:1: a step before the first lane (line 3); put it into one`},
		{"concurrent", "-- script --\nallow concurrent\n-- lane a --\n" + reply, `x:3: lane a has no when, by which alone lanes are found with allow concurrent; write one`},
		// Calls.
		{"json", "-- call a --\n{\"a\":}\n", `x:1: the arguments of the call are no JSON: invalid character '}' looking for beginning of value; for none write {}`},
		{"json-none", "-- call a --\n", `x:1: the arguments of the call are no JSON: unexpected end of JSON input; for none write {}`},
		{"no-tool", "-- call --\n{}\n", `x:1: section "call" lacks a word; write "-- call TOOL --"`},
		{"id-empty", "-- call a id= --\n{}\n", `x:1: id= is empty; name the call or leave it out: then the calls are counted`},
		{"id-twice", "-- call a id=x --\n{}\n-- call b id=x --\n{}\n", `x:3: a second call with id=x in lane main; give each its own, or none`},
		{"id-times", "-- call a id=x times=2 --\n{}\n", `x:1: id=x of a message with times=2: ids are used once; leave it out, then they are counted`},
		{"call-option", reply + "-- call a in=1 --\n{}\n", `x:3: option in stands at the first section of a message, in line 1; move it there, or put an empty expect between them to make this a message of its own`},
		{"call-text", "-- call a --\n{}\n-- script --\napi text\n", `x:1: a call in a script with api text; make it api chat`},
		// Faults.
		{"fault-none", "-- fault --\n", `x:1: section "fault" lacks a word; write "-- fault KIND --"`},
		{"fault-unknown", "-- fault slow --\n", `x:1: unknown fault "slow"; there are status CODE, timeout, hang, cut, reset, badjson, errframe, empty, raw, error`},
		{"fault-no-code", "-- fault status --\n", `x:1: section "fault" lacks a word; write "-- fault status CODE --"`},
		{"fault-code", "-- fault status 42 --\n", `x:1: status 42; want an HTTP status from 300 to 599`},
		{"fault-option", "-- fault cut delay=2s --\n", `x:1: unknown option "delay"; section "fault cut" has after, chunk, times, encoding`},
		{"fault-after", "-- fault cut after=-1 --\n", `x:1: after=-1; want a whole number, 0 or more`},
		{"fault-retry", "-- fault status 429 retry-after=soon --\n", `x:1: retry-after=soon; want a time such as 2s or 50ms`},
		{"fault-half-second", "-- fault status 429 retry-after=500ms --\n", `x:1: retry-after=500ms; servers say it in whole seconds`},
		{"fault-type", "-- fault raw type=html --\n", `x:1: type=html; want a media type such as text/html`},
		{"fault-text", "-- fault timeout --\nwords\n", `x:1: fault timeout sends nothing; delete the text under it`},
		// Checks.
		{"verb", "-- expect --\n\ncontain a\n" + reply, `x:3: unknown check "contain"; there are contains, match, starts, ends, count N, tool, model, shrinks`},
		{"no-text", "-- expect --\ncontains\n" + reply, `x:2: contains wants a text; write it behind the verb`},
		{"bad-literal", "-- expect --\ncontains \"a\n" + reply, `x:2: the text "a begins with a quote but is no Go string; quote it as Go does`},
		{"regexp", "-- expect --\nmatch a(\n" + reply, "x:2: bad regular expression: missing closing ): `a(`; regular expressions are RE2's"},
		{"count", "-- expect --\ncount a\n" + reply, `x:2: count wants a number and a text, got "a"; write count 2 TEXT`},
		{"count-text", "-- expect --\ncount 2\n" + reply, `x:2: count wants a text; write it behind the verb`},
		{"shrinks", "-- expect --\nshrinks much\n" + reply, `x:2: shrinks stands alone on its line; without it a prompt must not shrink`},
		{"not-shrinks", "-- expect --\n! shrinks\n" + reply, `x:2: shrinks stands alone on its line; without it a prompt must not shrink`},
		{"when-shrinks", "-- lane a --\n-- when --\nshrinks\n" + reply, `x:3: shrinks is about a later prompt of a conversation; it has no place in section "when"`},
		{"error-tool", "-- error --\ntool bash\n" + reply, `x:2: tool is about a prompt; it has no place in section "error"`},
		// Settings.
		{"setting", "-- script --\n\nfast yes\n" + reply, `x:3: unknown setting "fast yes"; there are api text|chat, chunk HOW, split bytes, strict off, normalize NAME [REGEXP], allow concurrent`},
		{"setting-twice", "-- script --\napi text\napi chat\n" + reply, `x:3: setting api twice; write it once`},
		{"api", "-- script --\napi rest\n" + reply, `x:2: api "rest"; there is text, chat`},
		{"strict", "-- script --\nstrict on\n" + reply, `x:2: strict "on"; there is off`},
		{"allow", "-- script --\nallow all\n" + reply, `x:2: allow "all"; there is concurrent`},
		{"setting-chunk", "-- script --\nchunk words\n" + reply, `x:2: chunk "words"; there are rune, word, line, and a number of characters`},
		{"normalize", "-- script --\nnormalize\n" + reply, `x:2: normalize wants a name; built in are tempdir, uuid, time, duration, hex, port`},
		{"normalize-unknown", "-- script --\nnormalize id\n" + reply, `x:2: unknown normalizer "id"; built in are tempdir, uuid, time, duration, hex, port; another needs a regular expression behind its name`},
		{"normalize-twice", "-- script --\nnormalize hex\nnormalize hex\n" + reply, `x:3: normalizer hex twice; give each a name of its own`},
		{"normalize-regexp", "-- script --\nnormalize id [a\n" + reply, "x:2: bad regular expression: missing closing ]: `[a`; regular expressions are RE2's"},
		{"normalize-nothing", "-- script --\nnormalize id a*\n" + reply, `x:2: the regular expression "a*" matches nothing at all; make it match at least one character`},
		{"normalize-name", "-- script --\nnormalize <id> a\n" + reply, `x:2: normalizer "<id>"; the name stands between < and >, so it may not hold them`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := script.Parse("x", []byte(test.text))
			assert.EqualError(t, err, test.want)
			assert.Nil(t, s)
		})
	}
}
