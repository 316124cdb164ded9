package react_test

import (
	"fmt"
	"strings"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// A block is what a reader finds in a prompt between two labels.
type block struct {
	Kind string // "task", "act", "refused", "done", "observation", "note"
	Text string // task, refused reply, answer, observation, note; of an act its tool and head
	Body string // what stands in the fence of an act
	Has  bool   // whether it has one
	Said string // the thought before an act or an answer
}

// readPrompt reads back what a prompt of ActDone is made of, from its text
// alone: a second implementation of the layout, stricter than Parse.
func readPrompt(prompt string) (instructions string, blocks []block, err error) {
	at := strings.Index(prompt, "\n\nTASK:")
	if at < 0 {
		return "", nil, fmt.Errorf("no task")
	}
	r := &promptReader{lines: strings.Split(prompt[at+2:], "\n")}
	for len(r.lines) > 0 {
		b, err := r.block()
		if err != nil {
			return "", nil, fmt.Errorf("%w; rest %q", err, r.lines)
		}
		blocks = append(blocks, b)
	}
	return prompt[:at], blocks, nil
}

type promptReader struct{ lines []string }

func (r *promptReader) next() string {
	line := r.lines[0]
	r.lines = r.lines[1:]
	return line
}

func (r *promptReader) block() (block, error) {
	if line, ok := strings.CutPrefix(r.lines[0], "TASK:"); ok {
		r.next()
		text, err := r.text(line, "task")
		return block{Kind: "task", Text: text}, err
	}
	if line, ok := strings.CutPrefix(r.lines[0], "OBS:"); ok {
		r.next()
		text, err := r.text(line, "obs")
		return block{Kind: "observation", Text: text}, err
	}
	if line, ok := strings.CutPrefix(r.lines[0], "NOTE: "); ok {
		r.next()
		return block{Kind: "note", Text: line}, nil
	}
	if r.lines[0] != "" {
		return block{}, fmt.Errorf("want a blank line before a step, got %q", r.lines[0])
	}
	r.next()
	if len(r.lines) == 0 {
		return block{}, fmt.Errorf("prompt ends in a newline")
	}
	if strings.HasPrefix(r.lines[0], "TASK:") {
		return r.block()
	}
	return r.move()
}

// text reads what stands behind a label or in the fence under it.
func (r *promptReader) text(rest, info string) (string, error) {
	if text, ok := strings.CutPrefix(rest, " "); ok || rest != "" {
		return text, nil
	}
	if len(r.lines) == 0 || !isFence(r.lines[0], info) {
		return "", nil
	}
	return r.fence()
}

func isFence(line, info string) bool {
	return strings.HasPrefix(line, "```") && strings.TrimLeft(line, "`") == info
}

func (r *promptReader) fence() (string, error) {
	open := r.next()
	marks := open[:len(open)-len(strings.TrimLeft(open, "`"))]
	for i, line := range r.lines {
		if line == marks {
			inside := strings.Join(r.lines[:i], "\n")
			r.lines = r.lines[i+1:]
			return inside, nil
		}
	}
	return "", fmt.Errorf("fence %q has no end", open)
}

func (r *promptReader) move() (block, error) {
	var said []string
	for len(r.lines) > 0 {
		line := r.next()
		if rest, ok := strings.CutPrefix(line, "ACT: "); ok {
			b := block{Kind: "act", Text: rest, Said: strings.Join(said, "\n")}
			if len(r.lines) == 0 || !isFence(r.lines[0], "") {
				return b, nil
			}
			var err error
			b.Body, err = r.fence()
			b.Has = true
			return b, err
		}
		if rest, ok := strings.CutPrefix(line, "DONE:"); ok {
			return block{Kind: "done", Text: r.answer(rest), Said: strings.Join(said, "\n")}, nil
		}
		if rest, ok := strings.CutPrefix(line, "REFUSED:"); ok && said == nil {
			text, err := r.text(rest, "reply")
			return block{Kind: "refused", Text: text}, err
		}
		for _, label := range []string{"TASK:", "OBS:", "NOTE:", "REFUSED:", "```"} {
			if strings.HasPrefix(line, label) {
				return block{}, fmt.Errorf("structure inside a thought: %q", line)
			}
		}
		said = append(said, react.Unquote(line))
	}
	return block{}, fmt.Errorf("a step without a move: %q", said)
}

// answer reads an answer: to the next task or the end.
func (r *promptReader) answer(rest string) string {
	var lines []string
	if text, ok := strings.CutPrefix(rest, " "); ok {
		lines = append(lines, text)
	}
	for len(r.lines) > 0 {
		if r.lines[0] == "" && len(r.lines) > 1 && strings.HasPrefix(r.lines[1], "TASK:") {
			break
		}
		lines = append(lines, react.Unquote(r.next()))
	}
	return strings.Join(lines, "\n")
}

// wantBlocks is what readPrompt must find in the prompt that asks for the next
// step of task.
func wantBlocks(task string, steps []react.Step) []block {
	var want []block
	open, inTask := "", false
	enter := func(task string) {
		if !inTask || open != task {
			want = append(want, block{Kind: "task", Text: task})
		}
		open, inTask = task, true
	}
	for _, s := range steps {
		enter(s.Task)
		switch s.Move.Kind {
		case react.Act:
			want = append(want, wantAct(s.Move))
		case react.Done:
			want = append(want, block{Kind: "done", Text: s.Move.Answer, Said: s.Move.Thought})
			inTask = false
			continue
		default:
			want = append(want, block{Kind: "refused", Text: react.Shown(s.Reply)})
		}
		want = append(want, block{Kind: "observation", Text: s.Observation})
		for note := range strings.SplitSeq(s.Note, "\n") {
			if note != "" {
				want = append(want, block{Kind: "note", Text: note})
			}
		}
	}
	enter(task)
	return want
}

func wantAct(m react.Move) block {
	b := block{Kind: "act", Text: m.Tool, Said: m.Thought}
	head, body := m.Input, ""
	switch {
	case m.Lines == tools.Body:
		head, body, b.Has = strings.Cut(m.Input, "\n")
	case m.Lines == tools.Block && !react.Inline(m.Input):
		head, body, b.Has = "", m.Input, true
	}
	if head != "" {
		b.Text += " " + head
	}
	b.Body = body
	return b
}
