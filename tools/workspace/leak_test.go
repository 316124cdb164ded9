//go:build unix

package workspace

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestMain looks, after all tests, for what they have left behind: a process, an
// open file, a goroutine, a temporary file.
func TestMain(m *testing.M) {
	temp, err := os.MkdirTemp("", "w")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", temp)
	openSome()
	files, goroutines := openNames(), runtime.NumGoroutine()
	status := m.Run()
	if status == 0 && !fuzzing() {
		for _, leak := range leaks(temp, files, goroutines) {
			fmt.Println("left behind:", leak)
			status = 1
		}
	}
	os.RemoveAll(temp)
	os.Exit(status)
}

// openSome opens what stays open once it was used, such as the poller.
func openSome() {
	if r, w, err := os.Pipe(); err == nil {
		r.SetReadDeadline(time.Now())
		r.Close()
		w.Close()
	}
}

// fuzzing reports whether this process fuzzes, which has workers of its own.
func fuzzing() bool {
	return slices.ContainsFunc(os.Args, func(arg string) bool { return len(arg) > 10 && arg[:10] == "-test.fuzz" })
}

func leaks(temp string, files []string, goroutines int) (found []string) {
	for range 100 { // what was cancelled takes a moment
		found = leaksNow(temp, files, goroutines)
		if len(found) == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return found
}

func leaksNow(temp string, files []string, goroutines int) (found []string) {
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
		found = append(found, fmt.Sprintf("a child process (%d, %v)", pid, err))
	}
	for _, name := range openNames() {
		if !slices.Contains(files, name) {
			target, _ := os.Readlink("/dev/fd/" + name)
			found = append(found, fmt.Sprintf("the open file %s (%s)", name, target))
		}
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		stacks := make([]byte, 64<<10)
		found = append(found, fmt.Sprintf("%d goroutines:\n%s", n-goroutines, stacks[:runtime.Stack(stacks, true)]))
	}
	entries, _ := os.ReadDir(temp)
	for _, entry := range entries {
		found = append(found, "the file "+entry.Name())
	}
	return found
}

// openNames returns the numbers of the open files, but for that which it needs
// to look.
func openNames() (names []string) {
	entries, _ := os.ReadDir("/dev/fd")
	for _, entry := range entries {
		if _, err := os.Readlink("/dev/fd/" + entry.Name()); err == nil {
			names = append(names, entry.Name())
		}
	}
	return names
}
