package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/actdone/actdone/llm"
)

// Which part of a prompt is meant: instructions, task, act 2, observation 2.

// parts returns where the parts of the normalized prompt end; nil if unknown.
func (v *view) parts() []llm.Part {
	if v.ends != nil || len(v.request.parts) == 0 {
		return v.ends
	}
	start, end := 0, 0
	for _, part := range v.request.parts {
		stop := min(max(part.End, start), len(v.request.prompt))
		end += len(v.masked(v.request.prompt[start:stop]))
		part.End, start = end, stop
		v.ends = append(v.ends, part)
	}
	return v.ends
}

// partAt returns the name of the part that holds the byte at offset.
func (v *view) partAt(offset int) string {
	for _, part := range v.parts() {
		if offset < part.End {
			return part.Name
		}
	}
	if parts := v.parts(); len(parts) > 0 {
		return parts[len(parts)-1].Name
	}
	return ""
}

// changed returns the parts of the prompt between two offsets, less those that
// stand in want as they are.
func (v *view) changed(want string, from, to int) []string {
	var names []string
	prompt, start := v.prompt(), 0
	for _, part := range v.parts() {
		end := min(part.End, len(prompt))
		if start < max(to, from+1) && end > from && !strings.Contains(want, prompt[start:end]) {
			names = append(names, part.Name)
		}
		start = end
	}
	if len(names) == 0 {
		if name := v.partAt(from); name != "" {
			return []string{name}
		}
	}
	return names
}

// sentence joins names: "a, b and c".
func sentence(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// joinSteps makes one name of the parts of steps that follow each other: "act 1",
// "observation 1", "act 2", "observation 2" are "steps 1-2". A part that stands
// alone keeps its name.
func joinSteps(names []string) []string {
	var joined []string
	first, last := 0, 0
	flush := func() {
		switch {
		case last == 0:
		case first == last:
			joined = append(joined, fmt.Sprintf("step %d", first))
		default:
			joined = append(joined, fmt.Sprintf("steps %d-%d", first, last))
		}
		first, last = 0, 0
	}
	for i := 0; i < len(names); i++ {
		n := stepOf(names[i])
		if n == 0 || i+1 == len(names) || stepOf(names[i+1]) != n {
			flush()
			joined = append(joined, names[i])
			continue
		}
		if last == 0 || n != last+1 {
			flush()
			first = n
		}
		last = n
		i++
	}
	flush()
	return joined
}

// stepOf returns the number of the step that a part belongs to, or 0.
func stepOf(name string) int {
	kind, number, _ := strings.Cut(name, " ")
	if !slices.Contains([]string{"act", "answer", "refused", "observation"}, kind) {
		return 0
	}
	n, _ := strconv.Atoi(number)
	return n
}
