package openclaw

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is the text of a JSON object that is being written, member after member.
// Most frames are sent many times a second: they are written once, without a value in
// between.
type object struct{ text []byte }

func newObject() *object { return &object{append(make([]byte, 0, 256), '{')} }

func (o *object) name(name string) {
	if len(o.text) > 1 {
		o.text = append(o.text, ',')
	}
	o.text = append(quoted(o.text, name), ':')
}

func (o *object) str(name, value string) *object {
	o.name(name)
	o.text = quoted(o.text, value)
	return o
}

// opt is str, but for a text that is empty.
func (o *object) opt(name, value string) *object {
	if value == "" {
		return o
	}
	return o.str(name, value)
}

func (o *object) num(name string, value int64) *object {
	o.name(name)
	o.text = strconv.AppendInt(o.text, value, 10)
	return o
}

func (o *object) flag(name string, value bool) *object {
	o.name(name)
	o.text = strconv.AppendBool(o.text, value)
	return o
}

func (o *object) null(name string) *object { return o.raw(name, []byte("null")) }

// raw adds a member whose value is JSON text.
func (o *object) raw(name string, value []byte) *object {
	o.name(name)
	o.text = append(o.text, value...)
	return o
}

func (o *object) obj(name string, value *object) *object { return o.raw(name, value.end()) }

// list adds a member that is an array of texts.
func (o *object) list(name string, values []string) *object { return o.raw(name, encoded(values)) }

// any adds a member with any value.
func (o *object) any(name string, value any) *object { return o.raw(name, encoded(value)) }

// members adds all members of another object. No text is none.
func (o *object) members(other []byte) *object {
	if len(other) == 0 {
		return o
	}
	if inner := other[1 : len(other)-1]; len(inner) > 0 {
		if len(o.text) > 1 {
			o.text = append(o.text, ',')
		}
		o.text = append(o.text, inner...)
	}
	return o
}

// end returns the whole object. The writing may go on after it.
func (o *object) end() []byte { return append(o.text[:len(o.text):len(o.text)], '}') }

// quoted appends a JSON string. Text that is not UTF-8 is mended, as the wire is UTF-8.
func quoted(to []byte, text string) []byte {
	to, _ = jsontext.AppendQuote(to, text)
	return to
}

// encoded is the JSON text of a value that always has one: texts, numbers, lists and
// maps of them.
func encoded(value any) []byte {
	text, err := json.Marshal(value, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return []byte("null")
	}
	return text
}

// array joins JSON texts to an array.
func array(items [][]byte) []byte {
	text := []byte{'['}
	for i, item := range items {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, item...)
	}
	return append(text, ']')
}
