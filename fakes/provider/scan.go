package provider

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads a body once, from front to end. What has another type than the provider
// wants is skipped, and the first such thing remembered.
type scanner struct {
	body    []byte
	buffer  bytes.Buffer
	decoder jsontext.Decoder
	// wrong is the place of the first value of a wrong type, and what was wanted.
	wrong, want string
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func newScanner(body []byte) *scanner {
	s := scanners.Get().(*scanner)
	s.body, s.wrong, s.want = body, "", ""
	s.buffer = *bytes.NewBuffer(body)
	s.decoder.Reset(&s.buffer, jsontext.AllowDuplicateNames(true))
	return s
}

// close gives the scanner back.
func (s *scanner) close() {
	s.body, s.buffer = nil, bytes.Buffer{}
	scanners.Put(s)
}

// value reads a value. It is a part of the body.
func (s *scanner) value() (jsontext.Value, error) {
	v, err := s.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	end := s.decoder.InputOffset()
	return s.body[end-int64(len(v)) : end], nil
}

// mistyped skips a value that has the wrong type.
func (s *scanner) mistyped(want string) error {
	if s.want == "" {
		s.wrong, s.want = string(s.decoder.StackPointer()), want
	}
	return s.decoder.SkipValue()
}

// object reads an object: f is given each name, and reads the value.
func (s *scanner) object(f func(name []byte) error) error {
	if s.decoder.PeekKind() != '{' {
		return s.mistyped("object")
	}
	if _, err := s.decoder.ReadToken(); err != nil {
		return err
	}
	for s.decoder.PeekKind() != '}' {
		name, err := s.value()
		if err != nil {
			return err
		}
		if err := f(plain(name)); err != nil {
			return err
		}
	}
	_, err := s.decoder.ReadToken()
	return err
}

// array reads an array: f reads each item.
func (s *scanner) array(f func() error) error {
	if s.decoder.PeekKind() != '[' {
		return s.mistyped("array")
	}
	if _, err := s.decoder.ReadToken(); err != nil {
		return err
	}
	for s.decoder.PeekKind() != ']' {
		if err := f(); err != nil {
			return err
		}
	}
	_, err := s.decoder.ReadToken()
	return err
}

// text reads a string as it stands; null is none.
func (s *scanner) text(to *jsontext.Value) error {
	switch s.decoder.PeekKind() {
	case '"':
		v, err := s.value()
		*to = v
		return err
	case 'n':
		return s.decoder.SkipValue()
	}
	return s.mistyped("string")
}

func (s *scanner) string(to *string) error {
	var v jsontext.Value
	if err := s.text(&v); err != nil || v == nil {
		return err
	}
	*to = word(plain(v))
	return nil
}

// word is a text as a string. The words that every request has are there already.
func word(text []byte) string {
	switch string(text) {
	case "user":
		return "user"
	case "assistant":
		return "assistant"
	case "system":
		return "system"
	case "developer":
		return "developer"
	case "tool":
		return "tool"
	case "function":
		return "function"
	case "message":
		return "message"
	case "text":
		return "text"
	case "input_text":
		return "input_text"
	}
	return string(text)
}

func (s *scanner) bool(to *bool) error {
	switch s.decoder.PeekKind() {
	case 't', 'f':
		t, err := s.decoder.ReadToken()
		*to = err == nil && t.Bool()
		return err
	case 'n':
		return s.decoder.SkipValue()
	}
	return s.mistyped("boolean")
}

func (s *scanner) integer(to *int64) error {
	switch s.decoder.PeekKind() {
	case '0':
		v, err := s.value()
		if err != nil {
			return err
		}
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			*to = n
		} else if s.want == "" {
			s.wrong, s.want = string(s.decoder.StackPointer()), "integer"
		}
		return nil
	case 'n':
		return s.decoder.SkipValue()
	}
	return s.mistyped("integer")
}

func (s *scanner) skip() error { return s.decoder.SkipValue() }

// end makes sure that nothing follows.
func (s *scanner) end() error {
	_, err := s.decoder.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errTrailing
	}
	return err
}
