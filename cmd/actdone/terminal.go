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

// obeysEscapes reports whether stream is a terminal that moves its cursor when
// told to.
func obeysEscapes(stream any) bool {
	if os.Getenv("TERM") == "dumb" {
		return false
	}
	if runtime.GOOS == "windows" && os.Getenv("WT_SESSION") == "" {
		return false // an old console shows escapes as they are
	}
	return isTerminal(stream)
}

// coloured reports whether text on stream may have colours.
func coloured(stream any) bool { return os.Getenv("NO_COLOR") == "" && obeysEscapes(stream) }

// widthOf returns what tells the width of the terminal that stream is.
func widthOf(stream any) func() int {
	return func() int {
		if f, ok := stream.(*os.File); ok {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
				return width
			}
		}
		return 80
	}
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
