package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/llm/llmtest"
	"github.com/actdone/actdone/react"
)

// token is what looks like one of GitHub's.
var token = "ghp_" + strings.Repeat("0aZ9", 9)

// recordTo returns the name of a file that is not there yet, and sees to it that
// temporary files go to the test's own folder.
func recordTo(t *testing.T) (name, temp string) {
	t.Helper()
	temp = t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	return filepath.Join(t.TempDir(), "run.txtar"), temp
}

// kept returns what is left in the folder of temporary files, and its name.
func kept(t *testing.T, temp string) (name, text string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(temp, "actdone-record-*.txtar"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	data, err := os.ReadFile(names[0])
	require.NoError(t, err)
	return names[0], string(data)
}

// undated returns a script without what changes from day to day and with the
// instructions.
func undated(text string) string {
	return regexp.MustCompile(`on=\S+ (model=\S+) of=[0-9a-f]{8}`).ReplaceAllString(text, "on=TODAY $1 of=HASH")
}

// plays checks that a recorded script passes at once, here and in a test, and that
// its replies still answer the prompts that they were recorded for.
func plays(t *testing.T, name, dir string, flags ...string) {
	t.Helper()
	exit, stdout, stderr := call(t, "", append([]string{"run", "--script", name, "-C", dir}, flags...)...)
	assert.Equal(t, 0, exit, stderr)
	assert.Equal(t, "one\n", stdout)
	assert.NotContains(t, stderr, "actdone:")
	exit, _, stderr = call(t, "", "script", "check", name)
	assert.Equal(t, 0, exit, stderr)
	exit, stdout, stderr = call(t, "", "script", "fmt", "--check", name)
	assert.Equal(t, 0, exit, stdout+stderr)
	llmtest.Run(t, name, func(t *testing.T, c *llmtest.Case) (string, error) {
		folder, err := openFolder(c.Dir, false)
		require.NoError(t, err)
		defer folder.Close()
		var result react.Result
		if callsFunctions(c.Script) {
			result, err = react.Native{LLM: c, Tools: folder.Tools()}.Run(t.Context(), c.Task)
		} else {
			result, err = react.Loop{LLM: c, Tools: folder.Tools(), Retries: defaultRetries}.Run(t.Context(), c.Task)
		}
		return result.Answer, err
	})
}

func TestRecord(t *testing.T) {
	for _, test := range []struct {
		name    string
		flags   string
		answers []answer
		want    string
	}{
		{"text", "--max-steps 7", []answer{{text: "I look.\nACT: list .", prompt: 400}, {text: "DONE: one\n", prompt: 420}}, `-- task --
how many files?
-- reply in=400 out=7 cached=5 on=TODAY model=small of=HASH --
I look.
ACT: list .
-- reply in=420 out=7 cached=5 on=TODAY model=small of=HASH --
DONE: one

-- answer --
one
`},
		{"early-stop", "--early-stop", []answer{{text: "ACT: list .\nOBS: nothing\nDONE: none"}, {text: "DONE: one"}}, `-- task --
how many files?
-- reply on=TODAY model=small of=HASH --
ACT: list .
OBS: nothing
DONE: none
-- reply on=TODAY model=small of=HASH --
DONE: one
-- answer --
one
`},
		{"cut", "", []answer{{text: "ACT: li", finish: "length"}, {text: "DONE: one"}}, `-- task --
how many files?
-- reply finish=length on=TODAY model=small of=HASH --
ACT: li
-- reply on=TODAY model=small of=HASH --
DONE: one
-- answer --
one
`},
		{"marker", "", []answer{{text: "-- reply --\nDONE: one"}}, `-- task --
how many files?
-- reply encoding=quoted on=TODAY model=small of=HASH --
>-- reply --
>DONE: one
-- answer --
one
`},
		{"native", "--native", []answer{{text: "I look.", calls: [][2]string{{"list", `{"input":"."}`}}, finish: "tool_calls"}, {text: "one"}}, `-- script --
api chat
-- task --
how many files?
-- reply on=TODAY model=small of=HASH --
I look.
-- call list --
{"input":"."}
-- reply on=TODAY model=small of=HASH --
one
-- answer --
one
`},
		{"native-no-call", "--native", []answer{{text: "one"}}, `-- script --
api chat
-- task --
how many files?
-- reply on=TODAY model=small of=HASH --
one
-- answer --
one
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := serve(t, test.answers...)
			name, temp := recordTo(t)
			exit, stdout, stderr := f.ask(t, append(strings.Fields(test.flags), "--record", name)...)
			require.Equal(t, 0, exit, stderr)
			assert.Equal(t, "one\n", stdout)
			script, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Equal(t, test.want, undated(string(script)))
			assert.Regexp(t, `\nactdone: recorded \d repl(y|ies) in \S+; to play it: actdone run --script \S+ --dir \S+`, stderr)
			plays(t, name, f.dir)
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

// TestRecordNot: what is no whole run, or holds secrets, is not written where it
// was to be, nor lost.
func TestRecordNot(t *testing.T) {
	for _, test := range []struct {
		name    string
		flags   string
		answers []answer
		told    string
		kept    string
	}{
		{"no-answer", "--retries 0", []answer{{text: "ACT: list ."}, {status: 500, text: "no"}},
			`actdone: nothing is recorded in NAME, for the run has no answer; the replies so far are in KEPT`, "-- task --\nhow many files?\n-- reply on=TODAY model=small of=HASH --\nACT: list .\n"},
		{"shape", "", []answer{{text: "ACT: list ."}, {text: "DONE: it is\n" + token}},
			"actdone: nothing is recorded in NAME; what there is, without secrets, is in KEPT: the reply to ask 2, line 2, column 1, looks like a secret (GitHub token)\n  the answer, line 2, column 1, looks like a secret (GitHub token)",
			"-- task --\nhow many files?\n-- reply on=TODAY model=small of=HASH --\nACT: list .\n-- reply on=TODAY model=small of=HASH --\nDONE: it is\n<secret GitHub token>\n-- answer --\nit is\n<secret GitHub token>\n"},
		{"arguments", "--native", []answer{{calls: [][2]string{{"list", "."}}, finish: "tool_calls"}, {text: "one"}},
			"actdone: nothing is recorded in NAME; what there is, without secrets, is in KEPT: a script cannot hold what the model replied: NAME:5: the arguments of the call are no JSON: invalid character '.' looking for beginning of value; for none write {}",
			"-- script --\napi chat\n-- task --\nhow many files?\n-- call list on=TODAY model=small of=HASH --\n.\n-- reply on=TODAY model=small of=HASH --\none\n-- answer --\none\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := serve(t, test.answers...)
			name, temp := recordTo(t)
			exit, _, stderr := f.ask(t, append(strings.Fields(test.flags), "--record", name)...)
			assert.Equal(t, 1, exit)
			assert.NoFileExists(t, name)
			keptIn, text := kept(t, temp)
			assert.Contains(t, strings.NewReplacer(name, "NAME", keptIn, "KEPT").Replace(stderr), test.told+"\n")
			assert.Equal(t, test.kept, undated(text))
			assert.NotContains(t, stderr, token)
		})
	}
}

// TestRecordInterrupted: a reply that was under way is no reply.
func TestRecordInterrupted(t *testing.T) {
	f := serve(t, answer{text: "ACT: list ."})
	ctx, interrupt := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(f.asked) == 0 {
			f.ServeHTTP(w, r)
			return
		}
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"DONE: on"}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		interrupt()
		<-r.Context().Done()
	}))
	defer server.Close()
	name, temp := recordTo(t)
	var stdout, stderr bytes.Buffer
	exit := run(ctx, []string{"run", "-C", t.TempDir(), "--base-url", server.URL + "/v1", "--model", "small", "--record", name, "how many files?"},
		strings.NewReader(""), &stdout, &stderr)
	assert.Equal(t, 1, exit)
	assert.NoFileExists(t, name)
	_, text := kept(t, temp)
	assert.Equal(t, "-- task --\nhow many files?\n-- reply on=TODAY model=small of=HASH --\nACT: list .\n", undated(text))
}

// TestRecordValue: what is known to be a secret is replaced, and the script plays.
func TestRecordValue(t *testing.T) {
	f := serve(t, answer{text: "ACT: list hunter2hunter2"}, answer{text: "DONE: one"})
	t.Setenv("GUESTBOOK_PASSWORD", "hunter2hunter2")
	name, _ := recordTo(t)
	exit, _, stderr := f.ask(t, "--record", name)
	require.Equal(t, 0, exit, stderr)
	assert.Contains(t, stderr, "actdone: note: the value of GUESTBOOK_PASSWORD stands in the script as <secret GUESTBOOK_PASSWORD>\n")
	script, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(script), "ACT: list <secret GUESTBOOK_PASSWORD>\n")
	exit, _, stderr = call(t, "", "run", "--script", name, "-C", f.dir)
	assert.Equal(t, 0, exit)
	assert.Equal(t, 1, strings.Count(stderr, "was recorded for another prompt\n"), stderr)
	assert.Contains(t, stderr, "actdone: note: the reply at "+name+":5 was recorded for another prompt\n")
	assert.NotContains(t, string(script), "hunter2")
}

func TestRecordUse(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there.txtar")
	require.NoError(t, os.WriteFile(there, []byte("mine\n"), 0o600))
	for _, test := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"there", []string{"--record", there}, "--record: " + there + " is there already; name a new file"},
		{"folder", []string{"--record", filepath.Join(there, "x")}, "--record: "},
		{"continue", []string{"--record", "x", "--continue", there}, "--record writes a whole run, --continue goes on from the middle of one: give one of them"},
		{"script", []string{"--record", "x", "--script", "y"}, "--script plays a script, "},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := serve(t, answer{text: "DONE: one"})
			exit, stdout, stderr := f.ask(t, test.flags...)
			assert.Equal(t, 2, exit)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, test.want)
			assert.Empty(t, f.asked)
		})
	}
	data, err := os.ReadFile(there)
	require.NoError(t, err)
	assert.Equal(t, "mine\n", string(data))
}
