package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/actdone/actdone/tools"
)

// typed returns a tool called x whose calls fill in.
func typed[In any](t testing.TB, in *In) tools.Tool {
	t.Helper()
	tool, err := tools.Typed("x", "does it", func(_ context.Context, got In) (string, error) {
		*in = got
		return "called", nil
	})
	require.NoError(t, err)
	return tool
}

// takes checks that each input gives its struct.
func takes[In any](t *testing.T, wants map[string]In) {
	t.Helper()
	for input, want := range wants {
		var got In
		output, err := typed(t, &got).Call(t.Context(), input)
		assert.NoError(t, err, input)
		assert.Equal(t, "called", output, input)
		assert.Equal(t, want, got, input)
	}
}

// refuses checks that each input gives its error, and no call.
func refuses[In any](t *testing.T, wants map[string]string) {
	t.Helper()
	for input, want := range wants {
		var got, zero In
		output, err := typed(t, &got).Call(t.Context(), input)
		assert.EqualError(t, err, want, input)
		assert.Empty(t, output, input)
		assert.Equal(t, zero, got, input)
	}
}

type weather struct {
	City string `json:"city"`
	Days int    `json:"days,omitempty" jsonschema:"how many days ahead"`
}

func TestTyped(t *testing.T) {
	tool := typed(t, &weather{})
	assert.Equal(t, "x", tool.Name)
	assert.Equal(t, "CITY [DAYS]: does it (DAYS: how many days ahead)", tool.Usage)
	assert.Equal(t, tools.One, tool.Lines)
	takes(t, map[string]weather{
		"Rome":                      {"Rome", 0},
		" Rome\t 3 ":                {"Rome", 3},
		`"New York" 3`:              {"New York", 3},
		`""`:                        {"", 0},
		`"a\n\"b\"\u00e9"`:          {"a\n\"b\"é", 0},
		`New"York" 3`:               {`New"York"`, 3},
		"days=3 Rome":               {"Rome", 3},
		"days=3 city=Rome":          {"Rome", 3},
		`city="New York" 3`:         {"New York", 3},
		"city= 3":                   {"", 3},
		"-- a=b 3":                  {"a=b", 3},
		"days=3 -- --":              {"--", 3},
		"--x":                       {"--x", 0},
		"1a=b":                      {"1a=b", 0},
		"-- {}":                     {"{}", 0},
		"Rome -3.00":                {"Rome", -3},
		"Rome +9223372036854775807": {"Rome", 9223372036854775807},
		`{"city":"Rome"}`:           {"Rome", 0},
		` { "days" : 3.0, "city":"R\u00f6m\n" } `: {"Röm\n", 3},
		`{"city":"","days":null}`:                 {"", 0},
		`{"city":"x","days":9007199254740993}`:    {"x", 9007199254740993},
	})
	const form = "; use x CITY [DAYS]"
	refuses[weather](t, map[string]string{
		"":                                "missing CITY" + form,
		" \n":                             "missing CITY" + form,
		"days=3":                          "missing CITY" + form,
		"--":                              "missing CITY" + form,
		"Rome soon":                       `DAYS cannot be "soon": want a whole number` + form,
		"Rome 3.5":                        `DAYS cannot be "3.5": want a whole number` + form,
		"Rome 1e3":                        `DAYS cannot be "1e3": want a whole number` + form,
		"Rome 1_0":                        `DAYS cannot be "1_0": want a whole number` + form,
		"days= Rome":                      `DAYS cannot be "": want a whole number` + form,
		"Rome 99999999999999999999":       `DAYS cannot be "99999999999999999999": want a whole number` + form,
		"New York 3":                      `DAYS cannot be "York": want a whole number` + form,
		"Rome 3 4 5":                      `"4 5" is too much` + form,
		"Rome 3 days=4":                   `"days=4" is too much` + form,
		"city=Rome 3 4":                   `"4" is too much` + form,
		"cty=Rome 3":                      "unknown option cty= (there are: city, [days]; -- goes before a text with a =)" + form,
		"days=3 days=4 x":                 "days is given twice" + form,
		`"New York`:                       `bad quoting at "\"New York"` + form,
		`"\q"`:                            `bad quoting at "\"\\q\""` + form,
		`"Rome"3`:                         `no blank after the quote of "\"Rome\""` + form,
		"Rome " + strings.Repeat("日", 50): `DAYS cannot be "` + strings.Repeat("日", 20) + `...": want a whole number` + form,
	})
	const fields = "; fields: city, [days]"
	const hint = " (-- goes before a text that begins with a {)"
	refuses[weather](t, map[string]string{
		`{}`:                         "missing field city" + fields,
		`{"city":null}`:              "field city cannot be a JSON null: want text" + fields,
		`{"city":"x","country":"y"}`: `unknown field "country"` + fields,
		`{"City":"x"}`:               `unknown field "City"` + fields,
		`{"city":"x","city":"y"}`:    "field city is there twice" + fields,
		`{"city":7}`:                 "field city cannot be 7: want text" + fields,
		`{"city":"x","days":"3"}`:    "field days cannot be a JSON string: want a whole number" + fields,
		`{"city":"x","days":3.5}`:    "field days cannot be 3.5: want a whole number" + fields,
		`{"city":"x","days":[3]}`:    "field days cannot be a JSON array: want a whole number" + fields,
		`{"city":"x","days":true}`:   "field days cannot be a JSON bool: want a whole number" + fields,
		`{"city":"x"`:                "bad JSON: the object is not closed" + hint + fields,
		`{`:                          "bad JSON: the object is not closed" + hint + fields,
		`{"city"`:                    "bad JSON: the object is not closed" + hint + fields,
		`{city}`:                     "bad JSON: invalid character 'c'" + hint + fields,
		`{"city":"x"} 3`:             "bad JSON: text after the object" + hint + fields,
		`{"city":"a` + "\n" + `"}`:   `bad JSON: invalid character '\n' in string literal` + hint + fields,
	})
}

