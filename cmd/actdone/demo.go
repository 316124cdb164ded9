package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/llm/script"
)

//go:embed demo/demo.txtar
var demoScript []byte

// demoPause is what a reader on a terminal gets between two steps.
const demoPause = 900 * time.Millisecond

func newDemo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Watch a run: no model, no set-up",
		Long: `Demo unpacks a small project into a temporary folder and lets an agent find out
why its check fails. The loop and the tools are real; what the model would say
comes from a script. It needs bash.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

func demo(ctx context.Context, stdout, stderr io.Writer) error {
	s, err := script.Parse("demo.txtar", demoScript)
	if err != nil {
		return fail(err)
	}
	d, err := unpack(s)
	if err == nil {
		err = d.play(ctx, s, stdout, stderr)
	}
	if err != nil {
		os.RemoveAll(d.dir)
		return err
	}
	d.explain(stderr, s.Task.Text)
	return nil
}

// A demoDir is the temporary folder that the demo leaves behind.
type demoDir struct{ dir, project, script string }

// unpack writes the project and the script to a new temporary folder.
func unpack(s *script.Script) (demoDir, error) {
	dir, err := os.MkdirTemp("", "actdone-demo-")
	if err != nil {
		return demoDir{}, fail(err)
	}
	d := demoDir{dir, filepath.Join(dir, "guestbook"), filepath.Join(dir, s.Name)}
	errs := []error{os.WriteFile(d.script, demoScript, 0o666)}
	for _, f := range s.Files {
		path := filepath.Join(d.project, filepath.FromSlash(f.Path))
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(f.Text), 0o666))
	}
	return d, fail(errs...)
}

// play plays the script on the project.
func (d demoDir) play(ctx context.Context, s *script.Script, stdout, stderr io.Writer) error {
	folder, err := openFolder(d.project, true)
	if err != nil {
		return fail(fmt.Errorf("the demo needs bash: %w", err))
	}
	defer folder.Close()
	fmt.Fprintf(stderr, "An agent at work on a small project. A script plays the model; the loop and the tools are real.\n\n")
	p := scripted(s, s.Task.Text, d.project)
	p.loop.Tools, p.stdout, p.stderr = folder.Tools(), stdout, stderr
	p.loop.Retries = defaultRetries
	if callsFunctions(s) {
		p.chatter = chatter(p.loop.LLM, p.loop.Tools)
	}
	if isTerminal(stderr) {
		p.pause = pause
	}
	return p.run(ctx)
}

// explain says what was seen, where it is, and what to do next.
func (d demoDir) explain(stderr io.Writer, task string) {
	fmt.Fprintf(stderr, `
That was the whole loop: ask the model, read one move (ACT: or DONE:), run the
tool, show it the observation (OBS:), ask again.

The project:  %s
The script:   %s (the replies; edit them)
The loop:     react/loop.go, func steps (go doc github.com/actdone/actdone/react.Loop)
The folder stays until you delete it.

Play it again, or write your own (from a checkout: go run ./cmd/actdone …, or go install ./cmd/actdone):
    actdone run --script %s -C %s --allow exec --isolation unconfined
See what a model is sent first:
    actdone prompt --allow exec --isolation unconfined -C %[4]s %s
Let a model of yours do it:
    actdone run --model NAME -C %[4]s --allow exec %[5]s
`, d.project, d.script, quoted(d.script), quoted(d.project), quoted(task))
}

// quoted returns s as one word for a shell.
func quoted(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// special reports whether r may mean something to a shell.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./:@%+=,", r)
}

// pause waits for a reader, unless ctx ends.
func pause(ctx context.Context) {
	select {
	case <-time.After(demoPause):
	case <-ctx.Done():
	}
}
