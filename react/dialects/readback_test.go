package dialects_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/dialects"
	"github.com/actdone/actdone/tools"
)

// A part is what a reader finds behind a label of a prompt.
type part struct{ label, text string }

// labels are what begins a part in the prompts of each dialect.
var (
	bracketLabel = regexp.MustCompile(`^(Question|Thought|Action|Observation|Note|Refused)(?: \d+)?:(?: (.*))?$`)
	classicLabel = regexp.MustCompile(`^(Question|Thought|Action|Action Input|Observation|Note|Refused|Final Answer):(?: (.*))?$`)
	fencedLabel  = regexp.MustCompile(`^(Task|Thought|Observation|Note|Refused):(?: (.*))?$`)
)

// readPrompt reads back what a prompt is made of, from its text alone.
func readPrompt(p react.Protocol, prompt string) (instructions string, list []part, err error) {
	task, label, fenced := "\n\nQuestion:", classicLabel, false
	switch p.(type) {
	case dialects.Fenced:
		task, label, fenced = "\n\nTask:", fencedLabel, true
	case dialects.Bracket:
		label = bracketLabel
	}
	at := strings.Index(prompt, task)
	if at < 0 {
		return "", nil, fmt.Errorf("no task")
	}
	lines := strings.Split(prompt[at+2:], "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		m := label.FindStringSubmatch(line)
		fence := strings.HasPrefix(line, "```")
		blank := fenced && i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "```") || strings.HasPrefix(lines[i+1], "Thought:") || strings.HasPrefix(lines[i+1], "Refused:"))
		blank = blank || i+1 < len(lines) && strings.HasPrefix(lines[i+1], task[2:])
		switch {
		case line == "" && blank:
		case fence && (fenced || len(list) > 0 && list[len(list)-1].label == "Action Input"):
			marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
			end := i + 1
			for end < len(lines) && lines[end] != marks {
				end++
			}
			if end == len(lines) {
				return "", nil, fmt.Errorf("an open fence at line %d", i)
			}
			text := strings.Join(lines[i+1:end], "\n")
			list = append(list, part{"fence", text})
			i = end
		case m != nil:
			list = append(list, part{m[1], m[2]})
		case fence || len(list) == 0:
			return "", nil, fmt.Errorf("structure at line %d: %q", i, line)
		default:
			list[len(list)-1].text += "\n" + dialects.Unquote(p, line)
		}
	}
	return prompt[:at], list, nil
}

// wantParts is what readPrompt must find in the prompt that asks for the next
// step of task.
func wantParts(p react.Protocol, task string, steps []react.Step) (want []part) {
	open, inTask := "", false
	enter := func(task string) {
		if !inTask || open != task {
			switch p := p.(type) {
			case dialects.Fenced:
				want = append(want, part{"Task", task})
			case dialects.Bracket:
				want = append(want, part{"Question", task}, next(p))
			default:
				want = append(want, part{"Question", task})
			}
		}
		open, inTask = task, true
	}
	for _, s := range steps {
		enter(s.Task)
		want = wantMove(p, want, s)
		if s.Move.Kind == react.Done {
			inTask = false
			continue
		}
		want = append(want, part{"Observation", s.Observation})
		for note := range strings.SplitSeq(s.Note, "\n") {
			if note != "" {
				want = append(want, part{"Note", note})
			}
		}
		if p, ok := p.(dialects.Bracket); ok {
			want = append(want, next(p))
		}
	}
	enter(task)
	return want
}

// next is the label that a prompt of Bracket ends with.
func next(p dialects.Bracket) part {
	if p.ActOnly {
		return part{"Action", ""}
	}
	return part{"Thought", ""}
}

func wantMove(p react.Protocol, want []part, s react.Step) []part {
	m := s.Move
	if m.Kind == "" {
		return append(want, part{"Refused", dialects.Shown(s.Reply)})
	}
	if p, ok := p.(dialects.Bracket); ok {
		text := m.Tool + "[" + m.Input + "]"
		if m.Kind == react.Done {
			text = p.Finish() + m.Answer + "]"
		}
		if p.ActOnly {
			want[len(want)-1].text = text
			return want
		}
		want[len(want)-1].text = m.Thought
		return append(want, part{"Action", text})
	}
	if m.Thought != "" {
		want = append(want, part{"Thought", m.Thought})
	}
	if p, ok := p.(dialects.Fenced); ok {
		if m.Kind == react.Act {
			return append(want, part{"fence", m.Input})
		}
		return append(want, part{"fence", strings.TrimSuffix(p.Finish()+"\n"+m.Answer, "\n")})
	}
	if m.Kind == react.Done {
		return append(want, part{"Final Answer", m.Answer})
	}
	return append(want, part{"Action", m.Tool}, part{"Action Input", m.Input})
}

// joinInputs puts the line and the fence of an input together, as the tool of a
// part before them takes them.
func joinInputs(list []part, lines func(tool string) tools.Lines) (joined []part) {
	for i, p := range list {
		if p.label == "fence" && i > 1 && list[i-1].label == "Action Input" {
			if lines(list[i-2].text) == tools.Body {
				p.text = "\n" + p.text
			}
			joined[len(joined)-1].text += p.text
			continue
		}
		joined = append(joined, p)
	}
	return joined
}
