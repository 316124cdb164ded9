package llmtest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/actdone/actdone/llm/script"
)

// Main runs the tests of a package and exits, for a package that wants to know
// which of its scripts no test plays:
//
//	func TestMain(m *testing.M) { llmtest.Main(m) }
//
// If all tests have passed, it also fails for script files below testdata that
// none has opened, and for a -llm.record that matches no script. It says nothing
// where only some of the tests were run.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 && wholeRun() {
		code = complain(os.Stderr, "testdata")
	}
	os.Exit(code)
}

// wholeRun reports whether all tests were run.
func wholeRun() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if flagValue(name) != "" {
			return false
		}
	}
	return !testing.Short()
}

// complain tells what is odd about the scripts of a package. It returns the exit
// code.
func complain(w io.Writer, dir string) int {
	code := 0
	paths := opened.list()
	if re, err := recordRegexp(); err == nil && re != nil && flagValue(recordFlag) != "" && !slices.ContainsFunc(paths, re.MatchString) {
		fmt.Fprintf(w, "llmtest: -%s=%s matches none of the scripts that were opened\n", recordFlag, re)
		code = 1
	}
	for _, path := range scripts(dir) {
		if !slices.Contains(paths, path) {
			fmt.Fprintf(w, "llmtest: no test opens %s\n", path)
			code = 1
		}
	}
	return code
}

// scripts returns the script files in a folder. What cannot be read as a script
// is something else.
func scripts(dir string) []string {
	var list []string
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error { // none of whose errors is returned
		if err != nil || !strings.HasSuffix(path, ".txtar") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		if _, err := script.Parse(path, data); err == nil {
			list = append(list, filepath.ToSlash(path))
		}
		return nil
	})
	return list
}

// opened are the script files that the tests of this package have opened, for
// Main.
var opened files

type files struct {
	mu    sync.Mutex
	paths []string
}

// add keeps a path.
func (f *files) add(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.paths = append(f.paths, filepath.ToSlash(filepath.Clean(path)))
}

// list returns the paths.
func (f *files) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.paths)
}
