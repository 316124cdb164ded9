package react_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// TestFalseRuns retells the recorded runs of the corpus in ACT/DONE, the noise
// round the moves kept, then adds the slips of sloppy models to each. A false
// run is an act read with another tool or input than the model meant, or any
// act where it meant none; there must not be one. What good moves cost is in the
// tables it logs. Every reply gets every slip; only under the race detector, which
// has nothing to find here, every sixteenth.
func TestFalseRuns(t *testing.T) {
	plain := newTally("source")
	slipped := newTally("slip")
	undelimited := newTally("several lines, undelimited")
	cut := 0
	for _, source := range corpusSources {
		for i, r := range retellFile(t, source) {
			if i%sample != 0 {
				continue
			}
			switch r.shape {
			case shapeCut:
				cut++ // the Asker returns a TruncatedError: Parse never sees it
			case shapeNone:
				checkRetold(t, newTally(""), "", r, spelling{form: "none"}, r.before)
			case shapeUndelimited:
				s := spelling{"as it came", "ACT: " + r.tool + " " + r.input, r.input}
				checkRetold(t, undelimited, source, r, s, r.before+s.text+r.after)
			default:
				for _, s := range r.spellings() {
					checkRetold(t, plain, source+" "+s.form, r, s, r.before+s.text+r.after)
					for _, slip := range slips {
						if ownFence(r) && strings.HasPrefix(slip.name, "in a fence") {
							continue
						}
						checkRetold(t, slipped, slip.name, r, s, slip.make(r.before, s.text, r.after))
					}
				}
			}
		}
	}
	t.Logf("\n%s\n%s\n%s\ncut by the token limit, left out: %d", plain, undelimited, slipped, cut)
	total := plain.total()
	require.Greater(t, total.acts, 10000/sample, "acts read")
	require.Greater(t, slipped.total().acts, 100000/sample, "acts read")
	require.Less(t, float64(total.refused), 0.02*float64(total.replies), "good moves refused")
	require.Zero(t, undelimited.total().acts, "undelimited inputs of several lines")
}

// ownFence reports whether a fence in the text after the answer would close a
// fence round the whole reply. What follows it then stands outside, where moves
// are looked for first: the answer in the fence is a quotation before them.
func ownFence(r retold) bool { return r.shape == shapeDone && strings.Contains(r.after, "\n```") }

// checkRetold parses one reply and counts what comes of it.
func checkRetold(t *testing.T, tally *tally, row string, r retold, s spelling, reply string) {
	t.Helper()
	got, err := react.Parse(reply, retoldTools)
	count := tally.row(row)
	count.replies++
	switch {
	case err != nil:
		count.refused++
		return
	case r.shape == shapeDone && got.Kind == react.Done && strings.HasPrefix(got.Answer, s.want):
		count.dones++
		return
	case r.shape != shapeDone && r.shape != shapeNone && got.Kind == react.Act && got.Tool == r.tool &&
		(meant(got.Input) == s.want || !slices.Contains(retoldNames, r.tool)): // an unknown tool is not run
		count.acts++
		return
	}
	count.wrong++
	if tally.wrong++; tally.wrong <= 5 {
		t.Errorf("%s %s (%s): Parse(%q)\ngot %s %s %q%q\nwant %s %q", row, r.id, s.form, reply,
			got.Kind, got.Tool, got.Input, got.Answer, r.tool, s.want)
	}
}

// meant is an input without what the protocol says is packaging: blanks at the
// ends, and equal runs of backticks round the whole of a line.
func meant(input string) string {
	for {
		input = strings.Trim(input, " \t\u00a0")
		whole := backticked.FindStringSubmatch(input)
		if whole == nil || len(whole[1]) != len(whole[3]) || slices.Contains(ticks.FindAllString(whole[2], -1), whole[1]) {
			return input
		}
		input = whole[2]
	}
}

var (
	backticked = regexp.MustCompile("^(`+)([^`\n].*[^`]|[^`\n])(`+)$")
	ticks      = regexp.MustCompile("`+")
)

// corpusSources are the recordings whose moves are text.
var corpusSources = []string{
	"react-webshop.jsonl.gz", "react-fever.jsonl", "react-demos.jsonl", "fireact-hotpotqa.jsonl.gz",
	"reflexion-hotpotqa.jsonl", "intercode-react.jsonl.gz", "knowagent-hotpotqa.jsonl.gz", "swe-agent.jsonl",
	"langchain-docs.jsonl", "llama-index-docs.jsonl", "lats-webshop-samples.jsonl",
}

