package llmtest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/llm/script"
	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/tools"
)

// TestSwitches holds how the switches are read, and where they are refused.
func TestSwitches(t *testing.T) {
	quiet(t)
	for _, c := range []struct {
		ci, update, record string
		want               string // update, record, or the error
	}{
		{"", "", "", ""},
		{"", "1", "", "update"},
		{"", "TRUE", "", "update"},
		{"false", "Yes", "", "update"},
		{"", "off", "x$", ""},
		{"", "", "count", "record"},
		{"", "1", "^testdata/c", "update record"},
		{"true", "", "other", ""},
		{"true", "0", "count", "testdata/count.txtar is not recorded where CI is set"},
		{"true", "1", "", "scripts are not updated where CI is set, but for LLMTEST_UPDATE=force"},
		{"woodpecker", "Force", "", "update"},
		{"", "maybe", "", "LLMTEST_UPDATE=maybe; want 1 or 0"},
		{"", "", "(", "LLMTEST_RECORD=(: error parsing regexp: missing closing ): `(`"},
	} {
		t.Setenv("CI", c.ci)
		t.Setenv("LLMTEST_UPDATE", c.update)
		t.Setenv("LLMTEST_RECORD", c.record)
		update, record, err := llmtest.Switched("testdata/count.txtar")
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case update && record:
			got = "update record"
		case update:
			got = "update"
		case record:
			got = "record"
		}
		assert.Equal(t, c.want, got, "%+v", c)
	}
	for _, c := range []struct{ flag, value, want string }{{"llm.update", "true", "true false"}, {"llm.record", "count", "false true"}} {
		for _, name := range []string{"CI", "LLMTEST_UPDATE", "LLMTEST_RECORD"} {
			t.Setenv(name, "")
		}
		f := flag.Lookup(c.flag)
		require.NotNil(t, f, c.flag)
		old := f.Value.String()
		require.NoError(t, f.Value.Set(c.value))
		update, record, err := llmtest.Switched("testdata/count.txtar")
		require.NoError(t, f.Value.Set(old))
		require.NoError(t, err)
		assert.Equal(t, c.want, fmt.Sprint(update, record))
	}
	assert.Equal(t, `go test -run 'TestX$/a\+b$' -llm.update`, llmtest.AcceptCommand("TestX/a+b"))
}

// TestUpdate changes the instructions of an agent with twenty scripts: one
// command without a model, one changed hunk in each file, and all pass.
func TestUpdate(t *testing.T) {
	quiet(t)
	dir := t.TempDir()
	for i := range 20 {
		text := fmt.Sprintf("Case %d.\n\n-- task --\nLook at %[1]d.\n-- reply --\nACT: look a%[1]d\n--  reply out=2 --\nACT: look nowhere\n-- expect --\n# kept\n-- reply --\nDONE: %[1]d\n-- answer --\n%[1]d\n", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txtar", i)), []byte(text), 0o666))
	}
	var live atomic.Int64
	suite := func(instructions string, all bool) (failures string) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		require.NoError(t, err)
		require.Len(t, paths, 20)
		for _, path := range paths {
			s := spyOn(t, "TestIt", func(s *spy) {
				llmtest.Play(s, path, func(c *llmtest.Case) (string, error) {
					c.Live = llm.AskFunc(func(context.Context, string) (string, error) { live.Add(1); return "DONE: 1", nil })
					l := loop(c)
					l.Instructions = instructions
					result, err := l.Run(t.Context(), c.Task)
					if all {
						llmtest.Golden(s, c.Player)
					}
					return result.Answer, err
				})
			})
			failures += s.text()
		}
		return failures
	}
	assert.Contains(t, suite("You act.\nOne move.", true), "nothing says what is asked here; add it with: go test -run 'TestIt$' -llm.update")
	t.Setenv("LLMTEST_UPDATE", "1")
	require.Empty(t, suite("You act.\nOne move.", true))
	t.Setenv("LLMTEST_UPDATE", "")
	require.Empty(t, suite("You act.\nOne move.", true))
	before := contents(t, dir)
	assert.Contains(t, before["7.txtar"], "-- added --\n\nACT: look a7\nOBS: saw a7\n--  reply out=2 --\n")

	drift := suite("You act.\nTwo moves.", false)
	assert.Equal(t, 20, strings.Count(drift, ": ask 1 of lane main: prompt differs in instructions"))
	assert.Equal(t, 20, strings.Count(drift, "accept with: "), "one message for each script")
	assert.Equal(t, before, contents(t, dir))

	t.Setenv("LLMTEST_UPDATE", "1")
	require.Empty(t, suite("You act.\nTwo moves.", false))
	for name, text := range contents(t, dir) {
		changes := string(diff.Diff("a", []byte(before[name]), "b", []byte(text)))
		assert.Equal(t, 1, strings.Count(changes, "\n@@ "), "%s", changes)
		assert.Equal(t, strings.Replace(before[name], "One move.", "Two moves.", 1), text)
	}
	assert.Zero(t, live.Load())
	t.Setenv("LLMTEST_UPDATE", "")
	require.Empty(t, suite("You act.\nTwo moves.", false))
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(data)
	}
	return files
}

