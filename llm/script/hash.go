package script

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// hashLen is how many hex digits a Hash has.
const hashLen = 8

// Hash returns the beginning of the SHA-256 of a prompt, in hex: what a recorder
// writes into the option of= of the reply to it. Where the script lists
// normalizers, it is that of the prompt normalized: see [Call].
func Hash(prompt string) string {
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])[:hashLen]
}

// Stale returns the places of replies that were recorded for another prompt than
// the goldens of the script tell. A reply before which goldens are missing, so
// that its prompt is unknown, is not among them; for those play the script and
// see [Call.Stale].
func (s *Script) Stale() []string {
	var at []string
	for _, lane := range s.Lanes {
		prompt, known := "", false
		for _, step := range lane.Steps {
			switch {
			case step.Prompt.Line > 0:
				prompt, known = step.Prompt.Text, true
			case step.Added.Line > 0:
				prompt += step.addition(prompt)
			default:
				known = false
			}
			if known && step.HashOf != "" && step.HashOf != Hash(prompt) {
				at = append(at, s.At(step.Line()))
			}
		}
	}
	return at
}

// addition returns what the golden of a step adds to the prompt before.
func (s *Step) addition(before string) string {
	if s.SameLine || s.Added.Text == "" || before == "" || strings.HasSuffix(before, "\n") {
		return s.Added.Text
	}
	return "\n" + s.Added.Text
}
