package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/tools/workspace"
)

// asking returns an approval that allows reads and asks a user who types, and
// what that user sees.
func asking(typed io.Reader, isolated bool) (*approval, *bytes.Buffer) {
	var seen bytes.Buffer
	return &approval{
		allowed:  map[workspace.Kind]bool{workspace.Read: true},
		isolated: isolated,
		user:     newUser(typed, &seen),
	}, &seen
}

func TestApproval(t *testing.T) {
	for _, test := range []struct {
		name     string
		kind     workspace.Kind
		isolated bool
		typed    string
		want     workspace.Decision
		reason   string
		asked    int // how often the choices are shown
	}{
		{"read", workspace.Read, false, "", workspace.Allow, "", 0},
		{"yes", workspace.Exec, false, "y\n", workspace.Allow, "", 1},
		{"yes-in-full", workspace.Exec, false, " YES \r\n", workspace.Allow, "", 1},
		{"no", workspace.Write, false, "n\n", workspace.Deny, "", 1},
		{"no-with-reason", workspace.Write, false, "no  use the  other file \n", workspace.Deny, "use the  other file", 1},
		{"stop", workspace.Exec, false, "s\n", workspace.Stop, "", 1},
		{"stop-with-reason", workspace.Exec, false, "stop enough\n", workspace.Stop, "enough", 1},
		{"empty-line", workspace.Exec, false, "\n\ny\n", workspace.Allow, "", 3},
		{"unclear", workspace.Exec, false, "ok\ny but carefully\nyy\nn\n", workspace.Deny, "", 4},
		{"always-change", workspace.Write, false, "a\n", workspace.Allow, "", 1},
		{"always-isolated", workspace.Exec, true, "always\n", workspace.Allow, "", 1},
		{"always-unconfined", workspace.Exec, false, "a\nalways\nn\n", workspace.Deny, "", 3},
		{"end-of-input", workspace.Exec, false, "", workspace.Deny, "nobody answered", 1},
		{"half-a-line", workspace.Exec, false, "y", workspace.Deny, "nobody answered", 1},
		{"end-after-unclear", workspace.Exec, false, "what?\n", workspace.Deny, "nobody answered", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, seen := asking(strings.NewReader(test.typed), test.isolated)
			got, reason, err := a.Approve(t.Context(), workspace.Request{Tool: "x", Kind: test.kind, Display: "all of it"})
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.reason, reason)
			assert.Equal(t, test.asked, strings.Count(seen.String(), "[s]top: "))
			assert.Equal(t, min(1, test.asked), strings.Count(seen.String(), "\n    │ all of it\n"))
			offered := strings.Contains(seen.String(), "[a]lways in this run")
			assert.Equal(t, test.asked > 0 && (test.kind == workspace.Write || test.isolated), offered)
		})
	}
}

// A yes holds for one call; "always" holds for its kind, and no other.
func TestApprovalAlways(t *testing.T) {
	a, seen := asking(strings.NewReader("y\na\nn\n"), true)
	decide := func(kind workspace.Kind) workspace.Decision {
		d, _, err := a.Approve(t.Context(), workspace.Request{Kind: kind})
		require.NoError(t, err)
		return d
	}
	assert.Equal(t, workspace.Allow, decide(workspace.Write))
	assert.Equal(t, workspace.Allow, decide(workspace.Write))
	assert.Equal(t, workspace.Allow, decide(workspace.Write), "without a question")
	assert.Equal(t, workspace.Deny, decide(workspace.Exec))
	assert.Equal(t, 3, strings.Count(seen.String(), "[s]top: "))
}

func TestApprovalQuestion(t *testing.T) {
	for _, test := range []struct {
		request  workspace.Request
		isolated bool
		want     string
	}{
		{workspace.Request{Tool: "bash", Kind: workspace.Exec, Display: "ls\nrm x"}, false,
			"    May bash run this as you, unconfined?\n    │ ls\n    │ rm x\n"},
		{workspace.Request{Tool: "bash", Kind: workspace.Exec, Display: "ls"}, true, "    May bash run this, isolated?\n    │ ls\n"},
		{workspace.Request{Tool: "edit_file", Kind: workspace.Write, Display: "edit_file a\n-x\x1b[2K\u202e\n+y\n"}, false,
			"    May edit_file make this change?\n    │ edit_file a\n    │ -x\\u001b[2K\\u202e\n    │ +y\n"},
	} {
		a, seen := asking(strings.NewReader("n\n"), test.isolated)
		a.Approve(t.Context(), test.request)
		assert.True(t, strings.HasPrefix(seen.String(), test.want), seen.String())
	}
}

func TestApprovalWithoutUser(t *testing.T) {
	a := &approval{allowed: map[workspace.Kind]bool{workspace.Exec: true}}
	for _, test := range []struct {
		kind   workspace.Kind
		want   workspace.Decision
		reason string
	}{
		{workspace.Exec, workspace.Allow, ""},
		{workspace.Write, workspace.Deny, "this run may not change files; for the user: --allow write"},
	} {
		got, reason, err := a.Approve(t.Context(), workspace.Request{Kind: test.kind})
		require.NoError(t, err)
		assert.Equal(t, test.want, got)
		assert.Equal(t, test.reason, reason)
	}
}

// The end of the run ends a question, and a question that waits for its turn;
// what is typed later answers the next one.
func TestApprovalEnds(t *testing.T) {
	typed, keyboard := io.Pipe()
	a, _ := asking(typed, false)
	request := workspace.Request{Kind: workspace.Exec}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			decision, _, err := a.Approve(ctx, request)
			assert.Equal(t, workspace.Deny, decision)
			ended <- err
		}()
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
	go io.WriteString(keyboard, "y\n")
	decision, _, err := a.Approve(t.Context(), request)
	require.NoError(t, err)
	assert.Equal(t, workspace.Allow, decision)
}

// Questions do not run into each other.
func TestApprovalOneAtATime(t *testing.T) {
	typed, keyboard := io.Pipe()
	a, seen := asking(typed, false)
	answered := make(chan workspace.Decision)
	for range 8 {
		go func() {
			decision, _, _ := a.Approve(t.Context(), workspace.Request{Kind: workspace.Exec, Display: "one"})
			answered <- decision
		}()
	}
	for range 8 {
		io.WriteString(keyboard, "y\n")
		assert.Equal(t, workspace.Allow, <-answered)
	}
	const once = "    May  run this as you, unconfined?\n    │ one\n    [y]es  [n]o REASON  [s]top: "
	assert.Equal(t, strings.Repeat(once, 8), seen.String())
}

func TestKeys(t *testing.T) {
	for key, want := range map[string][]string{"": nil, "ollama": nil, " sk-12345 ": {"sk-12345"}} {
		t.Setenv("OPENAI_API_KEY", key)
		assert.Equal(t, want, keys())
	}
}
