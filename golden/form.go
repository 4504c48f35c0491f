package golden

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// reader reads a JSON value and says in the words of the contract what is wrong
// with it: the problem, empty for none, and what was wanted.
type reader func(jsontext.Value) (problem, want string)

// wrongType is the problem of a value of another JSON type, in both contracts.
const wrongType = "wrong-type"

// form describes the members of an object by showing its reader what may take their
// place: so it tells what is taken, whatever a type in Go may say.
func form(object jsontext.Value, read reader) []Field {
	var fields []Field
	members := membersOf(object)
	for i, m := range members {
		with := func(v jsontext.Value) (string, string) {
			other := slices.Clone(members)
			other[i].value = v
			return read(objectOf(other))
		}
		f := Field{Name: m.name, Types: types(with)}
		problem, _ := read(objectOf(slices.Delete(slices.Clone(members), i, i+1)))
		f.Required = problem != ""
		if _, want := with(jsontext.Value(`"?"`)); strings.HasPrefix(want, "one of [") {
			f.Values = strings.Fields(strings.Trim(strings.TrimPrefix(want, "one of "), "[]"))
		}
		if m.value.Kind() == '{' && f.Types[0] != "any" {
			f.Fields = form(m.value, with)
		}
		fields = append(fields, f)
	}
	return fields
}

// types lists the JSON types that are taken in one place.
func types(read reader) []string {
	var out []string
	for _, try := range []struct{ name, value string }{
		{"array", `[]`}, {"boolean", `true`}, {"null", `null`}, {"number", `1`}, {"object", `{}`}, {"string", `"?"`},
	} {
		problem, _ := read(jsontext.Value(try.value))
		if problem == wrongType {
			continue
		}
		if try.name == "number" {
			if problem, _ := read(jsontext.Value(`1.5`)); problem != "" {
				try.name = "integer"
			}
		}
		out = append(out, try.name)
	}
	if len(out) == 6 {
		return []string{"any"}
	}
	return out
}

// member of an object.
type member struct {
	name  string
	value jsontext.Value
}

// membersOf takes an object that this package has made itself apart.
func membersOf(object jsontext.Value) []member {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	var out []member
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		m.value = value.Clone()
		out = append(out, m)
	}
	return out
}

func objectOf(members []member) jsontext.Value {
	out := jsontext.Value("{")
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, m.name) // valid, as it was read
		out = append(append(out, ':'), m.value...)
	}
	return append(out, '}')
}
