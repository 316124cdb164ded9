package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
)

// asCommand, set in the environment, makes the test binary be actdone.
const asCommand = "ACTDONE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"actdone": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireUniqueNames: true})
}

// TestUse is about what is wrong before anything is run.
func TestUse(t *testing.T) {
	for _, test := range []struct {
		name   string
		args   string
		exit   int
		stdout string // a part of it
		stderr string // all of it
	}{
		{"nothing", "", 2, "", `actdone: say what to do: start with "actdone demo", or see "actdone --help"`},
		{"help", "--help", 0, `Start with "actdone demo". It needs no set-up.`, ""},
		{"help-of-run", "help run", 0, "A script is a text archive", ""},
		{"version", "--version", 0, "actdone version ", ""},
		{"command", "rnu", 2, "", `actdone: unknown command "rnu"; did you mean run?; see "actdone --help"`},
		{"help-of-nothing", "help nonsense", 2, "", `actdone: unknown command "nonsense"; see "actdone --help"`},
		{"shell", "completion tcsh", 2, "", `actdone: unknown command "tcsh"; see "actdone completion --help"`},
		{"no-shell", "completion", 2, "", `actdone: which shell? see "actdone completion --help"`},
		{"completion", "completion bash", 0, "# bash completion", ""},
		{"flag", "run --scirpt x", 2, "", `actdone: unknown flag: --scirpt; did you mean --script?; see "actdone run --help"`},
		{"short-flag", "run -Z", 2, "", `actdone: unknown shorthand flag: 'Z' in -Z; see "actdone run --help"`},
		{"no-value", "run --script", 2, "", `actdone: flag needs an argument: --script; see "actdone run --help"`},
		{"no-quotes", "run why this", 2, "", `actdone: 2 arguments, want one; put the task in quotes: actdone run "why this"`},
		{"steps", "run --script x --max-steps 0", 2, "", "actdone: --max-steps 0: want 1 or more"},
		{"retries", "run --script x --retries -1", 2, "", "actdone: --retries -1: want 0 or more"},
		{"timeout", "run --timeout -1s x", 2, "", "actdone: --timeout -1s: want a time, or 0 for no limit"},
		{"temperature", "run --base-url http://127.0.0.1:9/v1 --model m --temperature -1 x", 2, "", "actdone: --temperature -1: want 0 or more"},
		{"script-model", "run --script x --model m", 2, "", "actdone: --script plays a script, --model is about a model: give one of them"},
		{"script-server", "run --script x --base-url http://127.0.0.1:9/v1", 2, "", "actdone: --script plays a script, --base-url is about a model: give one of them"},
		{"address", "run --base-url localhost:11434 --model m x", 2, "", "actdone: the base URL wants a scheme and a host, such as http://127.0.0.1:11434/v1"},
		{"address-key", "run --base-url http://127.0.0.1:9/v1?key=hunter2 --model m x", 2, "", "actdone: the base URL holds a query or a user; a key goes into OPENAI_API_KEY"},
		{"no-task", "run --base-url http://127.0.0.1:9/v1 --model m", 2, "", "actdone: no task: write it behind the flags, in quotes, or in a task section of the script"},
		{"allow", "prompt --allow read,wipe x", 2, "", `actdone: --allow "wipe": want read, write or exec`},
		{"isolation", "prompt --isolation docker x", 2, "", `actdone: --isolation "docker": want bubblewrap or unconfined`},
		{"allow-apart", "run --script x --allow write exec", 2, "", `actdone: "exec" stands apart from the list of --allow and would be the task; the list has commas: --allow write,exec`},
		{"allow-apart-task", "run --script x --allow write exec do", 2, "", `actdone: "exec" stands apart from the list of --allow and would be the task; the list has commas: --allow write,exec`},
		{"allow-apart-chat", "chat --allow write exec", 2, "", `actdone: "exec" stands apart from the list of --allow and would be the task; the list has commas: --allow write,exec`},
		{"timeout-unit", "run --timeout 5 x", 2, "", `actdone: --timeout "5": want a duration such as 90s or 10m`},
		{"read-dir", "prompt --allow exec --read-dir none/there x", 2, "", "actdone: --read-dir: stat none/there: no such file or directory"},
		{"read-dir-unconfined", "prompt --isolation unconfined --read-dir . x", 2, "", "actdone: --read-dir opens something to isolated commands; with --isolation unconfined all is open: leave one of them out"},
		{"network-unconfined", "prompt --isolation unconfined --network x", 2, "", "actdone: --network opens something to isolated commands; with --isolation unconfined all is open: leave one of them out"},
		{"network-no-commands", "prompt --network x", 2, "", "actdone: --network is about commands, of which this run has none; --allow exec allows them"},
		{"env-no-commands", "prompt --env A=1 x", 2, "", "actdone: --env is about commands, of which this run has none; --allow exec allows them"},
		{"env", "prompt --allow exec --env =1 x", 2, "", `actdone: --env "=1": want NAME or NAME=VALUE`},
		{"isolation-name", "tools --isolation=bubblewrap", 2, "", `actdone: "actdone tools --isolation" takes no name: it tells of each; "actdone run --isolation NAME" chooses one`},
		{"isolation-word", "tools --isolation bubblewrap", 2, "", `actdone: "actdone tools --isolation" takes no name: it tells of each; "actdone run --isolation NAME" chooses one`},
		{"run-help-whole", "run --help", 0, "--json and\n--save FILE have the whole", ""},
		{"parse-help", "parse --help", 0, "whatever a run may do.", ""},
		{"demo-args", "demo x", 2, "", `actdone: "actdone demo" takes no arguments, got "x"`},
		{"parse-args", "parse a b", 2, "", `actdone: "actdone parse" takes no arguments, got "b"`},
		{"prompt-nothing", "prompt", 2, "", `actdone: no task; for example: actdone prompt "which port does the server use?"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			exit := run(t.Context(), strings.Fields(test.args), strings.NewReader(""), &stdout, &stderr)
			assert.Equal(t, test.exit, exit)
			assert.Contains(t, stdout.String(), test.stdout)
			assert.Equal(t, test.stderr, strings.TrimSuffix(stderr.String(), "\n"))
			if exit != 0 {
				assert.Empty(t, stdout.String())
			}
		})
	}
}