// retoldNames are the tools of their moves. All shell commands are bash. A few
// recorded moves name a bare command instead of a tool: an unknown tool.
var retoldNames = strings.Fields(`bash search click think reflect Search Lookup Retrieve Calculate submit
	march_2022 june_2022 sept_2022 add multiply subtract divide lyft_10k uber_10k code_interpreter
	drake_search kendrick_search list_files email_fn call_fn query_ai image_generation show_image
	Calculator Jester Music_Search Current_Search`)

var retoldTools = func() (list []tools.Tool) {
	for _, name := range retoldNames {
		list = append(list, tools.Tool{Name: name})
	}
	list[0].Lines = tools.Block
	return list
}()

// An episode is a line of a corpus file.
type episode struct {
	ID      string
	Dialect string
	Steps   []struct{ After, Reply string }
}

// A retold is a recorded reply: the text before its first move, the move, and
// the rest, with the moves in it in ACT/DONE already.
type retold struct {
	id            string
	before, after string
	tool, input   string // input: the answer of a shapeDone
	shape         shape
}

// A shape says how a recorded move was written.
type shape int

const (
	shapeNone        shape = iota // no move at all
	shapeOne                      // a line
	shapeBlock                    // a shell command of one line, or of more in a fence
	shapeUndelimited              // several lines, and only the recording's bracket says where they end
	shapeDone
	shapeCut // by the token limit, before the bracket closed
)

// retellFile reads the replies of one file of the corpus.
func retellFile(t *testing.T, name string) []retold {
	t.Helper()
	f, err := os.Open(shared(t, filepath.Join("corpus", name)))
	require.NoError(t, err)
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		in, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	var list []retold
	for d := json.NewDecoder(in); ; {
		var e episode
		if err := d.Decode(&e); err == io.EOF {
			return list
		}
		require.NoError(t, err)
		list = append(list, e.retell()...)
	}
}

// retell returns the replies of an episode. Where thought and action were asked
// for separately, the calls of a step are put together.
func (e episode) retell() []retold {
	var split func(after, reply string) []piece
	switch word, _, _ := strings.Cut(e.Dialect, ","); word {
	case "bracket":
		split = splitBracket
	case "classic":
		split = splitClassic
	case "fenced":
		split = splitFenced
	default:
		return nil
	}
	separate := strings.Contains(e.Dialect, "separately")
	var list []retold
	thought := ""
	for i, step := range e.Steps {
		if separate && !strings.HasPrefix(step.After, "Action ") {
			thought += step.After + " " + step.Reply + "\n"
			continue
		}
		r := join(split(step.After, step.Reply))
		r.id, r.before, thought = fmt.Sprintf("%s#%d", e.ID, i), thought+r.before, ""
		list = append(list, r)
	}
	return list
}

// A piece of a reply is text as it stands, or a move.
type piece struct {
	text        string
	tool, input string
	shape       shape // shapeNone: text
}

// join puts the pieces of a reply together round the first move.
func join(pieces []piece) retold {
	var r retold
	for _, p := range pieces {
		switch {
		case r.shape == shapeNone && p.shape == shapeNone:
			r.before += p.text
		case r.shape == shapeNone:
			r.tool, r.input, r.shape = p.tool, p.input, p.shape
		case p.shape == shapeNone:
			r.after += p.text
		default:
			s := retold{tool: p.tool, input: p.input, shape: p.shape}.spellings()
			r.after += s[0].text
		}
	}
	return r
}

var (
	actionLabel = regexp.MustCompile(`^[ \t]*Action ?\d*: *`)
	verb        = regexp.MustCompile(`^[ \t]*([A-Za-z_]+)\[`)
	anyLabel    = regexp.MustCompile(`^(Thought|Action|Observation)`)
	bareMove    = regexp.MustCompile(`^[a-z]+( |$)`)
)

