package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// isTerminal reports whether a stream given to run is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// coloured reports whether text on stream may have colours.
func coloured(stream any) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	if runtime.GOOS == "windows" && os.Getenv("WT_SESSION") == "" {
		return false // an old console shows escapes as they are
	}
	return isTerminal(stream)
}

// visible makes the characters of s that a terminal would obey, or that change
// how the text round them looks, visible as escapes. Tabs and newlines stay. The result is valid UTF-8.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if !strings.ContainsFunc(s, obeyed) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if obeyed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func obeyed(r rune) bool {
	return r != '\t' && r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
