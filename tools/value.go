package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseValue reads a value of the plain type t from text.
func parseValue(t reflect.Type, text string) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	var err error
	switch {
	case t.Kind() == reflect.String:
		v.SetString(text)
	case t.Kind() == reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		v.SetBool(b)
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(whole(text), 10, t.Bits())
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(whole(text), 10, t.Bits())
		v.SetUint(n)
	default:
		var n float64
		n, err = strconv.ParseFloat(text, t.Bits())
		v.SetFloat(n)
		return v, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return v, err == nil
}

// whole takes the zeros from behind the point of a number: 3.0 is an integer
// to JSON Schema.
func whole(number string) string {
	if digits, zeros, ok := strings.Cut(number, "."); ok && zeros != "" && strings.Trim(zeros, "0") == "" {
		return digits
	}
	return number
}

// expected says what values of the plain type t are.
func expected(t reflect.Type) string {
	v := reflect.New(t).Elem()
	switch {
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case v.CanInt() && t.Bits() < 64:
		return fmt.Sprintf("a whole number from %d to %d", -1<<(t.Bits()-1), 1<<(t.Bits()-1)-1)
	case v.CanUint() && t.Bits() < 64:
		return fmt.Sprintf("a whole number from 0 to %d", 1<<t.Bits()-1)
	case v.CanInt():
		return "a whole number"
	case v.CanUint():
		return "a whole number from 0"
	}
	return "a number"
}

// sample stands for a value of the plain type t in a form.
func sample(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "TEXT"
	case reflect.Bool:
		return "true"
	}
	return "N"
}

// parseJSON reads a value of the plain type t from a JSON value, whose type
// must be that of t.
func parseJSON(t reflect.Type, raw json.RawMessage) (reflect.Value, bool) {
	text, kind := string(raw), jsonKind(raw)
	switch t.Kind() {
	case reflect.String:
		if kind != "string" || json.Unmarshal(raw, &text) != nil {
			return reflect.Value{}, false
		}
	case reflect.Bool:
		if kind != "bool" {
			return reflect.Value{}, false
		}
	default:
		if kind != "number" {
			return reflect.Value{}, false
		}
	}
	return parseValue(t, text)
}

// jsonKind names the type of a JSON value.
func jsonKind(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// mostShown is how many bytes of a model's words an error repeats.
const mostShown = 60

// quoteShort quotes s for an error, or its beginning.
func quoteShort(s string) string { return strconv.Quote(short(s)) }

func short(s string) string {
	if len(s) <= mostShown {
		return s
	}
	end := mostShown
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}