// kinds has a field of each kind. One before a required field is an option.
type kinds struct {
	Unit  *string  `json:"unit"`
	Depth uint8    `json:"max-depth,omitempty"`
	All   bool     `json:"all"`
	Small int8     `json:"small"`
	Ratio float64  `json:"ratio"`
	Count *uint64  `json:"count"`
	Names []string `json:"names,omitzero"`
	_     string
	Skip  func() `json:"-"`
}

func TestTypedKinds(t *testing.T) {
	assert.Equal(t, "[unit=TEXT] [max-depth=N] ALL SMALL RATIO [COUNT] [NAMES...]: does it", typed(t, &kinds{}).Usage)
	unit, count := "kg m", uint64(1<<64-1)
	takes(t, map[string]kinds{
		"true -128 0.5":                  {All: true, Small: -128, Ratio: 0.5},
		"0 1 1e3":                        {Small: 1, Ratio: 1000},
		"1 1 2 18446744073709551615 a b": {All: true, Small: 1, Ratio: 2, Count: &count, Names: []string{"a", "b"}},
		`max-depth=255 unit="kg m" ratio=2 false 7`:                            {Unit: &unit, Depth: 255, Small: 7, Ratio: 2},
		`names=a count=18446744073709551615 names="b c" 1 1 1 d e=f`:           {All: true, Small: 1, Ratio: 1, Count: &count, Names: []string{"a", "b c", "d", "e=f"}},
		`{"all":true,"small":1,"ratio":1E2,"unit":"kg m","names":["a","b c"]}`: {Unit: &unit, All: true, Small: 1, Ratio: 100, Names: []string{"a", "b c"}},
		`{"all":false,"small":1,"ratio":1,"names":[],"unit":null}`:             {Small: 1, Ratio: 1},
	})
	const form = "; use x [unit=TEXT] [max-depth=N] ALL SMALL RATIO [COUNT] [NAMES...]"
	refuses[kinds](t, map[string]string{
		"maybe":             `ALL cannot be "maybe": want true or false` + form,
		"true 128":          `SMALL cannot be "128": want a whole number from -128 to 127` + form,
		"true 1 NaN":        `RATIO cannot be "NaN": want a number` + form,
		"true 1 1e999":      `RATIO cannot be "1e999": want a number` + form,
		"true 1 1 -1":       `COUNT cannot be "-1": want a whole number from 0` + form,
		"max-depth=256 1":   `max-depth cannot be "256": want a whole number from 0 to 255` + form,
		"true 1":            "missing RATIO" + form,
		`true 1 1 1 "a`:     `bad quoting at "\"a"` + form,
		"note=x true 1 1 1": "unknown option note= (there are: [unit], [max-depth], all, small, ratio, [count], [names]; -- goes before a text with a =)" + form,
	})
	const fields = "; fields: [unit], [max-depth], all, small, ratio, [count], [names]"
	refuses[kinds](t, map[string]string{
		`{"all":"true"}`:     "field all cannot be a JSON string: want true or false" + fields,
		`{"names":["a",1]}`:  "field names cannot be 1: want text" + fields,
		`{"names":"a"}`:      "field names cannot be a JSON string: want an array" + fields,
		`{"names":[["a"]]}`:  "field names cannot be a JSON array: want text" + fields,
		`{"count":1e400000}`: "field count cannot be 1e400000: want a whole number from 0" + fields,
		`{"Skip":1}`:         `unknown field "Skip"` + fields,
	})
}

