package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDemoFormat: the demo plays whatever a script can say.
func TestDemoFormat(t *testing.T) {
	if folder, err := openFolder(t.TempDir(), true); err != nil {
		t.Skip(err)
	} else {
		folder.Close()
	}
	const begin = "-- task --\ncount\n-- file a --\ntext\n"
	for _, test := range []struct {
		name   string
		script string
		stdout string
		told   string // "" for a success
	}{
		{"faults", begin + "-- lane one --\n-- when --\ncontains TASK: count\n-- fault cut after=1 --\nDONE: two or three\n" +
			"-- expect --\ncontains REFUSED:\n-- fault empty --\n-- reply --\nACT: bash rm a; echo b >b\n" +
			"-- added --\n\nACT: bash rm a; echo b >b\nOBS: (no output)\n-- reply --\nDONE: two\n-- answer --\ntwo\n-- after b --\nb\n", "two\n", ""},
		{"calls", begin + "-- expect --\ntool bash\n-- call bash --\n{\"input\": \"cat a\"}\n-- expect --\ncontains text\n-- reply --\nIt says text.\n", "It says text.\n", ""},
		{"expect", begin + "-- expect --\ncontains TASK: mount\n-- reply --\nDONE: two\n", "two\n", "actdone: demo.txtar:6: ask 1 of lane main: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("TMP", os.Getenv("TMPDIR"))
			defer func(old []byte) { demoScript = old }(demoScript)
			demoScript = []byte(test.script)
			exit, stdout, stderr := call(t, "", "demo")
			assert.Equal(t, test.stdout, stdout)
			if test.told == "" {
				require.Equal(t, 0, exit, stderr)
				assert.NotContains(t, stderr, "actdone: ")
				return
			}
			assert.Equal(t, 1, exit)
			assert.Contains(t, stderr, test.told)
		})
	}
}
