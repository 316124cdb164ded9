package workspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// passed are the variables that commands get from this program. BASH_ENV,
// exported functions, LD_* and GIT_DIR are not among them, nor is any key.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR"}

// quiet are the settings that keep programs from paging, asking or colouring.
var quiet = []string{
	"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat",
	"EDITOR=true", "VISUAL=true", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
	"GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never", "DEBIAN_FRONTEND=noninteractive",
	"NO_COLOR=1", "PIP_PROGRESS_BAR=off", "TQDM_DISABLE=1",
}

// environment makes the environment of commands from that of this program and
// what the embedder adds, sorted by name.
func environment(parent, added []string) ([]string, error) {
	own := byName(parent)
	env := map[string]string{}
	for name, value := range own {
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") {
			env[name] = value
		}
	}
	maps.Copy(env, byName(quiet))
	for _, add := range added {
		name, value, set := strings.Cut(add, "=")
		if name == "" || strings.ContainsRune(add, 0) {
			return nil, fmt.Errorf("Config.Env has the bad entry %q; want NAME or NAME=value", add)
		}
		if !set {
			value, set = own[name]
		}
		if set {
			env[name] = value
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list, nil
}

func byName(env []string) map[string]string {
	m := map[string]string{}
	for _, e := range env {
		if name, value, ok := strings.Cut(e, "="); ok && name != "" {
			m[name] = value
		}
	}
	return m
}