func TestTypedRest(t *testing.T) {
	type say struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
	assert.Equal(t, "TO TEXT: does it", typed(t, &say{}).Usage)
	takes(t, map[string]say{
		`bob  say "hi"  to   ann `: {"bob", `say "hi"  to   ann`},
		`bob "hi" he said`:         {"bob", `"hi" he said`},
		`bob " hi\n"`:              {"bob", " hi\n"},
		`bob ""`:                   {"bob", ""},
		`bob "\"hi\""`:             {"bob", `"hi"`},
		"bob a\nb":                 {"bob", "a\nb"},
		"bob x=1 {}":               {"bob", "x=1 {}"},
		"to=bob a b":               {"bob", "a b"},
		"text=hi bob":              {"bob", "hi"},
	})
	refuses[say](t, map[string]string{
		"bob":             "missing TEXT; use x TO TEXT",
		"text=hi bob ann": `"ann" is too much; use x TO TEXT`,
	})
}

func TestTypedBody(t *testing.T) {
	type note struct {
		Urgent bool   `json:"urgent,omitempty"`
		To     string `json:"to"`
		Text   string `json:"text" tool:"body"`
	}
	tool := typed(t, &note{})
	assert.Equal(t, tools.Body, tool.Lines)
	assert.Equal(t, "[urgent=true] TO TEXT (in a fence under the line): does it", tool.Usage)
	takes(t, map[string]note{
		"bob\n  a \"b\"\n\n":                {false, "bob", "  a \"b\"\n\n"},
		"bob\n":                             {false, "bob", ""},
		"urgent=true bob\n{\"to\":1}":       {true, "bob", "{\"to\":1}"},
		"bob a short one":                   {false, "bob", "a short one"},
		"{\"to\":\"bob\",\n\"text\":\"t\"}": {false, "bob", "t"},
	})
	const form = "; use x [urgent=true] TO TEXT (in a fence under the line)"
	refuses[note](t, map[string]string{
		"bob":              "missing TEXT" + form,
		"bob now\ntext":    `"now" is too much` + form,
		"text=a bob\nb":    "text is given twice" + form,
		"\n{\"to\":\"a\"}": "missing TO" + form,
	})
	type plain struct {
		Text string `json:"text" tool:"body"`
	}
	takes(t, map[string]plain{"\n{}": {"{}"}, " \t\n{\n": {"{\n"}, `{"text":"x"}`: {"x"}})
}

func TestTypedNothing(t *testing.T) {
	assert.Equal(t, "(no input): does it", typed(t, &struct{}{}).Usage)
	takes(t, map[string]struct{}{"": {}, "{}": {}, " -- ": {}})
	refuses[struct{}](t, map[string]string{
		"now":     `"now" is too much; use x (no input)`,
		`{"a":1}`: `unknown field "a"; fields: none`,
	})
}

func TestTypedError(t *testing.T) {
	tool, err := tools.Typed("x", "", func(context.Context, weather) (string, error) { return "half", errDisk })
	require.NoError(t, err)
	output, err := tool.Call(t.Context(), "Rome")
	assert.Equal(t, "half", output)
	assert.Equal(t, errDisk, err)
}

// construct returns the error of Typed.
func construct[In any](t *testing.T) string {
	t.Helper()
	tool, err := tools.Typed("x", "does it", func(context.Context, In) (string, error) { return "", nil })
	require.Error(t, err)
	assert.Empty(t, tool)
	return err.Error()
}

