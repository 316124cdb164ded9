package react

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/actdone/actdone/react/internal/lex"
	"github.com/actdone/actdone/tools"
)

// check reports a limit that cannot be; of names the loop.
func (l limits) check(of string) error {
	for _, limit := range []struct {
		name  string
		value int
	}{{"MaxSteps", l.maxSteps}, {"Retries", l.retries}, {"MaxPrompt", l.maxPrompt}, {"MaxObservation", l.maxObservation}, {"Compact", l.compact}} {
		if limit.value < 0 {
			return fmt.Errorf("react: %s.%s is %d; zero is the default, negative means nothing", of, limit.name, limit.value)
		}
	}
	return nil
}

// checkTools reports tools that a model could not tell apart or call.
func checkTools(list []tools.Tool) error {
	named := make(map[string]bool, len(list))
	for _, t := range list {
		if err := checkName(t.Name); err != nil {
			return err
		}
		if t.Lines < tools.One || t.Lines > tools.Body {
			return fmt.Errorf("react: tool %q takes %v; want tools.One, tools.Block or tools.Body", t.Name, t.Lines)
		}
		if named[t.Name] {
			return fmt.Errorf("react: two tools are named %q", t.Name)
		}
		named[t.Name] = true
	}
	return nil
}

// checkCalls reports tools that do nothing.
func checkCalls(list []tools.Tool) error {
	for _, t := range list {
		if t.Call == nil {
			return fmt.Errorf("react: tool %q has no Call", t.Name)
		}
	}
	return nil
}

// checkName reports a name that a model could not call.
func checkName(name string) error {
	_, fenced := lex.FenceAt(name)
	switch {
	case name == "":
		return errors.New("react: a tool has no name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return fmt.Errorf("react: tool name %q holds blanks or signs that do not show; write it as one word, such as read_file", name)
	case slices.Contains(labels[:], strings.TrimSuffix(name, ":")):
		return fmt.Errorf("react: tool name %q is a label of the protocol", name)
	case fenced || lex.TurnEndLen(name) > 0 || strings.Trim(name, "*`:") != name:
		return fmt.Errorf("react: tool name %q cannot be told from markup", name)
	}
	return nil
}
