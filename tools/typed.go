package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Typed makes a tool from a func over a struct, whose fields are the arguments:
//
//	type Weather struct {
//		City string `json:"city"`
//		Days int    `json:"days,omitempty" jsonschema:"how many days ahead"`
//	}
//
//	tool, err := tools.Typed("weather", "the forecast", func(ctx context.Context, in Weather) (string, error) { … })
//
// The form that the words have is put before usage and shown in every error
// about them, so usage only says what the tool does. Here it reads
//
//	CITY [DAYS]: the forecast (DAYS: how many days ahead)
//
// # Fields
//
// The kinds of fields are string, bool, integers, floats, pointers to those, and
// as the last field a slice of those. Their names come from the json tags,
// their descriptions from the jsonschema tags. A field is optional if it is a
// pointer, or if its tag says omitempty or omitzero; otherwise it is required.
// What cannot be written as words is refused here, with an error: nested and
// embedded structs, maps, types with a JSON or text form of their own. So is a
// name that is empty or has blanks or control characters in it.
//
// # Input
//
// The arguments are words in the order of the fields, where a Go "string" in
// quotes is one word:
//
//	ACT: weather "New York" 3
//
// A last field of type string takes the rest of the line as it is, blanks and
// quotes included, unless all of the rest is one quoted string; a slice takes
// all words that are left. Before the other words each field can be written as
// name=value, after which it has no place among them; an optional field that
// stands before a required one can be written only so. The word -- ends these,
// for a text that begins with a { or with letters and a =.
//
// A last field of type string that is tagged tool:"body" takes the lines under
// the first, without change, and Lines of the tool is [Body].
//
// Wherever words are, one JSON object may stand, as [Tool.Schema] has it. An
// unknown or repeated field, a wrong type, a missing argument and words too many
// are errors, told in one line with the form that is right. f is called only
// if there are none.
func Typed[In any](name, usage string, f func(context.Context, In) (string, error)) (Tool, error) {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return Tool{}, fmt.Errorf("tool %q: its name is empty or has blanks or controls in it", name)
	}
	form, err := formOf(name, reflect.TypeFor[In]())
	if err == nil && f == nil {
		err = errors.New("no func to call")
	}
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	schema, err := SchemaOf[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	t := Tool{Name: name, Usage: form.usage(usage), Schema: schema}
	if form.body() != nil {
		t.Lines = Body
	}
	t.Call = func(ctx context.Context, input string) (string, error) {
		var in In
		if err := form.read(input, reflect.ValueOf(&in).Elem()); err != nil {
			return "", err
		}
		return f(ctx, in)
	}
	return t, nil
}

// read fills the struct target from input, words or an object.
func (f *form) read(input string, target reflect.Value) error {
	a := arguments{form: f, target: target, given: make([]bool, len(f.fields))}
	if strings.HasPrefix(strings.TrimLeft(input, blanks), "{") && !f.underFirstLine(input) {
		return a.readObject(input)
	}
	return a.readWords(input)
}

// underFirstLine reports whether input begins with an empty first line whose
// body must be left alone.
func (f *form) underFirstLine(input string) bool {
	first, _, more := strings.Cut(input, "\n")
	return more && f.body() != nil && strings.Trim(first, blanks) == ""
}

// arguments are what was found in one input.
type arguments struct {
	form   *form
	target reflect.Value
	given  []bool // by field
}

// set gives field i a value, or one value more if it is a list.
func (a *arguments) set(i int, value reflect.Value) {
	f := &a.form.fields[i]
	v := a.target.Field(f.index)
	a.given[i] = true
	switch {
	case f.list:
		v.Set(reflect.Append(v, value))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(f.kind))
		v.Elem().Set(value)
	default:
		v.Set(value)
	}
}

// missing returns the first required field that was not given, or nil.
func (a *arguments) missing() *field {
	for i := range a.form.fields {
		if f := &a.form.fields[i]; !f.optional && !a.given[i] {
			return f
		}
	}
	return nil
}
