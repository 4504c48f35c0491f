package remote

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// message is the outside of one line; what is in it stays as it is.
type message struct {
	version bool // jsonrpc is "2.0"
	id      jsontext.Value
	method  jsontext.Value
	params  jsontext.Value
	result  jsontext.Value
	failure jsontext.Value
}

// lax lets pass what is for the judges of the content to name.
func lax() []jsontext.Options {
	return []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
}

// readMessage reads the outside of a line. The values lie in the line.
func readMessage(line []byte) (message, Breach) {
	var m message
	d := jsontext.NewDecoder(bytes.NewReader(line), lax()...)
	if d.PeekKind() != '{' {
		if jsontext.Value(line).IsValid(lax()...) {
			return m, LineNotObject
		}
		return m, LineGarbage
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil {
			break
		}
		is := name.String()
		field := m.field(is)
		var v jsontext.Value
		if v, err = d.ReadValue(); err != nil {
			break
		}
		switch {
		case is == "jsonrpc":
			m.version = string(v) == `"2.0"`
		case field == nil:
		case *field != nil:
			return m, AnswerMalformed // a second id, a second result
		default:
			*field = v.Clone()
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	if err != nil {
		return m, LineGarbage
	}
	if _, err = d.ReadToken(); !errors.Is(err, io.EOF) {
		return m, LineGarbage
	}
	return m, ""
}

// field is where a member belongs, nil for one that the protocol does not have.
func (m *message) field(name string) *jsontext.Value {
	switch name {
	case "id":
		return &m.id
	case "method":
		return &m.method
	case "params":
		return &m.params
	case "result":
		return &m.result
	case "error":
		return &m.failure
	}
	return nil
}

// number is the id of an answer to one of the suite's requests, which are whole
// numbers.
func (m message) number() (int64, bool) {
	n, err := strconv.ParseInt(string(m.id), 10, 64)
	return n, err == nil
}

// requestID is the id of one of the suite's own requests, and false for its answers
// to call-backs. Both begin with their id; what follows may be long and is not read.
func requestID(b []byte) (int64, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(b), lax()...)
	_, err := d.ReadToken()
	var m message
	for err == nil {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil || name.Kind() != '"' {
			return 0, false
		}
		switch name.String() {
		case "method":
			return m.number()
		case "result", "error":
			return 0, false
		case "id":
			var v jsontext.Value
			v, err = d.ReadValue()
			m.id = v.Clone()
		default:
			err = d.SkipValue()
		}
	}
	return 0, false
}

// answer is the answer as the JSON-RPC library reads it without complaint.
func (m message) answer() []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), m.id...)
	if m.failure != nil {
		b = append(append(b, `,"error":`...), m.failure...)
	} else {
		b = append(append(b, `,"result":`...), m.result...)
	}
	return append(b, '}')
}

// call is the same for a call-back.
func (m message) call() []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), m.id...)
	b = append(append(b, `,"method":`...), m.method...)
	if k := m.params.Kind(); k == '{' || k == '[' {
		b = append(append(b, `,"params":`...), m.params...)
	}
	return append(b, '}')
}
