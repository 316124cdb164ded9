package workspace

import "strings"

// skips counts what a search passed over.
type skips struct {
	secret     int // files that may hold secrets
	binary     int // files that are not text
	large      int // files too large to be searched
	special    int // pipes, sockets and devices
	unreadable int // files and directories
	bulky      int // directories of dependencies and caches, .git not counted
	deep       int // directories
}

// String lists what was skipped. It is empty if that is nothing.
func (s skips) String() string {
	var parts []string
	add := func(n int, one, more string) {
		if n > 0 {
			parts = append(parts, count(n, one, more))
		}
	}
	add(s.secret, "secret file", "secret files")
	add(s.binary, "binary file", "binary files")
	add(s.large, "file over 4 MiB", "files over 4 MiB")
	add(s.special, "special file", "special files")
	add(s.unreadable, "unreadable file or directory", "unreadable files or directories")
	add(s.bulky, "dependency directory", "dependency directories")
	add(s.deep, "directory nested too deeply", "directories nested too deeply")
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " skipped"
}

// behind puts text, unless it is empty, in brackets behind a line.
func behind(line, text string) string {
	if text == "" {
		return line
	}
	return line + " (" + text + ")"
}
