package tools

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// blanks part words.
const blanks = " \t\r\n"

// readWords fills the fields from words.
func (a *arguments) readWords(input string) error {
	if a.form.body() != nil {
		if line, body, more := strings.Cut(input, "\n"); more {
			a.setText(len(a.form.fields)-1, body) // any text is a string
			input = line
		}
	}
	rest, err := a.takeNamed(strings.Trim(input, blanks))
	if err == nil {
		rest, err = a.takePlaced(rest)
	}
	missing := a.missing()
	switch {
	case err != nil:
	case rest != "":
		err = fmt.Errorf("%s is too much", quoteShort(rest))
	case missing != nil:
		err = fmt.Errorf("missing %s", missing.label())
	default:
		return nil
	}
	return fmt.Errorf("%w; use %s %s", err, a.form.tool, a.form)
}

// takeNamed takes words such as days=3 from the start of input.
func (a *arguments) takeNamed(input string) (rest string, err error) {
	for rest = input; ; {
		if after, ok := strings.CutPrefix(rest, "--"); ok && (after == "" || strings.Contains(blanks, after[:1])) {
			return strings.TrimLeft(after, blanks), nil
		}
		name, after, ok := strings.Cut(rest, "=")
		if !ok || !isName(name) {
			return rest, nil
		}
		if rest, err = a.takeNamedValue(name, after); err != nil {
			return "", err
		}
	}
}

func (a *arguments) takeNamedValue(name, input string) (rest string, err error) {
	i := a.form.find(name)
	switch {
	case i < 0:
		return "", fmt.Errorf("unknown option %s= (there are: %s; -- goes before a text with a =)", short(name), a.form.names())
	case a.given[i] && !a.form.fields[i].list:
		return "", fmt.Errorf("%s is given twice", name)
	}
	word, rest, err := cutWord(input)
	if err != nil {
		return "", err
	}
	return rest, a.setText(i, word)
}

// takePlaced takes the words for the fields that are not given yet, in order.
func (a *arguments) takePlaced(input string) (rest string, err error) {
	rest = input
	for i := range a.form.fields {
		f := &a.form.fields[i]
		if f.keyed || a.given[i] && !f.list {
			continue
		}
		for more := true; more && rest != ""; more = f.list {
			if rest, err = a.takeValue(i, rest); err != nil {
				return "", err
			}
		}
	}
	return rest, nil
}

// takeValue takes the word, or the rest, for field i.
func (a *arguments) takeValue(i int, input string) (rest string, err error) {
	if a.form.fields[i].rest {
		return "", a.setText(i, unquoteWhole(input))
	}
	word, rest, err := cutWord(input)
	if err != nil {
		return "", err
	}
	return rest, a.setText(i, word)
}

// setText gives field i the value that word stands for.
func (a *arguments) setText(i int, word string) error {
	f := &a.form.fields[i]
	value, ok := parseValue(f.kind, word)
	if !ok {
		return fmt.Errorf("%s cannot be %s: want %s", f.label(), quoteShort(word), expected(f.kind))
	}
	a.set(i, value)
	return nil
}

// cutWord takes a word, or a Go string in quotes, from the start of input.
func cutWord(input string) (word, rest string, err error) {
	if !strings.HasPrefix(input, `"`) {
		end := strings.IndexAny(input, blanks)
		if end < 0 {
			end = len(input)
		}
		return input[:end], strings.TrimLeft(input[end:], blanks), nil
	}
	quoted, err := strconv.QuotedPrefix(input)
	if err != nil {
		return "", "", fmt.Errorf("bad quoting at %s", quoteShort(input))
	}
	word, err = strconv.Unquote(quoted)
	rest = strings.TrimLeft(input[len(quoted):], blanks)
	if err == nil && rest != "" && len(rest) == len(input)-len(quoted) {
		err = errors.New("no blank after the quote of " + quoteShort(quoted))
	}
	return word, rest, err
}

// unquoteWhole returns text, or what it stands for if all of it is one Go
// string in quotes.
func unquoteWhole(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	if whole, err := strconv.Unquote(text); err == nil {
		return whole
	}
	return text
}

// isName reports whether s can stand before a = as the name of a field.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}
