package workspace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// benchTree makes a tree of source files, 200 MB of them or, with -short, 20,
// and opens it.
func benchTree(b *testing.B) (w *Workspace, files []string) {
	b.Helper()
	w = openTemp(b, withLimits(Limits{WalkTime: 5 * time.Minute}))
	size := 200 << 20
	if testing.Short() {
		size /= 10
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := 0; size > 0; i++ {
		text := benchFile(random, i)
		name := fmt.Sprintf("pkg%02d/sub%02d/file%05d.go", i%40, i/40%16, i)
		put(b, w, name, string(text))
		files = append(files, name)
		size -= len(text)
	}
	return w, files
}

// benchFile writes a file of 1 to 31 KiB. Every thousandth has the needle.
func benchFile(random *rand.Rand, i int) []byte {
	words := []string{"return", "err", "nil", "context", "config", "workspace", "value", "i++", "if x != y {", "}", "Result", "// the rest", "fmt.Println(text)"}
	var text bytes.Buffer
	for size := 1<<10 + random.IntN(30<<10); text.Len() < size; {
		if random.IntN(25) == 0 {
			fmt.Fprintf(&text, "func name%d(ctx context.Context) error {\n", random.IntN(1000))
		}
		text.WriteString("\t")
		for range random.IntN(10) {
			text.WriteString(words[random.IntN(len(words))] + " ")
		}
		text.WriteString("\n")
	}
	if i%1000 == 0 {
		text.WriteString("\t// the Needle_17 is here\n")
	}
	return text.Bytes()
}

// BenchmarkGrep reports how many times as long as grep and ripgrep the tool
// takes, where those are there.
func BenchmarkGrep(b *testing.B) {
	w, _ := benchTree(b)
	for _, c := range []struct{ name, input, pattern, flag string }{
		{"rare", "Needle_17", "Needle_17", "-n"},
		{"absent", "no such text", "no such text", "-n"},
		{"lines", `^func name\d+7\(`, `^func name[0-9]+7\(`, "-n"},
		{"ignore-case", "case=i needle_17", "needle_17", "-ni"},
		{"no-literal", `[A-Z][a-z]+[0-9]{3}`, `[A-Z][a-z]+[0-9]{3}`, "-n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, err := call(b, w, "grep", c.input)
				require.NoError(b, err)
			}
			own := b.Elapsed() / time.Duration(b.N)
			for unit, args := range map[string][]string{"x-grep": {"grep", "-rE", c.flag, c.pattern, w.dir}, "x-rg": {"rg", c.flag, c.pattern, w.dir}} {
				if _, err := exec.LookPath(args[0]); err != nil {
					b.Log(err)
					continue
				}
				b.ReportMetric(float64(own)/float64(timed(args)), unit)
			}
		})
	}
}

// timed returns the shortest of three runs of a program. That it finds nothing
// is no failure.
func timed(args []string) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := time.Now()
		exec.Command(args[0], args[1:]...).Run()
		best = min(best, time.Since(start))
	}
	return best
}

// BenchmarkReadFile reads the files of the tree in turn, and reports how many
// times as long as only reading them that takes.
func BenchmarkReadFile(b *testing.B) {
	w, files := benchTree(b)
	next := 0
	for b.Loop() {
		_, err := call(b, w, "read_file", files[next%len(files)])
		require.NoError(b, err)
		next++
	}
	own := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	for i := range next {
		_, err := os.ReadFile(filepath.Join(w.dir, files[i%len(files)]))
		require.NoError(b, err)
	}
	b.ReportMetric(float64(own)*float64(next)/float64(time.Since(start)), "x-ReadFile")
}

// BenchmarkChanged takes what the first call that may change something costs
// beside, and Changed at the end of a run.
func BenchmarkChanged(b *testing.B) {
	w, _ := benchTree(b)
	for b.Loop() {
		w.baseline.census = nil
		require.NoError(b, w.note(b.Context(), Exec))
		_, err := w.Changed()
		require.NoError(b, err)
	}
}
