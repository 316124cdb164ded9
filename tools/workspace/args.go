package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/actdone/actdone/tools"
)

// schemaOf returns the schema of the JSON object that a tool takes, from the
// struct that its fields are decoded into. The structs are those of this
// package, so that one has no schema is for the tests to find.
func schemaOf[T any]() json.RawMessage {
	schema, err := tools.SchemaOf[T]()
	if err != nil {
		panic(err)
	}
	return schema
}

// cutOptions takes the key=value words from the start of input; a value may be
// a Go string. A last word is a path, unless its key is known, and so is all
// that follows a word "--". The end of input is left as it is.
func cutOptions(input string, known ...string) (options map[string]string, rest string, err error) {
	options = map[string]string{}
	for rest = trimLeft(input); ; {
		word, after, more := strings.Cut(rest, " ")
		if word == "--" {
			return options, trimLeft(after), nil
		}
		key, value, ok := strings.Cut(word, "=")
		if !ok || !isKey(key) || !more && !slices.Contains(known, key) {
			return options, rest, nil
		}
		if !slices.Contains(known, key) {
			return nil, "", fmt.Errorf("unknown option %s=; %s", key, optionHint(known))
		}
		if strings.HasPrefix(value, `"`) {
			if value, after, err = cutQuoted(rest[len(key)+1:]); err != nil {
				return nil, "", err
			}
		}
		options[key] = value
		rest = trimLeft(after)
	}
}

func trimLeft(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

func isKey(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

func optionHint(known []string) string {
	if len(known) == 0 {
		return "there are no options; -- before a path with = in it"
	}
	return "options: " + strings.Join(known, "=, ") + "="
}

// cutQuoted takes a Go string from the start of input.
func cutQuoted(input string) (path, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(input)
	if err != nil {
		return "", "", fmt.Errorf("bad quoting in %s; write the path as a Go string", strconv.Quote(input))
	}
	path, err = strconv.Unquote(quoted)
	return path, trimLeft(input[len(quoted):]), err
}

// unquoteAll reads an input that is one Go string.
func unquoteAll(input string) (path string, err error) {
	path, rest, err := cutQuoted(input)
	if err == nil && rest != "" {
		err = fmt.Errorf("unexpected text after the path: %s", strconv.Quote(rest))
	}
	return path, err
}

// decodeFields reads a JSON object into a struct that fields lists the fields
// of. An unknown field is an error; 3.0 is a whole number.
func decodeFields(input string, into any, fields string) error {
	d := json.NewDecoder(strings.NewReader(withoutZeros(input)))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.Decode(new(json.RawMessage)) != io.EOF {
		err = errors.New("text after the object")
	}
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("bad JSON: field %s cannot be %s: want %s; fields: %s",
			wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:], given(wrong.Value), expected(wrong.Type), fields)
	}
	return fmt.Errorf("bad JSON: %s; fields: %s", strings.TrimPrefix(err.Error(), "json: "), fields)
}

// given says what an [json.UnmarshalTypeError] found.
func given(value string) string {
	number, ok := strings.CutPrefix(value, "number ")
	switch {
	case ok:
		return number
	case value == "array", value == "object":
		return "an " + value
	}
	return "a " + value
}

// expected says what the values of a field are.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	}
	return "a number"
}

// withoutZeros returns a JSON object with 3 for fields that are 3.0, as some
// models write whole numbers. What is no object stays as it is.
func withoutZeros(input string) string {
	d := json.NewDecoder(strings.NewReader(input))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return input
	}
	var out strings.Builder
	done := 0
	for d.More() {
		var value json.RawMessage
		if _, err := d.Token(); err != nil || d.Decode(&value) != nil {
			return input
		}
		end := int(d.InputOffset())
		digits, zeros, ok := strings.Cut(string(value), ".")
		if ok && zeros != "" && strings.Trim(zeros, "0") == "" && strings.Trim(digits, "-0123456789") == "" {
			out.WriteString(input[done:end-len(value)] + digits)
			done = end
		}
	}
	return out.String() + input[done:]
}

// A span is a range of lines, counted from 1: from first to last, or the last
// tail lines. A zero last means up to the end of the file.
type span struct{ first, last, tail int }

// isSpan reports whether word has the form of a range: 10-40, 10-, 10 or -40.
func isSpan(word string) bool {
	from, to, _ := strings.Cut(word, "-")
	return from+to != "" && strings.Trim(from+to, "0123456789") == ""
}

// parseSpan reads a word for which isSpan holds.
func parseSpan(word string) (span, error) {
	from, to, dash := strings.Cut(word, "-")
	if !dash {
		to = from
	}
	var numbers [2]int
	for i, digits := range []string{from, to} {
		if digits == "" {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return span{}, fmt.Errorf("bad range %s: the number is too large", word)
		}
		if n == 0 {
			return span{}, fmt.Errorf("bad range %s: lines are counted from 1", word)
		}
		numbers[i] = n
	}
	if from == "" {
		return span{tail: numbers[1]}, nil
	}
	return between(numbers[0], numbers[1])
}

// between returns the span of the lines first to last.
func between(first, last int) (span, error) {
	switch {
	case first < 1 || last < 0:
		return span{}, errors.New("bad range: lines are counted from 1")
	case last != 0 && last < first:
		return span{}, fmt.Errorf("bad range %d-%d: it ends before it starts", first, last)
	}
	return span{first: first, last: last}, nil
}
