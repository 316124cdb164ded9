package llmtest

import (
	"testing"

	"github.com/actdone/actdone/llm"
)

// findings returns what the checks of a suite find, by subtest.
func findings(t *testing.T, checks []check, skip func(string) bool) map[string]error {
	found := map[string]error{}
	for _, c := range checks {
		if skip(c.name) {
			continue
		}
		if err := c.result(t); err != nil {
			found[c.name] = err
		}
	}
	return found
}

// What the suites find, without failing a test, and how a subtest is judged.
var (
	CheckAsker = func(t *testing.T, new func(*testing.T, Endpoint) llm.Asker, skip func(string) bool) map[string]error {
		return findings(t, askerChecks(new), skip)
	}
	CheckDouble = func(t *testing.T, new func(*testing.T, ...string) llm.Asker) map[string]error {
		return findings(t, doubleChecks(new), none)
	}
	CheckWrapper = func(t *testing.T, wrap func(llm.Asker) llm.Asker) map[string]error {
		return findings(t, wrapperChecks(wrap), none)
	}
	Judge = judge
	Names = func(t testing.TB, c Conformance) { c.names(t, doubleChecks(nil)) }
)

func none(string) bool { return false }