// splitBracket finds the moves verb[argument]: after a label, on the line under
// a label that stands alone, or at the start of a reply that continues a label.
// Words after the bracket go to a line of their own: in ACT/DONE the rest of a
// line is input.
func splitBracket(after, reply string) []piece {
	var list []piece
	due := strings.HasPrefix(after, "Action")
	for reply != "" {
		line, rest, _ := strings.Cut(reply, "\n")
		label := actionLabel.FindString(line)
		move := line[len(label):]
		open := verb.FindStringSubmatch(move)
		isDue := due || label != ""
		due = isDue && strings.TrimSpace(move) == ""
		switch {
		case isDue && open != nil:
			p, left := bracketMove(open[1], reply[len(label)+len(open[0]):])
			list, reply = append(list, p), left
			continue
		case label != "" && bareMove.MatchString(move):
			tool, input, _ := strings.Cut(move, " ")
			list = append(list, piece{tool: tool, input: strings.TrimSpace(input), shape: shapeOne})
			line = ""
		}
		if len(rest) < len(reply)-len(line) || strings.HasSuffix(reply, "\n") {
			line += "\n"
		}
		list, reply = append(list, piece{text: line}), rest
	}
	return list
}

// bracketMove reads an argument, and returns what stands behind its bracket.
func bracketMove(verb, text string) (p piece, rest string) {
	p = piece{tool: verb, shape: shapeOne}
	switch strings.ToLower(verb) {
	case "execute":
		p.tool, p.shape = "bash", shapeBlock
	case "finish":
		p.tool, p.shape = "", shapeDone
	}
	line, _, _ := strings.Cut(text, "\n")
	end := closingBracket(line)
	if end < 0 {
		if end = closingLine(text); end < 0 {
			p.shape = shapeCut
			return p, ""
		}
		if p.shape != shapeDone {
			p.shape = shapeUndelimited
		}
	}
	p.input, rest = strings.TrimSpace(text[:end]), strings.TrimLeft(text[end+1:], " \t")
	if rest != "" && rest[0] != '\n' {
		rest = "\n" + rest
	}
	return p, rest
}