func TestTypedRefused(t *testing.T) {
	const cannot = ", which cannot be written as words; use strings, bools, numbers, pointers to them, or a slice of them as the last field"
	type inner struct{ A int }
	assert.Equal(t, "tool x: its arguments are a string; want a struct", construct[string](t))
	assert.Equal(t, "tool x: its arguments are a *tools_test.weather; want a struct", construct[*weather](t))
	assert.Equal(t, "tool x: field F is a func()"+cannot, construct[struct{ F func() }](t))
	assert.Equal(t, "tool x: field Place is a tools_test.inner"+cannot, construct[struct{ Place inner }](t))
	assert.Equal(t, "tool x: field M is a map[string]int"+cannot, construct[struct{ M map[string]int }](t))
	assert.Equal(t, "tool x: field V is a interface {}"+cannot, construct[struct{ V any }](t))
	assert.Equal(t, "tool x: field P is a **int"+cannot, construct[struct{ P **int }](t))
	assert.Equal(t, "tool x: field P is a *[]int"+cannot, construct[struct{ P *[]int }](t))
	assert.Equal(t, "tool x: field L is a [][]int"+cannot, construct[struct{ L [][]int }](t))
	assert.Equal(t, "tool x: field A is a [2]int"+cannot, construct[struct{ A [2]int }](t))
	assert.Equal(t, "tool x: field At is a time.Time"+cannot, construct[struct{ At time.Time }](t))
	assert.Equal(t, "tool x: field L is a json.RawMessage"+cannot, construct[struct{ L json.RawMessage }](t))
	assert.Equal(t, "tool x: field L takes all that is left, so it must be the last one", construct[struct {
		L []string
		B int
	}](t))
	assert.Equal(t, "tool x: field T takes all that is left, so it must be the last one", construct[struct {
		T string `tool:"body"`
		B int
	}](t))
	assert.Equal(t, `tool x: field N has the tag tool:"body"; it is tool:"body" of a string`, construct[struct {
		N int `tool:"body"`
	}](t))
	assert.Equal(t, `tool x: field N has the tag tool:"text"; it is tool:"body" of a string`, construct[struct {
		N string `tool:"text"`
	}](t))
	assert.Equal(t, `tool x: field N is called "a b"; its json tag wants letters, digits, - and _`, construct[struct {
		N int `json:"a b"`
	}](t))
	assert.Equal(t, "tool x: field B has the name of another, B", construct[struct {
		A int `json:"B"`
		B int
	}](t))
	assert.Equal(t, "tool x: field N has the json option string; leave it away", construct[struct {
		N int `json:"n,string"`
	}](t))
	assert.Equal(t, "tool x: field Inner is embedded; write its fields out", construct[struct{ Inner }](t))
	for _, name := range []string{"", "bad name", "a\nb", "a\x00"} {
		_, err := tools.Typed(name, "", func(context.Context, weather) (string, error) { return "", nil })
		assert.EqualError(t, err, fmt.Sprintf("tool %q: its name is empty or has blanks or controls in it", name))
	}
	_, err := tools.Typed[weather]("x", "", nil)
	assert.EqualError(t, err, "tool x: no func to call")
}

// Inner is exported so that a struct that embeds it has its fields.
type Inner struct{ A int }

