package llmtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/actdone/actdone/llm"
)

// A sample is an agent as people write it without a library, with one bug or
// none. It keeps notes in the files of a folder.
type sample struct {
	bug   bug
	past  string // what a run leaves behind where historyKept
	files []*os.File
}

const (
	sampleSteps = 14
	sampleRules = "You keep notes in files. A reply is a thought, then one move at the start of a line:\nACT: <tool> <input>\nDONE: <answer>\nTools:"
)

var sampleUsage = map[string]string{
	"append": "FILE TEXT: add a line to a file",
	"count":  "FILE: how many lines a file has",
	"list":   "the names of the files",
	"read":   "FILE: the text of a file",
	"remove": "FILE: delete a file",
}

// close closes what fileLeftOpen has left open.
func (s *sample) close() {
	for _, f := range s.files {
		f.Close()
	}
}

// rules returns how a prompt begins.
func (s *sample) rules() string {
	names := make([]string, 0, len(sampleUsage))
	for name := range sampleUsage {
		names = append(names, name)
	}
	if s.bug != mapOrder {
		slices.Sort(names)
	}
	text := sampleRules
	for _, name := range names {
		text += "\n- " + name + " " + sampleUsage[name]
	}
	if s.bug == clockInPrompt {
		text += "\nIt is " + time.Now().Format(time.RFC3339Nano) + "."
	}
	return text
}

// Run works on a task in a folder.
func (s *sample) Run(ctx context.Context, model llm.Asker, dir, task string) (string, error) {
	r := &sampleRun{sample: s, model: model, dir: dir, head: s.rules() + "\n\nTASK: " + task}
	if s.bug == historyKept {
		r.head += s.past
	}
	limit := sampleSteps
	switch s.bug {
	case limitTooLow:
		limit = 10
	case limitMissing:
		limit = 1000
	}
	for range limit {
		answer, done, err := r.step(ctx)
		if done || err != nil {
			s.past = strings.Join(r.turns, "")
			return answer, err
		}
	}
	return "", fmt.Errorf("no answer after %d asks", limit)
}

// A sampleRun is one run of a sample.
type sampleRun struct {
	*sample
	model llm.Asker
	dir   string
	head  string   // the rules and the task
	turns []string // each a reply and what came of it
}

// prompt returns the next prompt.
func (r *sampleRun) prompt() string {
	head, turns := r.head, r.turns
	if r.bug == taskDropped && len(turns) >= 10 {
		head = r.rules()
	}
	if r.bug == slidingWindow && len(turns) > 6 {
		turns = turns[len(turns)-6:]
	}
	return head + strings.Join(turns, "")
}

// step asks once, acts and observes.
func (r *sampleRun) step(ctx context.Context) (answer string, done bool, err error) {
	reply, err := r.ask(ctx)
	if err != nil {
		if r.bug == errorSwallowed {
			return "", true, nil
		}
		if r.bug == errorTypeLost {
			return "", true, fmt.Errorf("ask: %v", err)
		}
		return "", true, fmt.Errorf("ask: %w", err)
	}
	thought, kind, rest := r.parse(reply)
	switch kind {
	case "DONE":
		if r.bug == asksIfSure {
			_, _ = r.model.Ask(ctx, r.prompt()+"\n\n"+reply+"\nOBS: are you sure?")
		}
		return rest, true, nil
	case "ACT":
		seen, end := r.act(rest)
		if end != nil {
			return "", true, end
		}
		r.turn(thought, "ACT: "+rest, seen)
		if r.bug == replyUsedTwice && len(r.turns) == 3 {
			again, _ := r.act(rest)
			r.turn(thought, "ACT: "+rest, again)
		}
	default:
		if r.bug == talkIsAnswer {
			return reply, true, nil
		}
		r.turn("", "REFUSED: "+reply, "error: no move; write ACT: or DONE: at the start of a line")
	}
	return "", false, nil
}

// turn keeps a move and what came of it.
func (r *sampleRun) turn(thought, move, seen string) {
	text := "\n\n"
	if thought != "" && r.bug != thoughtDropped {
		text += thought + "\n"
	}
	text += move
	if r.bug != notFedBack {
		text += "\nOBS: " + seen
	}
	r.turns = append(r.turns, text)
}

