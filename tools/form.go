package tools

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// A form is what the arguments of a typed tool look like.
type form struct {
	tool   string
	fields []field
}

// A field is one argument.
type field struct {
	index    int          // in the struct
	name     string       // in objects, and before =
	kind     reflect.Type // of the value, or of a value of the list
	about    string       // what it means, for the model; may be empty
	list     bool         // it takes any number of values
	optional bool
	keyed    bool // it has no place among the words, only a name
	rest     bool // it takes the rest of the line as it is
	body     bool // it takes the lines under the first
}

// formOf reads the fields of t. An error names the field that cannot be
// written as words.
func formOf(tool string, t reflect.Type) (*form, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("its arguments are a %v; want a struct", t)
	}
	f := &form{tool: tool}
	for i := range t.NumField() {
		s := t.Field(i)
		if s.Tag.Get("json") == "-" || !s.IsExported() && !s.Anonymous {
			continue
		}
		field, err := fieldOf(s)
		if err != nil {
			return nil, fmt.Errorf("field %s %w", s.Name, err)
		}
		if f.find(field.name) >= 0 {
			return nil, fmt.Errorf("field %s has the name of another, %s", s.Name, field.name)
		}
		field.index = i
		f.fields = append(f.fields, field)
	}
	return f, f.arrange()
}

// fieldOf reads one field of a struct. The error goes on after its name.
func fieldOf(s reflect.StructField) (field, error) {
	name, options, _ := strings.Cut(s.Tag.Get("json"), ",")
	if name == "" {
		name = s.Name
	}
	f := field{name: name, kind: s.Type, about: s.Tag.Get("jsonschema"), body: s.Tag.Get("tool") == "body"}
	for option := range strings.SplitSeq(options, ",") {
		f.optional = f.optional || option == "omitempty" || option == "omitzero"
		if option == "string" {
			return f, fmt.Errorf("has the json option string; leave it away")
		}
	}
	switch {
	case s.Type.Kind() == reflect.Pointer:
		f.kind, f.optional = s.Type.Elem(), true
	case s.Type.Kind() == reflect.Slice:
		f.kind, f.list = s.Type.Elem(), true
	}
	switch {
	case s.Anonymous:
		return f, fmt.Errorf("is embedded; write its fields out")
	case !isName(name):
		return f, fmt.Errorf("is called %q; its json tag wants letters, digits, - and _", name)
	case s.Tag.Get("tool") != "" && (!f.body || s.Type.Kind() != reflect.String):
		return f, fmt.Errorf(`has the tag tool:%q; it is tool:"body" of a string`, s.Tag.Get("tool"))
	case !plain(f.kind) || ownForm(s.Type):
		return f, fmt.Errorf("is a %v, which cannot be written as words; "+
			"use strings, bools, numbers, pointers to them, or a slice of them as the last field", s.Type)
	}
	return f, nil
}

// arrange decides how each field is written.
func (f *form) arrange() error {
	last, required := len(f.fields)-1, -1
	for i := range f.fields {
		if !f.fields[i].optional {
			required = i
		}
	}
	for i := range f.fields {
		field := &f.fields[i]
		if i != last && (field.list || field.body) {
			return fmt.Errorf("field %s takes all that is left, so it must be the last one", field.name)
		}
		field.keyed = field.optional && i < required
		field.rest = i == last && !field.list && field.kind.Kind() == reflect.String
	}
	return nil
}

// plain reports whether values of type t are written as one word.
func plain(t reflect.Type) bool {
	k := t.Kind()
	return !ownForm(t) && (k == reflect.String || k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr)
}

// ownForm reports whether t, or a pointer to it, decodes itself.
func ownForm(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) || pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// find returns the index of the field called name, or -1.
func (f *form) find(name string) int {
	for i := range f.fields {
		if f.fields[i].name == name {
			return i
		}
	}
	return -1
}

// body returns the field that takes the lines under the first, or nil.
func (f *form) body() *field {
	if n := len(f.fields); n > 0 && f.fields[n-1].body {
		return &f.fields[n-1]
	}
	return nil
}

// String returns the form of the words, such as "[unit=TEXT] CITY [DAYS]".
func (f *form) String() string {
	var words []string
	for i := range f.fields {
		words = append(words, f.fields[i].String())
	}
	if len(words) == 0 {
		return "(no input)"
	}
	return strings.Join(words, " ")
}

func (f *field) String() string {
	word := f.label()
	switch {
	case f.keyed:
		word = f.name + "=" + sample(f.kind)
	case f.list:
		word += "..."
	case f.body:
		word += " (in a fence under the line)"
	}
	if f.optional {
		return "[" + word + "]"
	}
	return word
}

// label is what the field is called among words.
func (f *field) label() string {
	if f.keyed {
		return f.name
	}
	return strings.ToUpper(f.name)
}

// usage puts the form before what the tool does, and the descriptions behind.
func (f *form) usage(does string) string {
	var about []string
	for i := range f.fields {
		if field := &f.fields[i]; field.about != "" {
			about = append(about, field.label()+": "+field.about)
		}
	}
	text := f.String() + ": " + does
	if len(about) > 0 {
		text += " (" + strings.Join(about, "; ") + ")"
	}
	return text
}

// names lists the fields of an object.
func (f *form) names() string {
	var names []string
	for i := range f.fields {
		name := f.fields[i].name
		if f.fields[i].optional {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
