package workspace

import (
	"bytes"
	"strings"
)

// matches returns where the lines begin that are equal to search, up to most of
// them. Those found may overlap unless apart is set. It takes time in proportion
// to flat and search, whatever is in them (Knuth, Morris and Pratt).
func matches(flat []byte, search []string, apart bool, most int) []int {
	pattern := strings.Join(search, "\n") + "\n"
	shorter := borders(pattern)
	var starts []int
	n := 0 // bytes of pattern that end before i
	for i := 0; i < len(flat) && len(starts) < most; i++ {
		if n == 0 {
			next := bytes.IndexByte(flat[i:], pattern[0])
			if next < 0 {
				break
			}
			i += next
		}
		for n > 0 && pattern[n] != flat[i] {
			n = int(shorter[n])
		}
		if pattern[n] == flat[i] {
			n++
		}
		if n < len(pattern) {
			continue
		}
		start := i + 1 - n
		n = int(shorter[n])
		if startsLine(flat, start) {
			starts = append(starts, start)
			if apart {
				n = 0
			}
		}
	}
	return starts
}

// borders returns for each length of a beginning of pattern the length of the
// longest shorter beginning that it ends in.
func borders(pattern string) []int32 {
	b := make([]int32, len(pattern)+1)
	n := 0
	for i := 1; i < len(pattern); i++ {
		for n > 0 && pattern[n] != pattern[i] {
			n = int(b[n])
		}
		if pattern[n] == pattern[i] {
			n++
		}
		b[i+1] = int32(n)
	}
	return b
}