// closingBracket returns where the bracket that opened before line closes on it:
// at the end of the line, else where the brackets balance; or -1.
func closingBracket(line string) int {
	if line = strings.TrimRight(line, " \t"); strings.HasSuffix(line, "]") {
		return len(line) - 1
	}
	for i, depth := 0, 1; i < len(line); i++ {
		switch line[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// closingLine returns where an argument of several lines ends: at the bracket
// that ends the last such line before the next label; or -1.
func closingLine(text string) int {
	end, pos := -1, 0
	for line := range strings.Lines(text) {
		if anyLabel.MatchString(line) {
			break
		}
		if trimmed := strings.TrimRight(line, " \t\n"); strings.HasSuffix(trimmed, "]") {
			end = pos + len(trimmed) - 1
		}
		pos += len(line)
	}
	return end
}

var (
	classicMove = regexp.MustCompile(`(?m)^[ \t]*Action: *(.*)\n[ \t]*Action Input: *(.*)$`)
	classicDone = regexp.MustCompile(`(?m)^[ \t]*(?:Final Answer|Answer|Response|AI): *(.*)$`)
)

// splitClassic finds Action and Action Input, and the labels of an answer. Blanks
// in a tool's name become underscores: ACT/DONE knows no such names.
func splitClassic(_, reply string) []piece {
	var list []piece
	for {
		act, done := classicMove.FindStringSubmatchIndex(reply), classicDone.FindStringSubmatchIndex(reply)
		var p piece
		at := act
		switch {
		case act == nil && done == nil:
			return append(list, piece{text: reply})
		case act == nil || done != nil && done[0] < act[0]:
			at = done
			p = piece{input: strings.TrimSpace(reply[done[2]:done[3]]), shape: shapeDone}
		default:
			tool := strings.ReplaceAll(strings.TrimSpace(reply[act[2]:act[3]]), " ", "_")
			p = piece{tool: tool, input: strings.TrimSpace(reply[act[4]:act[5]]), shape: shapeOne}
		}
		list = append(list, piece{text: reply[:at[0]]}, p)
		reply = reply[at[1]:]
	}
}

// splitFenced takes the last fence of a reply for its shell commands.
func splitFenced(_, reply string) []piece {
	m := fencedMove.FindStringSubmatchIndex(reply)
	if m == nil {
		return []piece{{text: reply}}
	}
	return []piece{
		{text: reply[:m[0]]},
		{tool: "bash", input: reply[m[2]:m[3]], shape: shapeBlock},
		{text: reply[m[1]:]},
	}
}

var fencedMove = regexp.MustCompile("(?ms)^```[a-z_]*\n(.*?)\n```[ \t]*$")

// A spelling is one of the ways to write a move.
type spelling struct {
	form string
	text string
	want string // the input, or the answer
}

func (r retold) spellings() []spelling {
	if r.shape == shapeDone {
		return []spelling{{"done", "DONE: " + r.input, strings.TrimSpace(r.input)}}
	}
	line := spelling{"line", strings.TrimRight("ACT: "+r.tool+" "+r.input, " "), meant(r.input)}
	if r.shape != shapeBlock {
		return []spelling{line}
	}
	ticks := "```"
	for strings.Contains(r.input, ticks) {
		ticks += "`"
	}
	fence := spelling{"fence", "ACT: bash\n" + ticks + "\n" + r.input + "\n" + ticks, meant(r.input)}
	tag := "EOF"
	for strings.Contains(r.input, tag) {
		tag += "_"
	}
	here := fmt.Sprintf("bash <<'%s'\n%s\n%[1]s", tag, r.input)
	list := []spelling{fence, {"here-document", "ACT: bash " + here, here}}
	if strings.Contains(r.input, "\n") {
		list[0].want = r.input
		return list
	}
	under := spelling{"next line", "ACT: bash\n" + r.input, line.want}
	return append([]spelling{line, under}, list...)
}

// A slip makes a reply worse: of the text before the move, the move, and the
// text after it.
type slip struct {
	name string
	make func(before, move, after string) string
}

// The slips. None makes it legal to read DONE for an act.
var slips = func() []slip {
	const rm = "ACT: bash rm -rf ."
	var list []slip
	add := func(name string, make func(before, move, after string) string) {
		list = append(list, slip{name, make})
	}
	after := func(name, text string) {
		add(name, func(b, m, a string) string { return b + m + text + a })
	}
	between := func(name, text string) {
		add(name, func(b, m, a string) string { return b + text + m + a })
	}
	whole := func(name, head, tail string) {
		add(name, func(b, m, a string) string { return head + b + m + a + tail })
	}
	firstLine := func(name, from, to, end string) { // rewrites the marker's line
		add(name, func(b, m, a string) string {
			line, rest, more := strings.Cut(strings.Replace(m, from, to, 1), "\n")
			if more {
				rest = "\n" + rest
			}
			return b + line + end + rest + a
		})
	}

	after("prose", "\n\nThis should show the files.")
	after("prose, no blank line", "\nI will wait for the result.")
	after("prose like shell", "\n\nExpected output > notes.txt")
	after("fenced output", "\n\n```\nREADME.md\nrm -rf .\n```")
	after("fenced output, info", "\n```output\nREADME.md\n```\n")
	after("fenced output, tildes", "\n~~~\nREADME.md\n~~~\n")
	after("fence left open", "\n```\nrm -rf .\n")
	after("OBS: output", "\nOBS: README.md\nrm -rf .\n")
	after("Observation: output", "\n\nObservation: README.md\nrm -rf .\n")
	after("observation : output", "\nobservation : README.md\n\nrm -rf .")
	after("**Observation:** output", "\n**Observation:** README.md\n```\nrm\n```\n")
	after("fenced obs", "\nOBS:\n```obs\nREADME.md\n```\n\n"+rm)
	after("output", "\nREADME.md\nrm -rf .")
	after("turn: User", "\n\nUser: thanks, go on\n\n"+rm)
	after("turn: Human", "\nHuman: ok\nAssistant: fine.\n"+rm)
	after("turn: im_start", "<|im_end|>\n<|im_start|>user\nok<|im_end|>\n<|im_start|>assistant\n"+rm+"<|im_end|>")
	after("turn: im_start, own line", "\n<|im_start|>user\nok\n"+rm)
	after("second act", "\n\n"+rm)
	after("second act, fenced", "\nACT: bash\n```\nrm -rf .\n```")
	after("second act, One", "\nACT: search files")
	after("second DONE", "\n\nDONE: all is well")
	after("second bare DONE", "\nDONE")
	after("output, then DONE", "\nOBS: ok\n\nDONE: all is well")
	after("output, act, output, DONE", "\nOBS: ok\n\n"+rm+"\nOBS: gone\n\nDONE: cleaned")
	after("</think>", "\n</think>")
	after("</thinking>, act", "\n</thinking>\n\n"+rm)
	after("<think> after", "\n<think>\n"+rm+"\n</think>\n")
	after("<|im_end|>", "<|im_end|>")
	after("<|eot_id|>, blanks", " <|eot_id|>  \n\n")
	after("</s>, own line", "\n</s>")
	after("<end_of_turn>", "\n<end_of_turn>\n")
	after("trailing blanks", "  \t\u00a0")
	after("trailing blank lines", "\n \n\n\n")
	after("stopped at OBS:", "\nOBS:")
	after("stopped at OBS:, blank", "\n\nOBS: ")
	after("stray fence", "\n```")

	whole("</think> before", "I should look at it.\nThe first step is to run it.\n</think>\n", "")
	whole("</think> before, act", "Maybe rm, no: ACT: bash rm\n```\n"+rm+"\n```\nso</think>\n\n", "")
	whole("<think> before, act", "<think>\n"+rm+"\n</think>\n", "")
	whole("<thinking> before, DONE", "<thinking>maybe\n"+rm+"\nDONE: x\n</thinking>\n\n", "")
	between("quoted >", "> "+rm+"\n")
	between("quoted in mid-line", "I could use `"+rm+"` or DONE: here.\n")
	between("numbered", "1. "+rm+"\n2. DONE: ok\n")
	between("listed", "- "+rm+"\n* "+rm+"\n")
	between("lower case", "act: bash rm -rf .\nAct: bash rm\nDone: ok\n")
	between("role word", "Assistant: "+rm+"\n")
	between("fenced act", "```\n"+rm+"\n```\n")
	between("fenced act, info, prose", "For example:\n\n```text\nACT: bash\nrm -rf .\nOBS: ok\n```\n\n")
	between("fenced act, tildes", "~~~~\n```\n"+rm+"\n~~~\n~~~~\n")
	between("bare DONE before", "DONE\n")
	between("OBS: before", "OBS: README.md\n\n")

	add("CRLF", func(b, m, a string) string { return strings.ReplaceAll(b+m+a, "\n", "\r\n") })
	add("CRCRLF", func(b, m, a string) string { return strings.ReplaceAll(b+m+a+"\n", "\n", "\r\r\n") })
	label := func(name, open, end string) { // packs ACT: alone
		add(name, func(b, m, a string) string {
			label, rest, _ := strings.Cut(m, ":")
			return b + open + label + ":" + end + rest + a
		})
	}
	label("**ACT:** …", "**", "**")
	label("`ACT:` …", "`", "`")
	label("## __ACT:__ …", "## __", "__")
	firstLine("### ACT:", "", "### ", "")
	firstLine("# **ACT: …**", "", "# **", "**")
	firstLine("**ACT: …**", "", "**", "**")
	firstLine("`ACT: …`", "", "`", "`")
	firstLine("__ACT: …__", "", "__", "__")
	firstLine("wide colon", ":", "：", "")
	firstLine("blank before colon", ":", " :", "")
	firstLine("indented", "", "   ", "")
	firstLine("name on the next line", ": ", ":\n", "")
	whole("in a fence", "```\n", "\n```")
	whole("in a fence, info", "```text\n", "\n```\n\n")
	whole("in a longer fence", "````\n", "\n````")
	whole("in tildes", "~~~\n", "\n~~~")
	whole("in a fence, after prose", "Here is my reply.\n```\n", "\n```")
	whole("in a fence, before prose", "````\n", "\n````\nThis should work > notes.txt")
	return list
}()

// A tally counts outcomes in the rows of a table.
type tally struct {
	title string
	names []string
	rows  map[string]*outcomes
	wrong int
}

type outcomes struct{ replies, acts, dones, refused, wrong int }

func newTally(title string) *tally { return &tally{title: title, rows: map[string]*outcomes{}} }

func (t *tally) row(name string) *outcomes {
	if t.rows[name] == nil {
		t.names = append(t.names, name)
		t.rows[name] = &outcomes{}
	}
	return t.rows[name]
}

func (t *tally) total() (sum outcomes) {
	for _, o := range t.rows {
		sum.replies += o.replies
		sum.acts += o.acts
		sum.dones += o.dones
		sum.refused += o.refused
		sum.wrong += o.wrong
	}
	return sum
}

func (t *tally) String() string {
	var b strings.Builder
	row := func(name string, o outcomes) {
		fmt.Fprintf(&b, "%-40s %8d %8d %8d %8d %6.2f%% %6d\n", name, o.replies, o.acts, o.dones, o.refused,
			100*float64(o.refused)/float64(max(o.replies, 1)), o.wrong)
	}
	fmt.Fprintf(&b, "%-40s %8s %8s %8s %8s %7s %6s\n", t.title, "replies", "acts", "done", "refused", "", "false")
	for _, name := range t.names {
		row(name, *t.rows[name])
	}
	row("all", t.total())
	return b.String()
}
