package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A head is what a marker holds, taken apart.
type head struct {
	kind    string
	words   []string // as many as the kind takes
	options []option
}

// An option is a key and its value, which is not quoted here.
type option struct{ key, value string }

// A kind says what a marker may hold.
type kind struct {
	usage   string
	words   int
	options []string
}

// kinds are the sections there are.
var kinds = map[string]kind{
	"script": {usage: "script"},
	"task":   {usage: "task", options: textOptions},
	"file":   {usage: "file PATH", words: 1, options: fileOptions},
	"answer": {usage: "answer", options: textOptions},
	"after":  {usage: "after PATH", words: 1, options: fileOptions},
	"error":  {usage: "error"},
	"lane":   {usage: "lane NAME", words: 1},
	"when":   {usage: "when"},
	"prompt": {usage: "prompt", options: textOptions},
	"added":  {usage: "added", options: fileOptions},
	"expect": {usage: "expect"},
	"reply":  {usage: "reply", options: stepOptions},
	"call":   {usage: "call TOOL", words: 1, options: append([]string{"id"}, stepOptions...)},
	"fault":  {usage: "fault KIND", words: 1},
}

// kindNames lists the kinds in the order of the package's comment.
const kindNames = "task, file PATH, answer, after PATH, error, script, lane NAME, when, prompt, added, expect, reply, call TOOL, fault KIND"

// faults are the kinds of fault there are.
var faults = map[string]kind{
	"status":   {usage: "status CODE", words: 1, options: []string{"retry-after", "times", "encoding"}},
	"timeout":  {usage: "timeout", options: []string{"times"}},
	"hang":     {usage: "hang", options: pieceOptions},
	"cut":      {usage: "cut", options: pieceOptions},
	"reset":    {usage: "reset", options: pieceOptions},
	"badjson":  {usage: "badjson", options: pieceOptions},
	"errframe": {usage: "errframe", options: append([]string{"message"}, pieceOptions...)},
	"empty":    {usage: "empty", options: []string{"times"}},
	"raw":      {usage: "raw", options: []string{"type", "times", "encoding"}},
	"error":    {usage: "error", options: []string{"times", "encoding"}},
}

const faultNames = "status CODE, timeout, hang, cut, reset, badjson, errframe, empty, raw, error"

var (
	textOptions  = []string{"encoding"}
	fileOptions  = []string{"newline", "encoding"}
	stepOptions  = []string{"in", "out", "cached", "delay", "gap", "chunk", "split", "finish", "times", "encoding", "on", "model", "of"}
	pieceOptions = []string{"after", "chunk", "times", "encoding"}
)

// optionOrder is the canonical order of all options.
var optionOrder = []string{"id", "after", "retry-after", "type", "message", "in", "out", "cached", "delay", "gap",
	"chunk", "split", "finish", "times", "newline", "encoding", "on", "model", "of"}

// wordsOf returns how many words follow the kind words[0].
func wordsOf(words []string) int {
	n := kinds[words[0]].words
	if words[0] == "fault" && len(words) > 1 {
		n += faults[words[1]].words
	}
	return n
}

// head takes a marker apart.
func (s *Script) head(from block) (head, error) {
	fields, err := fieldsOf(from.head)
	if err != nil {
		return head{}, s.errorf(from.line, "%w", err)
	}
	name := fields[0]
	if _, ok := kinds[name]; !ok {
		return head{}, s.errorf(from.line, "unknown section %q; there are %s; if it is text, give its section %s", name, kindNames, wayOut)
	}
	n := wordsOf(fields)
	if len(fields) <= n {
		return head{}, s.errorf(from.line, "section %q lacks a word; write %s", name, usageOf(fields))
	}
	h := head{kind: name, words: fields[1 : n+1]}
	if name == "fault" {
		if _, ok := faults[fields[1]]; !ok {
			return head{}, s.errorf(from.line, "unknown fault %q; there are %s", fields[1], faultNames)
		}
	}
	for _, field := range fields[n+1:] {
		o, err := h.option(field)
		if err != nil {
			return head{}, s.errorf(from.line, "%w", err)
		}
		h.options = append(h.options, o)
	}
	return h, nil
}

