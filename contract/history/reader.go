package history

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// reader walks a decoder over one message or snapshot. It works in one pass and
// keeps nothing of the input alive but what it returns.
type reader struct {
	dec *jsontext.Decoder
	// fields is scratch space for the members of one block.
	fields []Member
}

// fail makes the error for the value that was read last.
func (r *reader) fail(p Problem, want string) error {
	return &ShapeError{Problem: p, Want: want, Offset: r.dec.InputOffset()}
}

// syntax hides the decoder's text.
func (r *reader) syntax(err error) error { return syntaxError(err, r.dec.InputOffset()) }

// expect fails unless the next value is of a kind. It consumes nothing.
func (r *reader) expect(kind jsontext.Kind, want string) error {
	switch r.dec.PeekKind() {
	case kind:
		return nil
	case jsontext.KindInvalid:
		_, err := r.dec.ReadValue()
		return r.syntax(err)
	}
	return r.fail(ProblemType, want)
}

// object calls f for each member with the decoder in front of its value, which f
// must consume.
func (r *reader) object(f func(name string) error) error {
	if err := r.expect('{', "an object"); err != nil {
		return err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(err)
	}
	for r.dec.PeekKind() != '}' {
		raw, err := r.dec.ReadValue()
		if err != nil {
			return r.syntax(err)
		}
		if raw.Kind() != '"' {
			return r.fail(ProblemSyntax, "a name")
		}
		name := contractName(raw[1 : len(raw)-1])
		if name == "" {
			name = unquote(string(raw))
		}
		if err := f(name); err != nil {
			return inside(err, safeName(name))
		}
	}
	_, err := r.dec.ReadToken()
	if err != nil {
		return r.syntax(err)
	}
	return nil
}

// array calls f for each element with the decoder in front of it.
func (r *reader) array(f func() error) error {
	if err := r.expect('[', "an array"); err != nil {
		return err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(err)
	}
	for i := 0; r.dec.PeekKind() != ']'; i++ {
		if err := f(); err != nil {
			return inside(err, fmt.Sprintf("[%d]", i))
		}
	}
	_, err := r.dec.ReadToken()
	if err != nil {
		return r.syntax(err)
	}
	return nil
}

// any reads one value of any type.
func (r *reader) any() (JSON, error) {
	text, err := readJSON(r.dec)
	if err != nil {
		return "", r.syntax(err)
	}
	return text, nil
}

// str reads a string.
func (r *reader) str(into *string) error {
	if err := r.expect('"', "a string"); err != nil {
		return err
	}
	raw, err := r.dec.ReadValue()
	if err != nil {
		return r.syntax(err)
	}
	*into = unquote(string(raw))
	return nil
}

// strs reads a list of strings.
func (r *reader) strs(into *[]string) error {
	*into = []string{}
	return r.array(func() error {
		var s string
		if err := r.str(&s); err != nil {
			return err
		}
		*into = append(*into, s)
		return nil
	})
}

// boolean reads true or false.
func (r *reader) boolean(into *bool) error {
	kind := r.dec.PeekKind()
	if kind != 't' && kind != 'f' {
		return r.expect('t', "a boolean")
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.syntax(err)
	}
	*into = kind == 't'
	return nil
}

// unquote decodes the text of a JSON string that the decoder has accepted.
func unquote(raw string) string {
	inner := raw[1 : len(raw)-1]
	for i := range len(inner) {
		if inner[i] == '\\' {
			b, _ := jsontext.AppendUnquote(nil, raw)
			return string(b)
		}
	}
	return inner
}

// seen notes which required fields were read.
type seen uint16

// missing is the error for the first of the fields, given in the order of their
// bits, that was not seen.
func (s seen) missing(r *reader, fields ...string) error {
	for i, field := range fields {
		if s&(1<<i) == 0 {
			return inside(r.fail(ProblemMissing, "the field"), field)
		}
	}
	return nil
}
