//go:build unix

package workspace

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkIsolation runs a command that does nothing: by plain exec of bash, and
// by the tool under each Runner.
func BenchmarkIsolation(b *testing.B) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		b.Skip(err)
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command(bash, "--noprofile", "--norc", "-c", "true").Run())
		}
	})
	for _, c := range []struct {
		name   string
		runner Runner
	}{{"unconfined", Unconfined{}}, {"bubblewrap", Bubblewrap{}}} {
		b.Run(c.name, func(b *testing.B) {
			if c.name == "bubblewrap" {
				needsBubblewrap(b)
			}
			w := openTemp(b, withRunnerOf(c.runner))
			for b.Loop() {
				_, err := w.bash(b.Context(), "true")
				require.NoError(b, err)
			}
		})
	}
}
