package llmtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Case is one script file under test. It is the model: pass it, or its Player,
// to the agent.
type Case struct {
	*Player
	Task string // what the agent is to do
	Dir  string // a temporary folder with the script's files; the agent works here
}

// Run plays every script file that a pattern matches, each as a subtest named
// after the file. Agent runs the agent on the task of the case and returns its
// answer or error, which are compared with those of the script; so are all
// prompts, and the folder afterwards.
//
//	llmtest.Run(t, "testdata/*.txtar", func(t *testing.T, c *llmtest.Case) (string, error) {
//		result, err := react.Loop{LLM: c, Tools: list}.Run(t.Context(), c.Task)
//		return result.Answer, err
//	})
//
// A script without the section error wants a run without one; a script without
// the section answer takes any. Agent must not return before the agent is done.
func Run(t *testing.T, pattern string, agent func(t *testing.T, c *Case) (answer string, err error)) {
	t.Helper()
	for _, path := range matches(t, pattern) {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Helper()
			play(t, path, func(c *Case) (string, error) { return agent(t, c) })
		})
	}
}

// matches returns the scripts that pattern stands for.
func matches(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil {
		t.Fatalf("llmtest: %s: %v", pattern, err)
	}
	if len(paths) == 0 {
		t.Fatalf("llmtest: no script matches %s", pattern)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			t.Fatalf("llmtest: %s is a folder; want a pattern such as %[1]s/*.txtar", filepath.ToSlash(path))
		}
	}
	return paths
}

// play plays one script file.
func play(t testing.TB, path string, agent func(*Case) (string, error)) {
	t.Helper()
	p := open(t, path)
	c := &Case{Player: p, Task: p.Script.Task.Text, Dir: t.TempDir()}
	p.dir, p.Dirs = c.Dir, append(p.Dirs, c.Dir)
	if err := c.unpack(); err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	done := false
	defer func() {
		if !done { // t.FailNow, t.Skip or a panic in agent
			t.Helper()
			p.finish(t, p.Untold(nil))
		}
	}()
	answer, err := agent(c)
	done = true
	if p.mode.writes() && err == nil {
		c.take(answer)
	}
	p.finish(t, p.Judge(c.Dir, answer, err))
}

// unpack writes the script's files.
func (c *Case) unpack() error {
	for _, f := range c.Script.Files {
		path := filepath.Join(c.Dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.Text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// take makes the answer and the folder what the script wants. A file that is not
// there stays wanted.
func (c *Case) take(answer string) {
	if c.Script.Answer.Line > 0 {
		c.Script.Answer.Text = answer
	}
	for i, f := range c.Script.After {
		if data, err := os.ReadFile(filepath.Join(c.Dir, filepath.FromSlash(f.Path))); err == nil {
			c.Script.After[i].Text = string(data)
		}
	}
}
