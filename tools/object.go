package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readObject fills the fields from a JSON object.
func (a *arguments) readObject(input string) error {
	err := a.takeMembers(json.NewDecoder(strings.NewReader(input)))
	if missing := a.missing(); err == nil && missing != nil {
		err = fmt.Errorf("missing field %s", missing.name)
	}
	if err != nil {
		return fmt.Errorf("%w; fields: %s", err, a.form.names())
	}
	return nil
}

// takeMembers takes all of an object.
func (a *arguments) takeMembers(d *json.Decoder) error {
	d.Token() // the brace
	for d.More() {
		if err := a.takeMember(d); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return badJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return badJSON(errors.New("text after the object"))
	}
	return nil
}

// takeMember takes one field of an object. A null is as good as nothing where
// nothing would do.
func (a *arguments) takeMember(d *json.Decoder) error {
	key, err := d.Token()
	var raw json.RawMessage
	if err == nil {
		err = d.Decode(&raw)
	}
	if err != nil {
		return badJSON(err)
	}
	name := fmt.Sprint(key) // a string: the decoder takes no other key
	i := a.form.find(name)
	switch {
	case i < 0:
		return fmt.Errorf("unknown field %s", quoteShort(name))
	case a.given[i]:
		return fmt.Errorf("field %s is there twice", name)
	case jsonKind(raw) == "null" && a.form.fields[i].optional:
		return nil
	case a.form.fields[i].list:
		return a.setList(i, raw)
	}
	return a.setJSON(i, raw)
}

// setList gives field i the values of an array.
func (a *arguments) setList(i int, raw json.RawMessage) error {
	var values []json.RawMessage
	if jsonKind(raw) != "array" || json.Unmarshal(raw, &values) != nil {
		return fmt.Errorf("field %s cannot be a JSON %s: want an array", a.form.fields[i].name, jsonKind(raw))
	}
	a.given[i] = true
	for _, value := range values {
		if err := a.setJSON(i, value); err != nil {
			return err
		}
	}
	return nil
}

// setJSON gives field i a value, or one value more if it is a list.
func (a *arguments) setJSON(i int, raw json.RawMessage) error {
	f := &a.form.fields[i]
	value, ok := parseJSON(f.kind, raw)
	if ok {
		a.set(i, value)
		return nil
	}
	what := "a JSON " + jsonKind(raw)
	if jsonKind(raw) == "number" {
		what = short(string(raw))
	}
	return fmt.Errorf("field %s cannot be %s: want %s", f.name, what, expected(f.kind))
}

func badJSON(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the object is not closed")
	}
	return fmt.Errorf("bad JSON: %w (-- goes before a text that begins with a {)", err)
}
