package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/actdone/actdone/tools/workspace"
)

// An approval decides what the tools may do: what --allow lists, and what the
// user says when asked. It belongs to one run.
type approval struct {
	allowed  map[workspace.Kind]bool // without a question
	isolated bool                    // commands do not reach what is outside the folder
	user     *user                   // nil if there is nobody to ask
}

var _ workspace.Approver = (*approval)(nil)

// Approve allows, denies, or asks the user. One question is asked at a time.
func (a *approval) Approve(ctx context.Context, r workspace.Request) (workspace.Decision, string, error) {
	if a.user == nil {
		if a.allowed[r.Kind] {
			return workspace.Allow, "", nil
		}
		return workspace.Deny, fmt.Sprintf("this run may not %s; for the user: --allow %s", deeds[r.Kind], r.Kind), nil
	}
	if err := a.user.turn(ctx); err != nil {
		return workspace.Deny, "", err
	}
	defer a.user.done()
	if a.allowed[r.Kind] { // maybe by the answer to the question before
		return workspace.Allow, "", nil
	}
	return a.ask(ctx, r)
}

// deeds says what the calls of a kind do.
var deeds = map[workspace.Kind]string{
	workspace.Read:  "read files",
	workspace.Write: "change files",
	workspace.Exec:  "run commands",
}

// ask shows the whole request and asks until there is an answer. What is not
// understood is no answer, and neither is an empty line.
func (a *approval) ask(ctx context.Context, r workspace.Request) (workspace.Decision, string, error) {
	lasting := a.mayLast(r.Kind)
	a.user.show(a.question(r), r.Display)
	for {
		line, err := a.user.answer(ctx, lasting)
		switch {
		case ctx.Err() != nil:
			return workspace.Deny, "", ctx.Err()
		case err != nil:
			return workspace.Deny, "nobody answered", nil
		}
		word, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word = strings.ToLower(word); {
		case word == "n", word == "no":
			return workspace.Deny, strings.TrimSpace(reason), nil
		case word == "s", word == "stop":
			return workspace.Stop, strings.TrimSpace(reason), nil
		case reason != "":
		case word == "y", word == "yes":
			return workspace.Allow, "", nil
		case lasting && (word == "a" || word == "always"):
			a.allowed[r.Kind] = true
			return workspace.Allow, "", nil
		}
	}
}

// mayLast reports whether an answer may hold for the rest of the run. Unconfined
// commands are each asked for, since one that is harmless says nothing about the
// next.
func (a *approval) mayLast(kind workspace.Kind) bool {
	return kind == workspace.Read || kind == workspace.Write || kind == workspace.Exec && a.isolated
}

func (a *approval) question(r workspace.Request) string {
	switch {
	case r.Kind == workspace.Exec && a.isolated:
		return "May " + r.Tool + " run this, isolated?"
	case r.Kind == workspace.Exec:
		return "May " + r.Tool + " run this as you, unconfined?"
	case r.Kind == workspace.Write:
		return "May " + r.Tool + " make this change?"
	}
	return "May " + r.Tool + " " + deeds[r.Kind] + "?"
}
