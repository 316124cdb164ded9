package script

import "strings"

// mostWords is how many words of a line are compared.
const mostWords = 60

// wordDiff returns got with the words that it lacks of want in [-…-] and those
// that it has beyond in {+…+}.
func wordDiff(want, got string) string {
	a, b := tokens(narrow(want, 0)), tokens(narrow(got, sharedStart(want, got)))
	common := lengths(a, b)
	var out strings.Builder
	var gone, come string
	flush := func() {
		if gone != "" {
			out.WriteString("[-" + gone + "-]")
		}
		if come != "" {
			out.WriteString("{+" + come + "+}")
		}
		gone, come = "", ""
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			flush()
			out.WriteString(a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			gone += a[i]
			i++
		default:
			come += b[j]
			j++
		}
	}
	flush()
	return visible(strings.TrimRight(out.String(), " "))
}

// sharedStart returns where got goes on differently from want, if want begins in
// it somewhere, so that this place is seen.
func sharedStart(want, got string) int {
	for n := len(want); n > 3; n /= 2 {
		if i := strings.Index(got, want[:n]); i >= 0 {
			return i
		}
	}
	return 0
}

// tokens cuts a line into words, each with the blanks behind it.
func tokens(line string) []string {
	var list []string
	for line != "" && len(list) < mostWords {
		n := wordLen(line)
		list, line = append(list, line[:n]), line[n:]
	}
	if line != "" {
		list = append(list, "…")
	}
	return list
}

// lengths returns for each pair of ends how many tokens they have in common, in
// order.
func lengths(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}
