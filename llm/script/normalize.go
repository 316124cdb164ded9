package script

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// builtinNames lists the built-in normalizers in the order in which they run.
const builtinNames = "tempdir, uuid, time, duration, hex, port"

// builtins are the built-in normalizers but tempdir, which depends on the test.
var builtins = map[string]*regexp.Regexp{
	"tempdir":  nil,
	"uuid":     regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`),
	"time":     regexp.MustCompile(strings.Join(timeForms, "|")),
	"duration": regexp.MustCompile(`\b(?:\d+(?:\.\d+)?(?:ns|µs|μs|us|ms|h|m|s))+\b`),
	"hex":      regexp.MustCompile(`\b(?:0x)?(?:[0-9a-f]{12,}|[0-9A-F]{12,})\b`),
	"port":     regexp.MustCompile(`(?:\blocalhost|\b\d+\.\d+\.\d+\.\d+|\[[0-9a-fA-F:]*\]):(\d{1,5})\b`),
}

// The forms of a time: RFC 3339 and its like, log, RFC 1123 and 850, Unix date
// and ANSI C, ls -l, and the time of day.
var timeForms = []string{
	`\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?Z| ?[+-]\d\d:?\d\d(?: [A-Z]{3,4})?| UTC| GMT)?`,
	`\b` + day + `[a-z]*, \d\d[ -]` + month + `[ -]\d{2,4} \d\d:\d\d:\d\d(?: [A-Z]{3,4}| [+-]\d{4})?`,
	`\b` + day + ` ` + month + ` [ \d]\d \d\d:\d\d:\d\d(?: [A-Z]{3,4})? \d{4}\b`,
	`\b` + month + ` [ \d]\d (?:\d\d:\d\d(?::\d\d)?|[ ]?\d{4})\b`,
	`\b\d\d:\d\d:\d\d(?:\.\d+)?\b`,
}

const (
	day   = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)`
	month = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)`
)

// inOrder returns normalizers in the order in which they run, with their
// expressions: own ones first, built-in ones so that none spoils another.
func inOrder(list []Normalizer, dirs []string) []Normalizer {
	list = slices.Clone(list)
	order := func(n Normalizer) int {
		if n.Regexp != nil {
			return -1
		}
		return strings.Index(builtinNames, n.Name)
	}
	slices.SortStableFunc(list, func(a, b Normalizer) int { return cmp.Compare(order(a), order(b)) })
	for i, n := range list {
		switch {
		case n.Regexp != nil:
		case n.Name == "tempdir":
			list[i].Regexp = tempdir(dirs)
		default:
			list[i].Regexp = builtins[n.Name]
		}
	}
	return list
}

// tempdir matches the folders given and those below the system's for temporary
// files.
func tempdir(dirs []string) *regexp.Regexp {
	dirs = slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return strings.Trim(dir, `/\`) == "" })
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var forms []string
	for _, dir := range dirs {
		forms = append(forms, regexp.QuoteMeta(strings.TrimRight(dir, `/\`)))
	}
	forms = append(forms, regexp.QuoteMeta(strings.TrimRight(os.TempDir(), `/\`))+`[/\\][^\s/\\:;,"'`+"`"+`()<>]+`)
	return regexp.MustCompile(`(` + strings.Join(forms, "|") + `)(?:[^\w.-]|\.?$|\.\s)`)
}

// masks replace what differs from run to run, on one side (the script's or that
// of the asks) of one conversation.
type masks struct {
	list []Normalizer
	ids  map[string]map[string]int // by name and by text
}

// apply returns text with what was found replaced. It gives one text the same
// number again, also in later calls.
func (m *masks) apply(text string) string {
	for _, n := range m.list {
		text = m.mask(n, text)
	}
	return text
}

func (m *masks) mask(n Normalizer, text string) string {
	var b strings.Builder
	done := 0
	for _, found := range n.Regexp.FindAllStringSubmatchIndex(text, -1) {
		from, to := found[0], found[1]
		if len(found) > 2 && found[2] >= 0 {
			from, to = found[2], found[3]
		}
		b.WriteString(text[done:from])
		fmt.Fprintf(&b, "<%s %d>", n.Name, m.id(n.Name, text[from:to]))
		done = to
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// id returns the number of a text.
func (m *masks) id(name, text string) int {
	if m.ids == nil {
		m.ids = map[string]map[string]int{}
	}
	ids := m.ids[name]
	if ids == nil {
		ids = map[string]int{}
		m.ids[name] = ids
	}
	if ids[text] == 0 {
		ids[text] = len(ids) + 1
	}
	return ids[text]
}
