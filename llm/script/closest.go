package script

import (
	"fmt"
	"strings"
	"unicode"
)

// What a message says of a check that does not hold.

// check returns the error of a check that does not hold.
func (v *view) check(c Check) *DriftError {
	prompt := v.prompt()
	what, at := c.complaint(v.request, prompt)
	e := v.failure(c.Line, c.Verb, what)
	e.Want, e.Got = c.Text, prompt
	if at >= 0 {
		e.Part = v.partAt(at)
		e.text += v.place(at)
		e.text += "\n    " + visible(narrow(lineOf(prompt, at), at-lineStart(prompt, at)))
		return e
	}
	if line, diff, ok := closest(prompt, c); ok {
		e.Part = v.partAt(line)
		e.text += "\n  closest is" + strings.TrimPrefix(v.place(line), ";") + "\n    " + diff
	}
	return e
}

// place says where an offset of the prompt is.
func (v *view) place(at int) string {
	text := fmt.Sprintf("; line %d", lineAt(v.prompt(), at))
	if part := v.partAt(at); part != "" {
		text += ", in " + part
	}
	return text + ":"
}

// complaint says what is wrong, and where in the prompt that is to be seen; -1
// if it is not there.
func (c Check) complaint(r *request, prompt string) (what string, at int) {
	text := shortText(c.Text)
	switch {
	case c.Verb == "tool" || c.Verb == "model":
		return c.requestComplaint(r), -1
	case c.Verb == "count":
		n, not := strings.Count(prompt, c.Text), ""
		if c.Not {
			not = "any number but "
		}
		return fmt.Sprintf("the prompt contains %s %s, not %s%s", text, times(n), not, times(c.N)), strings.LastIndex(prompt, c.Text)
	case c.Verb == "match" && c.Not:
		return "the prompt matches " + text, c.find(prompt)[0]
	case c.Not && c.Verb == "contains":
		return "the prompt contains " + text, strings.Index(prompt, c.Text)
	case c.Not && c.Verb == "starts":
		return "the prompt starts with " + text, 0
	case c.Not:
		return "the prompt ends with " + text, len(prompt) - len(c.Text)
	}
	verb := map[string]string{"contains": "contain", "match": "match", "starts": "start with", "ends": "end with"}[c.Verb]
	return "the prompt does not " + verb + " " + text, -1
}

// requestComplaint says what is wrong with a request.
func (c Check) requestComplaint(r *request) string {
	switch {
	case !r.chat:
		return fmt.Sprintf("an ask of plain text names no %s; the check %s is for scripts that are served", c.Verb, c)
	case c.Not:
		return fmt.Sprintf("the request names the %s %s", c.Verb, c.Text)
	case c.Verb == "model" && r.model == "":
		return "a request in process names no model; the check model is for scripts that are served"
	case c.Verb == "model":
		return fmt.Sprintf("the request names the model %q, not %s", r.model, c.Text)
	case len(r.tools) == 0:
		return fmt.Sprintf("the request does not offer the tool %s; it offers none", c.Text)
	}
	return fmt.Sprintf("the request does not offer the tool %s; it offers %s", c.Text, strings.Join(r.tools, ", "))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// shortText returns a text for a message.
func shortText(text string) string {
	quoted := fmt.Sprintf("%q", text)
	if runes := []rune(quoted); len(runes) > widest {
		return string(runes[:widest]) + "…"
	}
	return quoted
}

// closest finds the line of the prompt that is most like what a check looks for,
// and shows by which words they differ.
func closest(prompt string, c Check) (offset int, difference string, ok bool) {
	switch c.Verb {
	case "contains":
		return closestLine(prompt, missingLine(prompt, c.Text))
	case "starts":
		line := firstLine(c.Text)
		return 0, wordDiff(line, firstLine(prompt)), prompt != ""
	case "ends":
		at := strings.LastIndexByte(prompt, '\n') + 1
		return at, wordDiff(c.Text[strings.LastIndexByte(c.Text, '\n')+1:], prompt[at:]), prompt != ""
	}
	return 0, "", false
}

// missingLine returns the first line of text that the prompt does not hold, or
// the first one.
func missingLine(prompt, text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.Contains(prompt, line) {
			return line
		}
	}
	return firstLine(text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// leastLike is how like a line must be to be shown, of 1.
const leastLike = 0.3

// closestLine finds the line that is most like want; of several, the last.
func closestLine(prompt, want string) (offset int, difference string, ok bool) {
	words := wordsIn(want)
	best, at, found := leastLike, 0, ""
	for line := range strings.Lines(prompt) {
		if like := likeness(wordsIn(line), words); like >= best {
			best, found, offset, ok = like, strings.TrimSuffix(line, "\n"), at, true
		}
		at += len(line)
	}
	if !ok {
		return 0, "", false
	}
	return offset, wordDiff(want, found), true
}

// likeness says how much two lines have in common, from 0 to 1. A word that
// begins like another is half of it.
func likeness(a, b []string) float64 {
	shared := 0.0
	for _, word := range b {
		shared += match(word, a)
	}
	return 2 * shared / float64(max(len(a)+len(b), 1))
}

// match says how well a word is found among others.
func match(word string, others []string) float64 {
	best := 0.0
	for _, other := range others {
		if other == word {
			return 1
		}
		if same, _, _ := differ(word, other); same >= 3 && 2*same >= max(len(word), len(other)) {
			best = 0.5
		}
	}
	return best
}

// wordsIn returns the letters and digits of a line, in words of lower case.
func wordsIn(line string) []string {
	return strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// lineStart returns where the line begins that holds the byte at offset.
func lineStart(text string, offset int) int { return strings.LastIndexByte(text[:offset], '\n') + 1 }

// lineOf returns that line.
func lineOf(text string, offset int) string { return firstLine(text[lineStart(text, offset):]) }
