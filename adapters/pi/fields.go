package pi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// scanner takes JSON values apart, one after the other. Whoever parsed the lines has
// seen to it that they are whole and have every name once.
type scanner struct {
	src strings.Reader
	dec *jsontext.Decoder
}

func newScanner() *scanner { return &scanner{dec: jsontext.NewDecoder(strings.NewReader(""))} }

// open begins a value.
func (s *scanner) open(v history.JSON) *jsontext.Decoder {
	s.src.Reset(string(v))
	s.dec.Reset(&s.src, jsontext.AllowDuplicateNames(true))
	return s.dec
}

// fields are the members of a JSON object that were not taken yet, in their order.
type fields struct {
	list history.Members
	scan *scanner
}

// fields reads the members of an object.
func (s *scanner) fields(v history.JSON) (*fields, error) {
	dec := s.open(v)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errObject
	}
	f := &fields{list: make(history.Members, 0, 8), scan: s}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, errObject
		}
		m := history.Member{Name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, errObject
		}
		m.Value = history.JSON(value)
		f.list = append(f.list, m)
	}
	return f, nil
}

// items reads the items of an array.
func (s *scanner) items(v history.JSON) ([]history.JSON, error) {
	dec := s.open(v)
	if _, err := dec.ReadToken(); err != nil {
		return nil, errObject
	}
	var out []history.JSON
	for dec.PeekKind() != ']' {
		item, err := dec.ReadValue()
		if err != nil {
			return nil, errObject
		}
		out = append(out, history.JSON(item))
	}
	return out, nil
}

// get finds a field; the empty value is that of none.
func (f *fields) get(name string) (history.JSON, bool) { return f.list.Get(name) }

// take finds a field and removes it.
func (f *fields) take(name string) (history.JSON, bool) {
	for i, m := range f.list {
		if m.Name == name {
			f.list = slices.Delete(f.list, i, i+1)
			return m.Value, true
		}
	}
	return "", false
}

// drop removes fields.
func (f *fields) drop(names ...string) {
	f.list = slices.DeleteFunc(f.list, func(m history.Member) bool { return slices.Contains(names, m.Name) })
}

// rest gives what is left; nil if nothing is.
func (f *fields) rest() history.Members {
	if len(f.list) == 0 {
		return nil
	}
	for i := range f.list {
		f.list[i].Value = compact(f.list[i].Value)
	}
	return slices.Clip(f.list)
}

// optional takes a field that should be a string; anything else counts as absent.
func (f *fields) optional(name string) history.Optional[string] {
	v, ok := f.take(name)
	if !ok || kindOf(v) != '"' {
		return history.Optional[string]{}
	}
	return history.Some(text(v))
}

// optionalText takes a field that is a string or not there; false means that it is
// something else.
func (f *fields) optionalText(name string) (history.Optional[string], bool) {
	v, ok := f.get(name)
	if !ok {
		return history.Optional[string]{}, true
	}
	if kindOf(v) != '"' {
		return history.Optional[string]{}, false
	}
	f.take(name)
	return history.Some(text(v)), true
}

func kindOf(v history.JSON) byte {
	if v == "" {
		return 0
	}
	return v[0]
}

// compact removes the white space between tokens; strings and numbers keep every
// byte.
func compact(v history.JSON) history.JSON {
	if k := kindOf(v); k != '{' && k != '[' {
		return v
	}
	b, err := jsontext.AppendFormat(nil, v, jsontext.PreserveRawStrings(true))
	if err != nil {
		return v
	}
	return history.JSON(b)
}

// numberOf is a number that is finite, or nothing.
func numberOf(v history.JSON) history.Optional[float64] {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return history.Optional[float64]{}
	}
	return history.Some(f)
}
