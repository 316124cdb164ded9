package script

import "strings"

// varying returns the built-in normalizer that would make a golden and what was
// asked alike, as a setting; "" if there is none.
func (v *view) varying(want, got string) string {
	p := v.player
	listed := append(p.Script.Normalize[:len(p.Script.Normalize):len(p.Script.Normalize)], p.Normalize...)
	for name := range strings.SplitSeq(builtinNames, ", ") {
		list := inOrder(append(listed, Normalizer{Name: name}), p.Dirs)
		wanted, asked := masks{list: list}, masks{list: list}
		if wanted.apply(want) == asked.apply(got) {
			return "normalize " + name
		}
	}
	return ""
}