// usageOf returns how a marker that begins with these fields is written.
func usageOf(fields []string) string {
	usage := kinds[fields[0]].usage
	if fields[0] == "fault" && len(fields) > 1 {
		usage = "fault " + faults[fields[1]].usage
	}
	return `"-- ` + usage + ` --"`
}

// option reads a field behind the words.
func (h *head) option(field string) (option, error) {
	key, value, ok := strings.Cut(field, "=")
	may, name := h.may(), h.name()
	switch {
	case !ok && len(may) == 0:
		return option{}, fmt.Errorf("section %q takes nothing behind that, got %q; write %s", name, field, usageOf(append([]string{h.kind}, h.words...)))
	case !ok:
		return option{}, fmt.Errorf("section %q takes options key=value behind that, got %q; there are %s", name, field, strings.Join(may, ", "))
	case !slices.Contains(may, key) && len(may) == 0:
		return option{}, fmt.Errorf("unknown option %q; section %q has none", key, name)
	case !slices.Contains(may, key):
		return option{}, fmt.Errorf("unknown option %q; section %q has %s", key, name, strings.Join(may, ", "))
	case slices.ContainsFunc(h.options, func(o option) bool { return o.key == key }):
		return option{}, fmt.Errorf("option %s twice; write it once", key)
	}
	if value != "" && strings.ContainsRune("\"`", rune(value[0])) {
		value, _ = strconv.Unquote(value) // fieldsOf has tried it
	}
	return option{key, value}, nil
}

// name returns the kind, for messages.
func (h *head) name() string {
	if h.kind == "fault" {
		return "fault " + h.words[0]
	}
	return h.kind
}

// may returns the options that the section may have.
func (h *head) may() []string {
	if h.kind == "fault" {
		return faults[h.words[0]].options
	}
	return kinds[h.kind].options
}

// get returns the value of an option, or "".
func (h *head) get(key string) string {
	for _, o := range h.options {
		if o.key == key {
			return o.value
		}
	}
	return ""
}

// has reports whether an option is given.
func (h *head) has(key string) bool {
	return slices.ContainsFunc(h.options, func(o option) bool { return o.key == key })
}

// add adds an option unless its value is empty.
func (h *head) add(key, value string) {
	if value != "" {
		h.options = append(h.options, option{key, value})
	}
}

// String returns the canonical marker, with its newline.
func (h head) String() string {
	fields := append([]string{"--", h.kind}, h.words...)
	options := slices.Clone(h.options)
	slices.SortStableFunc(options, func(a, b option) int {
		return slices.Index(optionOrder, a.key) - slices.Index(optionOrder, b.key)
	})
	for _, o := range options {
		fields = append(fields, o.key+"="+quotedValue(o.value))
	}
	return strings.Join(append(fields, "--\n"), " ")
}

// quotedValue returns a value as it is written.
func quotedValue(value string) string {
	if value == "" || strings.ContainsAny(value, "\"`") ||
		strings.ContainsFunc(value, func(r rune) bool { return r == '\ufffd' || unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return strconv.Quote(value)
	}
	return value
}

// fieldsOf cuts a head at its blanks, but not inside a quoted value.
func fieldsOf(text string) ([]string, error) {
	var fields []string
	for text = strings.TrimLeft(text, blanks); text != ""; text = strings.TrimLeft(text, blanks) {
		n, err := fieldLen(text)
		if err != nil {
			return nil, err
		}
		fields, text = append(fields, text[:n]), text[n:]
	}
	return fields, nil
}

// blanks are what separates the fields of a marker.
const blanks = " \t"

// fieldLen returns how long the first field of text is.
func fieldLen(text string) (int, error) {
	end := strings.IndexAny(text, blanks)
	if end < 0 {
		end = len(text)
	}
	i := strings.IndexByte(text[:end], '=') + 1
	if i == 0 || i == len(text) || !strings.ContainsRune("\"`", rune(text[i])) {
		return end, nil
	}
	quoted, err := strconv.QuotedPrefix(text[i:])
	end = i + len(quoted)
	if err != nil || end < len(text) && !strings.ContainsRune(blanks, rune(text[end])) {
		return 0, fmt.Errorf("the value of %s begins with a quote but is no Go string; quote it as Go does", text[:i-1])
	}
	return end, nil
}
