package llmtest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A spy is a test that may fail: it keeps what it is told.
type spy struct {
	testing.TB
	name     string
	errors   []string
	logs     []string
	failed   bool
	cleanups []func()
}

func (s *spy) Helper()          {}
func (s *spy) Name() string     { return s.name }
func (s *spy) Failed() bool     { return s.failed }
func (s *spy) Skipped() bool    { return false }
func (s *spy) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }
func (s *spy) Logf(format string, args ...any) {
	s.logs = append(s.logs, fmt.Sprintf(format, args...))
}
func (s *spy) Errorf(format string, args ...any) {
	s.failed = true
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}
func (s *spy) Fatalf(format string, args ...any) {
	s.Errorf(format, args...)
	runtime.Goexit()
}
func (s *spy) Fatal(args ...any) { s.Fatalf("%s", fmt.Sprint(args...)) }

// spyOn runs a test to its end, cleanups included.
func spyOn(t *testing.T, name string, test func(*spy)) *spy {
	s := &spy{TB: t, name: name}
	run := func(f func()) {
		done := make(chan any)
		go func() {
			defer close(done)
			defer func() {
				if v := recover(); v != nil {
					s.Errorf("panic: %v", v)
				}
			}()
			f()
		}()
		<-done
	}
	run(func() { test(s) })
	for len(s.cleanups) > 0 {
		last := s.cleanups[len(s.cleanups)-1]
		s.cleanups = s.cleanups[:len(s.cleanups)-1]
		run(last)
	}
	return s
}

// text returns the failures.
func (s *spy) text() string { return strings.Join(s.errors, "\n") }