// TestUpdateEnds rewrites the answer and the folder afterwards, and nothing where
// the test fails.
func TestUpdateEnds(t *testing.T) {
	quiet(t)
	t.Setenv("LLMTEST_UPDATE", "1")
	const start = "-- task --\nt\n-- reply --\nACT: write a.txt new\n-- reply --\nDONE: yes\n"
	path := write(t, start+"-- answer --\nno\n-- after a.txt --\nold\n")
	require.Empty(t, spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, path, edit) }).errors)
	assert.Equal(t, start+"-- answer --\nyes\n-- after a.txt --\nnew\n", contents(t, filepath.Dir(path))["x.txtar"])

	const wrong = start + "-- reply --\nDONE: left over\n-- answer --\nno\n"
	path = write(t, wrong)
	assert.Len(t, spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, path, edit) }).errors, 1)
	assert.Equal(t, map[string]string{"x.txtar": wrong}, contents(t, filepath.Dir(path)))
}

// TestUpdateElsewhere holds that a script is written where it was read, and the
// golden file of a script in code where that was made, also by a test that is then
// in another folder.
func TestUpdateElsewhere(t *testing.T) {
	quiet(t)
	t.Setenv("LLMTEST_UPDATE", "1")
	const start, end = "-- task --\nt\n-- reply --\nACT: write a.txt new\n-- reply --\nDONE: yes\n-- answer --\n", "yes\n"
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "x.txtar"), []byte(start), 0o666))
	t.Chdir(home)
	inCode := func(s *spy) {
		p := llmtest.Script(s, "DONE: yes")
		t.Chdir(t.TempDir())
		_, err := p.Ask(t.Context(), "t")
		require.NoError(t, err)
		llmtest.Golden(s, p)
	}
	require.Empty(t, spyOn(t, "TestIt", func(s *spy) {
		llmtest.Play(s, "x.txtar", func(c *llmtest.Case) (string, error) { t.Chdir(c.Dir); return edit(c) })
	}).errors)
	assert.Equal(t, map[string]string{"x.txtar": start + end}, contents(t, home))
	for _, update := range []string{"1", ""} {
		t.Setenv("LLMTEST_UPDATE", update)
		t.Chdir(home)
		require.Empty(t, spyOn(t, "TestIt", inCode).errors)
		assert.FileExists(t, filepath.Join(home, "testdata/golden/TestIt.txtar"))
	}
}

// TestUpdateLink holds that a script behind a symbolic link is written where it is.
func TestUpdateLink(t *testing.T) {
	quiet(t)
	t.Setenv("LLMTEST_UPDATE", "1")
	path := write(t, "-- task --\nt\n-- reply --\nDONE: yes\n-- answer --\n")
	link := filepath.Join(t.TempDir(), "link.txtar")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err) // Windows, without the right to make links
	}
	require.Empty(t, spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, link, edit) }).errors)
	assert.Contains(t, contents(t, filepath.Dir(path))["x.txtar"], "-- answer --\nyes\n")
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type())
}

// TestGoldenOutside holds that no name of a test leads out of testdata/golden.
func TestGoldenOutside(t *testing.T) {
	quiet(t)
	t.Setenv("LLMTEST_UPDATE", "1")
	t.Chdir(t.TempDir())
	s := spyOn(t, "TestIt/../../../x", func(s *spy) { llmtest.Golden(s, llmtest.Script(s)) })
	assert.Equal(t, `llmtest: the test's name "TestIt/../../../x" leads out of testdata/golden; give the subtest another`, s.text())
	assert.Empty(t, contents(t, "."))
}

// TestUpdateFolder holds that the folder of a run does not get into a golden.
func TestUpdateFolder(t *testing.T) {
	quiet(t)
	t.Setenv("LLMTEST_UPDATE", "1")
	const text = "-- task --\nt\n-- reply --\nACT: look .\n-- added --\n-- reply --\nDONE: yes\n"
	agent := func(c *llmtest.Case) (string, error) {
		l := loop(c)
		l.Tools[0].Call = func(context.Context, string) (string, error) { return "in " + c.Dir, nil }
		result, err := l.Run(t.Context(), c.Task)
		return result.Answer, err
	}
	path := write(t, text)
	s := spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, path, agent) })
	assert.Contains(t, s.text(), "write into the section script: normalize tempdir")
	assert.Equal(t, text, contents(t, filepath.Dir(path))["x.txtar"])

	path = write(t, "-- script --\nnormalize tempdir\n"+text)
	require.Empty(t, spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, path, agent) }).errors)
	assert.Contains(t, contents(t, filepath.Dir(path))["x.txtar"], "\nACT: look .\nOBS: in <tempdir 1>\n")
	t.Setenv("LLMTEST_UPDATE", "")
	require.Empty(t, spyOn(t, "TestIt", func(s *spy) { llmtest.Play(s, path, agent) }).errors)
}