func TestSchemaOf(t *testing.T) {
	schema, err := tools.SchemaOf[weather]()
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","description":"how many days ahead"}},
		"required":["city"],"additionalProperties":false}`, string(schema))
	assert.Equal(t, string(schema), string(typed(t, &weather{}).Schema))

	schema, err = tools.SchemaOf[struct {
		Names  []string           `json:"names"`
		Unit   *string            `json:"unit"`
		Nested struct{ L []*int } `json:"nested"`
		M      map[string][]int
	}]()
	require.NoError(t, err)
	assert.NotContains(t, string(schema), "null")
	assert.Contains(t, string(schema), `"required":["names","nested","M"]`)
	assert.Contains(t, string(schema), `"names":{"type":"array","items":{"type":"string"}}`)

	_, err = tools.SchemaOf[[]int]()
	require.EqualError(t, err, "schema of []int: want a struct")
	_, err = tools.SchemaOf[struct{ F func() }]()
	require.ErrorContains(t, err, "schema of struct { F func() }: ")
	_, err = tools.Typed("x", "", func(context.Context, struct {
		A int `jsonschema:"days=3"`
	}) (string, error) {
		return "", nil
	})
	require.ErrorContains(t, err, "tool x: schema of struct")
}

// wordsOf writes in as words: each string quoted, options by name.
func wordsOf(in trip) string {
	words := []string{"urgent=" + strconv.FormatBool(in.Urgent), strconv.Quote(in.City), strconv.FormatInt(in.Days, 10),
		strconv.FormatFloat(in.Ratio, 'g', -1, 64), strconv.Quote(in.Note)}
	return strings.Join(words, " ")
}

type trip struct {
	Urgent bool    `json:"urgent,omitempty"`
	City   string  `json:"city"`
	Days   int64   `json:"days"`
	Ratio  float64 `json:"ratio"`
	Note   string  `json:"note,omitempty"`
}

// A struct written as words, or as an object, comes back as it was.
func FuzzTypedRoundTrip(f *testing.F) {
	f.Add(true, "New York", int64(3), 0.5, `a "note"`)
	f.Add(false, "", int64(-1<<63), 1e300, "--")
	f.Add(true, "a=b\xff{\n", int64(1<<53+1), -0.1, " x ")
	var got trip
	tool := typed(f, &got)
	f.Fuzz(func(t *testing.T, urgent bool, city string, days int64, ratio float64, note string) {
		want := trip{urgent, city, days, ratio, note}
		object, err := json.Marshal(want)
		if err != nil {
			t.Skip(err) // NaN and infinities are no JSON
		}
		_, err = tool.Call(t.Context(), wordsOf(want))
		require.NoError(t, err, wordsOf(want))
		require.Equal(t, want, got, wordsOf(want))
		_, err = tool.Call(t.Context(), string(object))
		require.NoError(t, err, string(object))
		require.NoError(t, json.Unmarshal(object, &want))
		require.Equal(t, want, got, string(object))
	})
}

// Any input is either taken or refused in one line. An object is taken if the
// schema allows it, and not otherwise, but for null and repeated names.
func FuzzTypedInput(f *testing.F) {
	for _, input := range []string{"", "Rome 3 0.5 x", `city="a b" 1 2`, `"a`, "-- {", "x=1", `{"city":"a","days":1,"ratio":2}`,
		`{"city":1}`, `{"city":"a","days":1.0,"ratio":2,"x":null}`, `{"city":"a","city":"b"}`, `{"urgent":null}`, "{\x00", "a\nb\n"} {
		f.Add(input)
	}
	var got trip
	tool := typed(f, &got)
	var schema jsonschema.Schema
	require.NoError(f, json.Unmarshal(tool.Schema, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, input string) {
		_, err := tool.Do(t.Context(), input)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			assert.NotContains(t, err.Error(), "panicked")
			assert.True(t, utf8.ValidString(err.Error()), "%q", err)
			assert.Less(t, len(err.Error()), 600)
		}
		var object map[string]any
		if json.Unmarshal([]byte(input), &object) != nil || object == nil {
			return
		}
		if err == nil {
			assert.NoError(t, resolved.Validate(withoutNulls(object)), input)
			assert.NoError(t, json.Unmarshal([]byte(input), new(trip)), input)
		} else if resolved.Validate(object) == nil && !strings.Contains(err.Error(), "twice") && !inexact(err) {
			assert.Fail(t, "refused though the schema allows it", "%s: %v", input, err)
		}
	})
}

// inexact reports whether err may be about a number that is right for a
// schema and too large for a field, or written in an unusual way.
func inexact(err error) bool {
	return strings.Contains(err.Error(), "want a whole number") || strings.Contains(err.Error(), "want a number")
}

func withoutNulls(object map[string]any) map[string]any {
	for name, value := range object {
		if value == nil {
			delete(object, name)
		}
	}
	return object
}

func ExampleTyped() {
	type Weather struct {
		City string `json:"city"`
		Days int    `json:"days,omitempty" jsonschema:"how many days ahead"`
	}
	tool, err := tools.Typed("weather", "the forecast", func(_ context.Context, in Weather) (string, error) {
		return fmt.Sprintf("%s in %d days: rain", in.City, in.Days), nil
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(tool.Usage)
	for _, input := range []string{`"New York" 3`, `{"city":"Rome","days":1}`, "Rome soon", `{"town":"Rome"}`} {
		output, err := tool.Call(context.Background(), input)
		if err != nil {
			output = "error: " + err.Error()
		}
		fmt.Println(output)
	}
	// Output:
	// CITY [DAYS]: the forecast (DAYS: how many days ahead)
	// New York in 3 days: rain
	// Rome in 1 days: rain
	// error: DAYS cannot be "soon": want a whole number; use weather CITY [DAYS]
	// error: unknown field "town"; fields: city, [days]
}
