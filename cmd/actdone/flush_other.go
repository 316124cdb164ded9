//go:build !linux

package main

import "io"

// flushTyped does nothing: what was typed before a question is taken for its
// answer on this system.
func flushTyped(io.Reader) {}
