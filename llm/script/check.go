package script

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Check is a line of a section of checks. Make one with [ParseCheck].
type Check struct {
	Not  bool   // whether it must not hold
	Verb string // contains, match, starts, ends, count, tool, model, shrinks
	N    int    // of count
	Text string
	Line int // in the script

	re *regexp.Regexp // of match
}

// verbs are those there are, and whether only a prompt can be checked by them.
var verbs = map[string]bool{
	"contains": false, "match": false, "starts": false, "ends": false, "count": false,
	"tool": true, "model": true, "shrinks": true,
}

const verbNames = "contains, match, starts, ends, count N, tool, model, shrinks"

// ParseCheck reads a check, such as "! contains unknown tool".
func ParseCheck(line string) (Check, error) {
	c := Check{}
	rest := strings.TrimLeft(line, blanks)
	if after, ok := strings.CutPrefix(rest, "!"); ok {
		c.Not, rest = true, strings.TrimLeft(after, blanks)
	}
	var text string
	c.Verb, text, _ = strings.Cut(rest, " ")
	if _, ok := verbs[c.Verb]; !ok {
		return Check{}, fmt.Errorf("unknown check %q; there are %s", strings.TrimRight(c.Verb, "\r"), verbNames)
	}
	if c.Verb == "count" {
		number, after, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return Check{}, fmt.Errorf("count wants a number and a text, got %q; write count 2 TEXT", text)
		}
		c.N, text = n, after
	}
	return c, c.take(text)
}

// take sets the text.
func (c *Check) take(text string) error {
	if text != "" && strings.ContainsRune("\"`", rune(text[0])) {
		unquoted, err := strconv.Unquote(text)
		if err != nil {
			return fmt.Errorf("the text %s begins with a quote but is no Go string; quote it as Go does", text)
		}
		text = unquoted
	}
	c.Text = text
	switch {
	case c.Verb == "shrinks" && (text != "" || c.Not):
		return errors.New("shrinks stands alone on its line; without it a prompt must not shrink")
	case c.Verb == "shrinks":
	case text == "":
		return fmt.Errorf("%s wants a text; write it behind the verb", c.Verb)
	case c.Verb == "match":
		re, err := regexp.Compile("(?m)" + text)
		if err != nil {
			return fmt.Errorf("%w; regular expressions are RE2's", bare(err))
		}
		c.re = re
	}
	return nil
}

// bare returns what is wrong with a regular expression, without the words that
// lead to it.
func bare(err error) error {
	text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	return errors.New("bad regular expression: " + strings.ReplaceAll(text, "(?m)", ""))
}

// String returns the check's line in its canonical form.
func (c Check) String() string {
	fields := []string{c.Verb}
	if c.Not {
		fields = []string{"!", c.Verb}
	}
	if c.Verb == "count" {
		fields = append(fields, strconv.Itoa(c.N))
	}
	if c.Text != "" {
		fields = append(fields, quotedText(c.Text))
	}
	return strings.Join(fields, " ")
}

// quotedText returns text as a check holds it: as it is, where it can be seen
// as it is.
func quotedText(text string) string {
	odd := func(r rune) bool { return r == '\ufffd' || !unicode.IsPrint(r) }
	if strings.ContainsFunc(text, odd) || strings.ContainsRune("\"` ", rune(text[0])) || strings.HasSuffix(text, " ") {
		if strconv.CanBackquote(text) {
			return "`" + text + "`"
		}
		return strconv.Quote(text)
	}
	return text
}

// Holds reports whether the check holds for a text. A check that is about a
// request (tool, model, shrinks) holds for none.
func (c Check) Holds(text string) bool { return c.holds(text) != c.Not }

func (c Check) holds(text string) bool {
	switch c.Verb {
	case "contains":
		return strings.Contains(text, c.Text)
	case "match":
		return c.find(text) != nil
	case "starts":
		return strings.HasPrefix(text, c.Text)
	case "ends":
		return strings.HasSuffix(text, c.Text)
	case "count":
		return strings.Count(text, c.Text) == c.N
	}
	return false
}

// find returns where the regular expression of a match is found.
func (c Check) find(text string) []int {
	if c.re == nil {
		return nil // unreachable unless the check was not made by ParseCheck
	}
	return c.re.FindStringIndex(text)
}

// holdsFor reports whether the check holds for a request.
func (c Check) holdsFor(r *request, prompt string) bool {
	switch c.Verb {
	case "tool":
		return slices.Contains(r.tools, c.Text) != c.Not
	case "model":
		return (r.model == c.Text) != c.Not
	case "shrinks":
		return true // checked with the growth
	}
	return c.Holds(prompt)
}

// has reports whether there is a check with a verb.
func (c Checks) has(verb string) bool {
	return slices.ContainsFunc(c.List, func(c Check) bool { return c.Verb == verb })
}

// checks reads a section of checks.
func (s *Script) checks(kind string, from block) (Checks, error) {
	checks, line := Checks{Line: from.line}, from.line
	for l := range strings.Lines(from.body) {
		line++
		l = strings.TrimSuffix(l, "\n")
		if text := strings.TrimSpace(l); text == "" || text[0] == '#' {
			continue
		}
		c, err := ParseCheck(l)
		if err == nil && (verbs[c.Verb] && kind == "error" || c.Verb == "shrinks" && kind == "when") {
			err = fmt.Errorf("%s is about a later prompt of a conversation; it has no place in section %q", c.Verb, kind)
			if c.Verb != "shrinks" {
				err = fmt.Errorf("%s is about a prompt; it has no place in section %q", c.Verb, kind)
			}
		}
		if err != nil {
			return Checks{}, s.errorf(line, "%w", err)
		}
		c.Line = line
		checks.List = append(checks.List, c)
	}
	return checks, nil
}
