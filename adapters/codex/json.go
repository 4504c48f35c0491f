package codex

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient accepts bytes that are not UTF-8: a message with one of those is still the
// message. It accepts names that occur twice, as the real items of web searches have
// two ids.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// decode reads JSON text.
func decode(text []byte, into any) error { return json.Unmarshal(text, into, lenient) }

var (
	errNoObject = errors.New("not one JSON object")
	errTwice    = errors.New("a member occurs twice")
)

// byteOrderMark is what the output of another program may begin with.
var byteOrderMark = []byte("\xef\xbb\xbf")

// member is a member of an object that is looked for.
type member struct {
	name string
	to   *jsontext.Value
}

// read finds members of a JSON object. What is not there stays as it is; what else is
// there costs nothing, whatever its type. The values are parts of the text, so that a
// long line is never held twice. Text that is not one object is an error, and so is a
// member that is looked for and occurs twice, but for an id: the first is that of the
// item. After an error nothing that was found can be trusted.
func read(object []byte, members ...member) error {
	object = bytes.TrimPrefix(object, byteOrderMark)
	dec := jsontext.NewDecoder(bytes.NewBuffer(object), lenient)
	if dec.PeekKind() != '{' {
		return errNoObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		at := -1
		for i := range members {
			if members[i].name == name.String() {
				at = i
			}
		}
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		switch end := dec.InputOffset(); {
		case at < 0:
		case len(*members[at].to) == 0:
			*members[at].to = object[end-int64(len(value)) : end]
		case members[at].name != "id":
			return errTwice
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return errNoObject
	}
	return nil
}

// elements gives each value of an array to each; anything else has none.
func elements(array jsontext.Value, each func(jsontext.Value)) {
	var values []jsontext.Value
	if array.Kind() == '[' && decode(array, &values) == nil {
		for _, v := range values {
			each(v)
		}
	}
}

// str returns the string that v holds, and false for anything else.
func str(v jsontext.Value) (string, bool) {
	var s string
	if v.Kind() != '"' || decode(v, &s) != nil {
		return "", false
	}
	return s, true
}

// text is str for where nothing is as good as a wrong type.
func text(v jsontext.Value) string {
	s, _ := str(v)
	return s
}

// set reports whether v is there and not null.
func set(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// object writes {"name": value}.
func object(name string, value any) jsontext.Value {
	out, err := json.Marshal(map[string]any{name: value}, lenient)
	if err != nil {
		return nil // cannot happen: value is a string or valid JSON text
	}
	return out
}

// compact returns JSON text without white space, null where there is none.
func compact(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	v = v.Clone()
	if v.Compact(lenient) != nil {
		return jsontext.Value("null")
	}
	return v
}
