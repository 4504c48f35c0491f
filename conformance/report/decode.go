package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decode reads a document in three steps: what the JSON reader refuses, what it lets
// by (a missing or null member becomes a zero value), and what Validate refuses.
func decode(document string, data []byte, out interface{ Validate() error }) error {
	t := reflect.TypeOf(out).Elem()
	if err := json.Unmarshal(data, out, json.RejectUnknownMembers(true)); err != nil {
		return readError(document, data, t, err)
	}
	w := &walker{document: document, data: data, dec: jsontext.NewDecoder(bytes.NewReader(data)), offsets: map[string]int{}}
	if err := w.value(t, ""); err != nil {
		return err
	}
	err := out.Validate()
	if e, ok := errors.AsType[*FieldError](err); ok {
		e.Line, e.Column = position(data, w.offsets[e.Field])
	}
	return err
}

// readError turns an error of the JSON reader into one that quotes nothing: the
// reader's own texts name members, which may be anything.
func readError(document string, data []byte, t reflect.Type, err error) error {
	e := &FieldError{Document: document, Problem: ProblemSyntax}
	var offset int64
	var pointer jsontext.Pointer
	if s, ok := errors.AsType[*json.SemanticError](err); ok {
		offset, pointer, e.Problem = s.ByteOffset, s.JSONPointer, ProblemType
	} else if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, pointer = s.ByteOffset, s.JSONPointer
	}
	switch {
	case errors.Is(err, json.ErrUnknownName):
		e.Problem, pointer = ProblemUnknown, pointer.Parent()
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Problem, pointer = ProblemDuplicate, pointer.Parent()
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Problem, offset = ProblemTruncated, int64(len(data))
	}
	e.Field = fieldOf(t, pointer)
	e.Line, e.Column = position(data, tokenStart(data, int(offset)))
	return e
}

// fieldOf writes a JSON pointer as the way to a field, as far as the types know it.
func fieldOf(t reflect.Type, pointer jsontext.Pointer) string {
	field := ""
	for token := range pointer.Tokens() {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Struct:
			m, ok := memberOf(t, token)
			if !ok {
				return field
			}
			field, t = join(field, m.name), m.typ
		case reflect.Slice:
			if i, err := strconv.Atoi(token); err == nil {
				field = fmt.Sprintf("%s[%d]", field, i)
			}
			t = t.Elem()
		default:
			return field
		}
	}
	return field
}

// walker goes through a document that the JSON reader has accepted. It refuses
// missing and null members and notes where each field stands.
type walker struct {
	document string
	data     []byte
	dec      *jsontext.Decoder
	offsets  map[string]int
}

func (w *walker) value(t reflect.Type, field string) error {
	at := tokenStart(w.data, int(w.dec.InputOffset()))
	w.offsets[field] = at
	token, err := w.dec.ReadToken()
	if err != nil {
		return readError(w.document, w.data, t, err)
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch token.Kind() {
	case 'n':
		return w.fail(field, at, ProblemNull)
	case '[':
		for i := 0; w.dec.PeekKind() != ']'; i++ {
			if err := w.value(t.Elem(), fmt.Sprintf("%s[%d]", field, i)); err != nil {
				return err
			}
		}
		_, err = w.dec.ReadToken()
		return err
	case '{':
		return w.object(t, field, at)
	case '"':
		// An empty word is written by leaving the member out.
		if token.String() == "" {
			return w.fail(field, at, ProblemOutside)
		}
	}
	return nil
}

func (w *walker) object(t reflect.Type, field string, at int) error {
	seen := map[string]bool{}
	for w.dec.PeekKind() != '}' {
		token, err := w.dec.ReadToken()
		if err != nil {
			return readError(w.document, w.data, t, err)
		}
		name := token.String()
		seen[name] = true
		// The names of a map stay out of the field: they are not checked yet.
		typ, sub := t, field
		if t.Kind() == reflect.Struct {
			m, ok := memberOf(t, name)
			if !ok {
				return w.fail(field, at, ProblemUnknown)
			}
			typ, sub = m.typ, join(field, m.name)
		} else {
			typ = t.Elem()
		}
		if err := w.value(typ, sub); err != nil {
			return err
		}
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	w.offsets[field] = at
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, m := range membersOf(t) {
		if !m.optional && !seen[m.name] {
			return w.fail(join(field, m.name), at, ProblemMissing)
		}
	}
	return nil
}

func (w *walker) fail(field string, offset int, p Problem) error {
	line, column := position(w.data, offset)
	return &FieldError{Document: w.document, Field: field, Line: line, Column: column, Problem: p}
}

// member is one JSON member of a struct of this package.
type member struct {
	name     string
	typ      reflect.Type
	optional bool
}

func membersOf(t reflect.Type) []member {
	var out []member
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, member{name: name, typ: f.Type, optional: strings.Contains(options, "omitempty")})
	}
	return out
}

func memberOf(t reflect.Type, name string) (member, bool) {
	for _, m := range membersOf(t) {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// tokenStart moves an offset that the reader gives, the end of what came before, on
// to the token that is meant.
func tokenStart(data []byte, offset int) int {
	for offset < len(data) && strings.IndexByte(" \t\r\n:,", data[offset]) >= 0 {
		offset++
	}
	return offset
}

// position counts lines and characters from 1.
func position(data []byte, offset int) (line, column int) {
	before := data[:min(offset, len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}
