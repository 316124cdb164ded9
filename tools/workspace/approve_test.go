package workspace

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/actdone/actdone/tools"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestApprove(t *testing.T) {
	answer := func(d Decision, reason string, err error) Approver {
		return ApproverFunc(func(context.Context, Request) (Decision, string, error) { return d, reason, err })
	}
	for _, c := range []struct {
		name     string
		approver Approver
		kind     Kind
		wantErr  string
		fatal    bool
	}{
		{"allow-all", AllowAll{}, Exec, "", false},
		{"read-only-read", ReadOnly{}, Read, "", false},
		{"read-only-exec", ReadOnly{}, Exec, "denied (the workspace is read-only); try another way, or answer with DONE:", false},
		{"read-only-unknown-kind", ReadOnly{}, "", "denied (the workspace is read-only); try another way, or answer with DONE:", false},
		{"deny", answer(Deny, "too risky", nil), Exec, "denied (too risky); try another way, or answer with DONE:", false},
		{"deny-without-reason", answer(Deny, "", nil), Exec, "denied; try another way, or answer with DONE:", false},
		{"unknown-decision", answer(42, "", nil), Exec, "denied; try another way, or answer with DONE:", false},
		{"error-beside-allow", answer(Allow, "", errors.New("no terminal")), Exec,
			"denied (the approver gave an error: no terminal); try another way, or answer with DONE:", false},
		{"stop", answer(Stop, "enough", nil), Exec, "stopped by the approver: enough", true},
		{"stop-without-reason", answer(Stop, "", nil), Exec, "stopped by the approver", true},
		{"panic", ApproverFunc(func(context.Context, Request) (Decision, string, error) { panic("oops") }), Exec,
			"denied (the approver panicked: oops); try another way, or answer with DONE:", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openTemp(t, func(config *Config) { config.Approver = c.approver })
			err := w.approve(t.Context(), Request{Kind: c.kind})
			if c.wantErr == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, c.wantErr)
			assert.Equal(t, c.fatal, tools.IsFatal(err))
		})
	}
}

// An approver that hangs does not hold up the end of the run, whether it
// listens to ctx or not, and what it says after that does not count.
func TestApproveEndsWithContext(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	for name, wait := range map[string]func(context.Context){
		"listens": func(ctx context.Context) { <-ctx.Done() },
		"deaf":    func(context.Context) { <-never },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			w := &Workspace{approver: ApproverFunc(func(ctx context.Context, _ Request) (Decision, string, error) {
				cancel()
				wait(ctx)
				return Allow, "", nil
			})}
			assert.ErrorIs(t, w.approve(ctx, Request{}), context.Canceled)
		})
	}
}

// asked records the requests of a workspace and denies those for bash.
func asked(requests *[]Request) func(*Config) {
	return func(c *Config) {
		c.Approver = ApproverFunc(func(_ context.Context, r Request) (Decision, string, error) {
			*requests = append(*requests, r)
			if r.Kind == Exec {
				return Deny, "", nil
			}
			return Allow, "", nil
		})
	}
}

func TestRequests(t *testing.T) {
	var got []Request
	w := openTemp(t, asked(&got))
	put(t, w, "a.go", "x\n", "pkg/b.go", "y\n")
	link(t, w, "pkg/b.go", "c.go")
	for _, input := range []string{"a.go 1-2", "c.go"} {
		_, err := call(t, w, "read_file", input)
		require.NoError(t, err)
	}
	_, err := call(t, w, "list", "pkg")
	require.NoError(t, err)
	assert.Equal(t, []Request{
		{Tool: "read_file", Kind: Read, Paths: []string{"a.go"}, Display: "read_file a.go"},
		{Tool: "read_file", Kind: Read, Paths: []string{"c.go", "pkg/b.go"}, Display: "read_file pkg/b.go"},
		{Tool: "list", Kind: Read, Paths: []string{"pkg"}, Display: "list pkg"},
	}, got)
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "go test ./... # ünï", "go test ./... # ünï"},
		{"indent", "if x\n\n\tthen y\n        z", "if x\n\n\tthen y\n        z"},
		{"few-blanks", strings.Repeat(" ", 32) + "x", strings.Repeat(" ", 32) + "x"},
		{"many-blanks", "ls" + strings.Repeat(" ", 500) + "; rm -r .", "ls[500 blanks]; rm -r ."},
		{"wide-blanks", "ls" + strings.Repeat("\u3000", 40) + "x", "ls[40 blanks]x"},
		{"many-newlines", "ls" + strings.Repeat("\n", 1000) + "x", "ls[1,000 blanks]x"},
		{"escape", "a\x1b[2Kb\rc\x00\x7f", `a\x1b[2Kb\x0dc\x00\x7f`},
		{"bidi", "a\u202eb\u2066c\u200fd", `a\u{202e}b\u{2066}c\u{200f}d`},
		{"tags", "a\U000e0041\ufeff", `a\u{e0041}\u{feff}`},
		{"c1", "a\u0085\u009b2Jb", `a\u{85}\u{9b}2Jb`},
		{"unseen", "a\u200bb\u00adc\u2800d\u3164e\ufe0ff\u2028g", `a\u{200b}b\u{ad}c\u{2800}d\u{3164}e\u{fe0f}f\u{2028}g`},
		{"unseen-among-blanks", "ls" + strings.Repeat(" ", 30) + "\u2060" + strings.Repeat(" ", 33) + "x", "ls" + strings.Repeat(" ", 30) + `\u{2060}[33 blanks]x`},
		{"invalid", "a\xffb\xc3", `a\xffb\xc3`},
		{"replacement-character", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, visible(c.in)) })
	}
}