// ask asks the model, and once more if it was busy.
func (r *sampleRun) ask(ctx context.Context) (string, error) {
	if r.bug == contextIgnored {
		ctx = context.Background()
	}
	if r.bug == askedTwice && len(r.turns) == 1 {
		_, _ = r.model.Ask(ctx, r.prompt())
	}
	reply, err := r.model.Ask(ctx, r.prompt())
	status, ok := errors.AsType[*llm.StatusError](err)
	if ok && r.bug != noRetry && (status.Code == 429 || status.Code >= 500 || r.bug == retriesAll) {
		if r.bug == errorInPrompt {
			r.turns = append(r.turns, "\n\nOBS: "+err.Error())
		}
		reply, err = r.model.Ask(ctx, r.prompt())
	}
	if cut, ok := errors.AsType[*llm.TruncatedError](err); ok && r.bug == cutIsRun {
		return cut.Text, nil
	}
	if errors.Is(err, llm.ErrNoReply) && r.bug == emptyIsDone {
		return "DONE:", nil
	}
	return reply, err
}

// parse returns the first move of a reply. An act is one line, an answer all that
// follows.
func (r *sampleRun) parse(reply string) (thought, kind, rest string) {
	lines := strings.Split(reply, "\n")
	if r.bug == lastMoveWins {
		lines = lines[lastMove(lines):]
	}
	for i, line := range lines {
		if r.bug == midLineMarker {
			if at := strings.Index(line, "ACT: "); at > 0 {
				line = line[at:]
			}
		}
		thought := strings.Join(lines[:i], "\n")
		if input, ok := strings.CutPrefix(line, "ACT: "); ok {
			return thought, "ACT", input
		}
		if answer, ok := strings.CutPrefix(line, "DONE:"); ok {
			return thought, "DONE", strings.TrimSpace(strings.Join(append([]string{answer}, lines[i+1:]...), "\n"))
		}
	}
	return "", "", ""
}

// lastMove returns where the last move is, or 0.
func lastMove(lines []string) int {
	last := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "DONE:") || strings.HasPrefix(line, "ACT:") {
			last = i
		}
	}
	return last
}

// act runs a tool and returns what the model is to see. The error ends the run.
func (r *sampleRun) act(line string) (seen string, end error) {
	name, input, _ := strings.Cut(line, " ")
	if _, ok := sampleUsage[name]; !ok {
		if r.bug == unknownToolEnds {
			return "", fmt.Errorf("unknown tool %s", name)
		}
		return "error: unknown tool " + name, nil
	}
	output, err := r.tool(name, input)
	if r.bug == toolCalledTwice {
		output, err = r.tool(name, input)
	}
	switch {
	case err != nil && r.bug == toolErrorHidden:
		return "ok", nil
	case err != nil:
		return "error: " + err.Error(), nil
	case output == "":
		return "(nothing)", nil
	}
	return r.shown(output), nil
}

// shown returns an output as it stands in the prompt: no line of it but the first
// can be taken for a line of the agent's own.
func (r *sampleRun) shown(output string) string {
	if r.bug == outputCut && len(output) > 40 {
		output = output[:40]
	}
	if r.bug == outputBare {
		return output
	}
	return strings.ReplaceAll(output, "\n", "\n| ")
}

// tool does what a tool does.
func (r *sampleRun) tool(name, input string) (string, error) {
	file, text, _ := strings.Cut(input, " ")
	path := filepath.Join(r.dir, file)
	switch {
	case name == "list":
		return r.list()
	case file == "":
		return "", errors.New("which file?")
	case !filepath.IsLocal(file) && r.bug != leavesFolder:
		return "", errors.New("outside of the folder")
	}
	switch name {
	case "append":
		return "", r.add(path, text)
	case "remove":
		return "", os.Remove(path)
	}
	if r.bug == fileLeftOpen {
		if f, err := os.Open(path); err == nil {
			r.files = append(r.files, f)
		}
	}
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "", errors.New("no file " + file)
	case name == "count":
		return fmt.Sprint(strings.Count(string(data), "\n")), nil
	}
	return strings.TrimSuffix(string(data), "\n"), nil
}

func (r *sampleRun) list() (string, error) {
	entries, err := os.ReadDir(r.dir)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " "), err
}

// add adds a line to a file.
func (r *sampleRun) add(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text + "\n")
	return err
}
