package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A command that prints the environment of actdone finds the key there, but
// neither the model nor the user is shown it. It is hostile input 96 as the
// command meets it.
func TestKeyIsRedacted(t *testing.T) {
	const key = "sk-test-0123456789abcdef"
	t.Setenv("OPENAI_API_KEY", key)
	for _, flags := range [][]string{nil, {"--json"}} {
		p := start(t, "tr '\\0' '\\n' </proc/$PPID/environ | grep OPENAI_API_KEY\necho $$ >begun", flags...)
		p.begun(t)
		assert.Equal(t, 0, p.end(t).ExitStatus(), p.stderr.String())
		all := p.stdout.String() + p.stderr.String()
		assert.Contains(t, all, "OPENAI_API_KEY=[redacted]")
		assert.NotContains(t, all, key)
	}
}
