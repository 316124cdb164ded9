package llmtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The switches, and the variables of the environment that do the same for
// packages whose test binaries do not have them.
const (
	updateFlag, updateEnv = "llm.update", "LLMTEST_UPDATE"
	recordFlag, recordEnv = "llm.record", "LLMTEST_RECORD"
)

// init registers the switches. It must happen before the test binary reads its
// arguments. A name that is taken is left to its owner.
func init() {
	if !testing.Testing() {
		return
	}
	if flag.Lookup(updateFlag) == nil {
		flag.Bool(updateFlag, false, "rewrite the prompts, answers and files that scripts expect; asks no model")
	}
	if flag.Lookup(recordFlag) == nil {
		flag.String(recordFlag, "", "ask the live model in place of the scripts whose path matches `regexp`, and rewrite them")
	}
}

// A mode says what becomes of a script file when the test has passed.
type mode struct{ update, record bool }

// writes reports whether the file is written.
func (m mode) writes() bool { return m.update || m.record }

// modeFor returns the mode for a script. It ends the test if the switches are
// wrong or refused.
func modeFor(t testing.TB, path string) mode {
	t.Helper()
	m, err := switched(filepath.ToSlash(path))
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	return m
}

// switched reads the switches.
func switched(path string) (m mode, err error) {
	ci, err := on("CI", os.Getenv("CI"))
	ci = ci || err != nil // such as CI=woodpecker
	value := os.Getenv(updateEnv)
	force := strings.EqualFold(value, "force")
	if m.update, err = on(updateEnv, value); err != nil && !force {
		return m, err
	}
	m.update = m.update || force || flagValue(updateFlag) == "true"
	re, err := recordRegexp()
	if err != nil {
		return m, err
	}
	m.record = re != nil && re.MatchString(path)
	switch {
	case m.record && ci:
		return m, fmt.Errorf("%s is not recorded where CI is set", path)
	case m.update && ci && !force:
		return m, fmt.Errorf("scripts are not updated where CI is set, but for %s=force", updateEnv)
	}
	return m, nil
}

// on reads a switch of the environment.
func on(name, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false, nil
	case "1", "true", "yes", "on":
		return true, nil
	}
	return false, fmt.Errorf("%s=%s; want 1 or 0", name, value)
}

// recordRegexp returns what the paths of scripts to record match, or nil.
func recordRegexp() (*regexp.Regexp, error) {
	name, value := "-"+recordFlag, flagValue(recordFlag)
	if value == "" {
		name, value = recordEnv, os.Getenv(recordEnv)
	}
	if value == "" {
		return nil, nil
	}
	re, err := regexp.Compile(value)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", name, value, err)
	}
	return re, nil
}

// flagValue returns the value of a flag of the test binary, or "".
func flagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// acceptCommand returns the command that accepts what a test has found changed.
func acceptCommand(test string) string {
	var names []string
	for _, name := range strings.Split(test, "/") {
		names = append(names, regexp.QuoteMeta(name)+"$")
	}
	return fmt.Sprintf("go test -run '%s' -%s", strings.Join(names, "/"), updateFlag)
}
