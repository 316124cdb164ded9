package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaOf returns the JSON Schema of an object with the fields of the struct
// In, for [Tool.Schema]. Names come from the json tags, descriptions from the
// jsonschema tags. A field is required unless it is a pointer to a plain value or
// its tag says omitempty or omitzero; fields that In does not have are not
// allowed. The schema has null nowhere, also not for a pointer or a slice; a tool of
// [Typed] takes it all the same for an optional field, as if that were left out.
//
// It is an error if In is not a struct or has fields that no schema describes,
// such as funcs.
func SchemaOf[In any]() (json.RawMessage, error) {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("schema of %v: want a struct", t)
	}
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("schema of %v: %w", t, err)
	}
	withoutNull(s)
	return json.Marshal(s)
}

// withoutNull takes the type null out of s and all it is made of. A property
// that could be null without being optional was a pointer; it becomes optional.
func withoutNull(s *jsonschema.Schema) {
	for name, p := range s.Properties {
		if slices.Contains(p.Types, "null") && !slices.Contains(p.Types, "array") {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
		withoutNull(p)
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, part := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if part != nil {
			withoutNull(part)
		}
	}
}
