package llmtest

import (
	"math/rand/v2"
	"unicode/utf8"
)

// Invented stands wherever a spoilt reply says what the good one did not: a test
// holds that no tool was called with it and that no answer has it.
const Invented = "INVENTED"

// A Slip is a way in which a model spoils a good reply.
type Slip string

// The slips, and what package react makes of each.
const (
	// SlipProse is talk without a move: refused, counted by Loop.Retries.
	SlipProse Slip = "prose only"

	// SlipEmpty is a reply of white space: refused and counted.
	SlipEmpty Slip = "empty"

	// SlipInvented is the good act with an observation and an answer of the
	// model's own under it: the act is run, the rest dropped.
	SlipInvented Slip = "invented observation"

	// SlipTwoActs is the good act and another: refused as ambiguous, or, where
	// the tool takes one line, only the first is run.
	SlipTwoActs Slip = "two acts"

	// SlipUnclosed is an act of bash whose fence has no end: refused.
	SlipUnclosed Slip = "unclosed block"

	// SlipUndelimited is an act of bash of two lines without a fence: refused as
	// ambiguous, unless a tool of that name takes one line.
	SlipUndelimited Slip = "undelimited lines"

	// SlipFarewell is the good act with a friendly line under it: refused as
	// ambiguous, or, where the tool takes one line, dropped.
	SlipFarewell Slip = "farewell"

	// SlipWrongTool is an act of a tool that is not there: a step whose
	// observation says so.
	SlipWrongTool Slip = "wrong tool name"

	// SlipTruncated is the good reply cut somewhere, as a *llm.TruncatedError:
	// refused and counted.
	SlipTruncated Slip = "truncated"

	// SlipLoneTag is the good reply behind reasoning of which only the closing
	// tag is there: the reasoning is dropped.
	SlipLoneTag Slip = "lone reasoning tag"
)

// Slips returns all slips.
func Slips() []Slip {
	return []Slip{
		SlipProse, SlipEmpty, SlipInvented, SlipTwoActs, SlipUnclosed,
		SlipUndelimited, SlipFarewell, SlipWrongTool, SlipTruncated, SlipLoneTag,
	}
}

// holdsGood reports whether the spoilt form holds the good reply whole.
func (s Slip) holdsGood() bool {
	return s == SlipInvented || s == SlipTwoActs || s == SlipFarewell || s == SlipLoneTag
}

// spoil returns the spoilt form of a good reply. Only SlipTruncated needs r.
func (s Slip) spoil(good string, r *rand.Rand) string {
	switch s {
	case SlipProse:
		return "I think I should look at the " + Invented + " files first."
	case SlipInvented:
		return good + "\nOBS: " + Invented + "\n\nDONE: " + Invented
	case SlipTwoActs:
		return good + "\nACT: bash " + Invented
	case SlipUnclosed:
		return "ACT: bash\n```\n" + Invented
	case SlipUndelimited:
		return "ACT: bash " + Invented + " one\n" + Invented + " two"
	case SlipFarewell:
		return good + "\n\nLet me know > " + Invented + " if that helps!"
	case SlipWrongTool:
		return "ACT: " + Invented + "_tool " + Invented
	case SlipTruncated:
		return cut(good, r)
	case SlipLoneTag:
		return "ACT? no, " + Invented + "\n</think>\n" + good
	}
	return " \n" // SlipEmpty
}

// cut returns the beginning of s, less than all of it.
func cut(s string, r *rand.Rand) string {
	if s == "" {
		return ""
	}
	n := r.IntN(len(s))
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