// TestUpdateSecret holds that no secret is written.
func TestUpdateSecret(t *testing.T) {
	quiet(t)
	t.Setenv("LLMTEST_UPDATE", "1")
	key := "ghp_" + strings.Repeat("a1", 18)
	text := "-- task --\nt\n-- file a.txt --\n" + "?" + "\n-- reply --\nACT: read a.txt\n-- added --\n?\n-- reply --\nDONE: yes\n"
	for _, c := range []struct {
		name, seen string
		scrub      bool
		want       string // error
		holds      string
	}{
		{"shape", key, false, ": nothing is written: the added text of ask 2 of lane main, line 3, column 6, looks like a secret (GitHub token); set Scrub to replace it", "-- added --\n?\n"},
		{"scrub", key, true, "", "\nACT: read a.txt\nOBS: <secret GitHub token>\n"},
		{"value", "open sesame", false, "", "\nACT: read a.txt\nOBS: <secret CAVE_PASSWORD>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("CAVE_PASSWORD", "open sesame")
			path := write(t, text)
			s := spyOn(t, "TestIt", func(s *spy) {
				llmtest.Play(s, path, func(p *llmtest.Case) (string, error) {
					p.Scrub = c.scrub
					require.NoError(t, os.WriteFile(filepath.Join(p.Dir, "a.txt"), []byte(c.seen), 0o666))
					return edit(p)
				})
			})
			assert.Equal(t, c.want, strings.TrimPrefix(s.text(), filepath.ToSlash(path)))
			assert.Contains(t, contents(t, filepath.Dir(path))["x.txtar"], c.holds)
			assert.NotContains(t, contents(t, filepath.Dir(path))["x.txtar"], c.seen)
		})
	}
}

// TestGolden holds the golden file of a script in code.
func TestGolden(t *testing.T) {
	quiet(t)
	t.Chdir(t.TempDir())
	run := func(task string) *spy {
		return spyOn(t, "TestIt", func(s *spy) {
			p := llmtest.Script(s, llmtest.Status(500), "ACT: look here", "DONE: 2")
			_, err := loop(p).Run(t.Context(), task)
			if err != nil {
				_, err = loop(p).Run(t.Context(), task)
			}
			require.NoError(t, err)
			llmtest.Golden(s, p)
		})
	}
	assert.Equal(t, "there is no testdata/golden/TestIt.txtar; write it with: go test -run 'TestIt$' -llm.update", run("go").text())
	t.Setenv("LLMTEST_UPDATE", "1")
	require.Empty(t, run("go").errors)
	t.Setenv("LLMTEST_UPDATE", "")
	require.Empty(t, run("go").errors)
	data, err := os.ReadFile("testdata/golden/TestIt.txtar")
	require.NoError(t, err)
	prompt := react.ActDone{}.Instructions(loop(nil).Tools, "Act.", react.NoExample) + "\n\nTASK: go"
	assert.Equal(t, "What TestIt asks.\n\n-- prompt --\n"+prompt+"\n-- fault status 500 --\n-- added --\n-- reply --\nACT: look here\n-- added --\n\nACT: look here\nOBS: saw here\n-- reply --\nDONE: 2\n", string(data))
	assert.Contains(t, run("stop").text(), "testdata/golden/TestIt.txtar:3: ask 1 of lane main: prompt differs at line")
}

// TestGoldenChat holds the golden file of a script that calls functions.
func TestGoldenChat(t *testing.T) {
	quiet(t)
	t.Chdir(t.TempDir())
	run := func(task string) *spy {
		return spyOn(t, "TestIt", func(s *spy) {
			call := script.ToolCall{ToolCall: llm.ToolCall{Name: "look", Arguments: `{"input": "up"}`}}
			p := llmtest.Script(s, &script.Step{Calls: []script.ToolCall{call}}, "seen")
			_, err := react.Native{LLM: p, Tools: []tools.Tool{look}}.Run(t.Context(), task)
			require.NoError(t, err)
			llmtest.Golden(s, p)
		})
	}
	t.Setenv("LLMTEST_UPDATE", "yes")
	require.Empty(t, run("go").errors)
	t.Setenv("LLMTEST_UPDATE", "")
	require.Empty(t, run("go").errors)
	data, err := os.ReadFile("testdata/golden/TestIt.txtar")
	require.NoError(t, err)
	assert.Contains(t, string(data), "-- call look --\n{\"input\": \"up\"}\n-- added --\n[assistant]\n[call call_1 look]\n{\"input\": \"up\"}\n[tool call_1]\nsaw up\n-- reply --\nseen\n")
	assert.Contains(t, run("stop").text(), "testdata/golden/TestIt.txtar:3: ask 1 of lane main: prompt differs at line")
}
