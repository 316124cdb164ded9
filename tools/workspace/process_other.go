//go:build !unix

package workspace

import "context"

const hasBash = false

// Run returns an error: there is no bash here.
func (Unconfined) Run(context.Context, Spec) (RunResult, error) { return RunResult{}, ErrNoBash }

func prepareStart() {}
