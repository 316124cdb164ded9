package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/actdone/actdone/tools"
)

// A Kind says what a call wants to do.
type Kind string

const (
	Read  Kind = "read"  // show names or contents of files
	Write Kind = "write" // create, change or remove files
	Exec  Kind = "exec"  // run a command
)

// A Request is one call that waits for approval.
type Request struct {
	Tool string
	Kind Kind

	// Paths are the files a file tool wants to touch, relative to the
	// workspace: the path asked for and, if links lead elsewhere, the file
	// they lead to.
	Paths []string

	// Command holds the exact bytes that will run.
	Command string

	// Diff says, for writes, what changes: a unified diff. Like Display, it is
	// for a person to read.
	Diff string

	// Display is the whole request for a person to read: controls, text
	// direction marks, other characters that do not show and long runs of
	// blanks in it are made visible.
	Display string
}

// A Decision is an approver's answer. The zero value is Deny.
type Decision int

const (
	Deny  Decision = iota // the call is not made; the model may try another way
	Allow                 // this one call may be made
	Stop                  // the call is not made and the run ends
)

// An Approver decides about every call of a tool, before it does anything.
//
//   - The string is the reason for Deny or Stop, for the model or the user; it
//     may be empty.
//   - An error, a panic or an unknown Decision counts as Deny.
//   - Approve should return when ctx ends. If it does not, the call is given
//     up and what Approve returns later is dropped.
//   - It may be called from several goroutines at once.
//
// Ready-made are [AllowAll] and [ReadOnly]; [ApproverFunc] makes one of a func.
type Approver interface {
	Approve(ctx context.Context, r Request) (Decision, string, error)
}

// An ApproverFunc is a func used as an [Approver].
type ApproverFunc func(ctx context.Context, r Request) (Decision, string, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, r Request) (Decision, string, error) {
	return f(ctx, r)
}

// AllowAll is the [Approver] that allows everything.
type AllowAll struct{}

// Approve returns Allow.
func (AllowAll) Approve(context.Context, Request) (Decision, string, error) { return Allow, "", nil }

// ReadOnly is the [Approver] that allows reads and denies the rest.
type ReadOnly struct{}

// Approve returns Allow if r is a read.
func (ReadOnly) Approve(_ context.Context, r Request) (Decision, string, error) {
	if r.Kind == Read {
		return Allow, "", nil
	}
	return Deny, "the workspace is read-only", nil
}

// noApprover stands for the approver that was not configured.
type noApprover struct{ ReadOnly }

// readsOnly reports whether a is known to deny every write, so that there is no
// use in tools for it.
func readsOnly(a Approver) bool {
	switch a.(type) {
	case ReadOnly, noApprover:
		return true
	}
	return false
}

// approve returns nil if the approver allows r, and otherwise the error the
// tool has to return.
func (w *Workspace) approve(ctx context.Context, r Request) error {
	answers := make(chan verdict, 1)
	go func() { answers <- ask(ctx, w.approver, r) }()
	var v verdict
	select {
	case v = <-answers:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch v.decision {
	case Allow:
		return w.note(ctx, r.Kind)
	case Stop:
		return tools.Fatal(errors.New(withReason("stopped by the approver", v.reason, ": %s")))
	}
	return errors.New(withReason("denied", v.reason, " (%s)") + "; try another way, or answer with DONE:")
}

type verdict struct {
	decision Decision
	reason   string
}

// ask calls the approver and turns an error or a panic into Deny.
func ask(ctx context.Context, a Approver, r Request) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = verdict{Deny, fmt.Sprintf("the approver panicked: %v", p)}
		}
	}()
	decision, reason, err := a.Approve(ctx, r)
	if err != nil {
		return verdict{Deny, fmt.Sprintf("the approver gave an error: %v", err)}
	}
	return verdict{decision, reason}
}

func withReason(text, reason, format string) string {
	if reason == "" {
		return text
	}
	return text + fmt.Sprintf(format, reason)
}
