package script

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// field puts one field's value into v, as the Go type of the field's kind.
func (r *reader) field(v values, w word, f field, n *yamltree.Node) {
	switch f.is {
	case fieldTexts, fieldTextMap, fieldCalls:
		r.several(v, w, f, n)
		return
	}
	value, want := r.value(w, f, n)
	if want == "" {
		v[f.name] = value
		return
	}
	found := string(n.Kind)
	if n.Kind == yamltree.Number || n.Kind == yamltree.Bool {
		found += " " + n.Text
		if want == "text" {
			want = "text in quotes"
		}
	}
	r.fail(n.At, "%s: field %q: found %s, want %s", w.name, f.name, found, want)
}

// value reads a field that is one value. Want says what it should have been, empty if
// it is that.
func (r *reader) value(w word, f field, n *yamltree.Node) (value any, want string) {
	switch f.is {
	case fieldNullable:
		if n.Kind == yamltree.Null {
			return nil, ""
		}
		fallthrough
	case fieldText:
		return n.Text, unless(n.Kind == yamltree.Text, "text")
	case fieldWord:
		known := strings.Join(f.words, ", ")
		if len(f.words) > 1 {
			known = "one of " + known
		}
		if n.Kind == yamltree.Text && !slices.Contains(f.words, n.Text) {
			r.fail(n.At, "%s: field %q: unknown value %q, want %s", w.name, f.name, n.Text, known)
			return n.Text, ""
		}
		return n.Text, unless(n.Kind == yamltree.Text, known)
	case fieldFlag:
		return n.Text == "true", unless(n.Kind == yamltree.Bool, "true or false")
	case fieldInt:
		i, err := strconv.ParseInt(n.Text, 10, 64)
		return int(i), unless(n.Kind == yamltree.Number && err == nil && i >= 0 && i <= math.MaxInt32, "a whole number from 0 up")
	case fieldCount:
		i, err := strconv.ParseInt(n.Text, 10, 64)
		return i, unless(n.Kind == yamltree.Number && err == nil && i >= 0, "a whole number from 0 up")
	case fieldAmount:
		x, err := strconv.ParseFloat(n.Text, 64)
		return x, unless(n.Kind == yamltree.Number && err == nil, "a number")
	case fieldDuration, fieldShift:
		d, err := time.ParseDuration(n.Text)
		if f.is == fieldShift {
			return d, unless(n.Kind == yamltree.Text && err == nil, `a time with its unit, as "5s" or "-1h30m"`)
		}
		return d, unless(n.Kind == yamltree.Text && err == nil && d >= 0, `a time with its unit, as "5s" or "1h30m"`)
	case fieldMode:
		m, err := strconv.ParseUint(n.Text, 8, 16)
		return fs.FileMode(m), unless(n.Kind == yamltree.Text && err == nil && m <= 0o777, `permissions in octal and in quotes, as "0600"`)
	case fieldJSON, fieldObject:
		out, err := appendJSON(nil, n)
		if err != nil {
			r.fail(n.At, "%s: field %q: %v", w.name, f.name, err)
		}
		return string(out), unless(f.is == fieldJSON || n.Kind == yamltree.Map, "a map")
	case fieldJSONText:
		text := jsontext.Value(n.Text)
		_, object := w.field("fields")
		switch {
		case n.Kind != yamltree.Text:
			return nil, "JSON in a text"
		case !text.IsValid():
			return nil, "JSON in a text, and this is none"
		}
		return n.Text, unless(!object || text.Kind() == '{', "a JSON object in a text")
	case fieldBase64:
		raw, err := base64.StdEncoding.DecodeString(n.Text)
		return raw, unless(n.Kind == yamltree.Text && err == nil, "bytes in base64")
	case fieldFile:
		if n.Kind != yamltree.Text {
			return nil, "the name of a file"
		}
		return beside{n.Text, r.beside(w, f, n)}, ""
	}
	panic(fmt.Sprintf("script: field kind %d", f.is))
}

func unless(right bool, want string) string {
	if right {
		return ""
	}
	return want
}

// beside reads a file beside the script.
func (r *reader) beside(w word, f field, n *yamltree.Node) []byte {
	if r.files == nil {
		r.fail(n.At, "%s: field %q: a script that stands alone has no files beside it", w.name, f.name)
		return nil
	}
	data, err := r.files(n.Text)
	if err != nil {
		var why *fs.PathError
		if errors.As(err, &why) { // the name stands in the script
			err = why.Err
		}
		r.fail(n.At, "%s: field %q: file %q: %v", w.name, f.name, n.Text, err)
	}
	return data
}

// several reads a field that is many values.
func (r *reader) several(v values, w word, f field, n *yamltree.Node) {
	kind, want := yamltree.List, "a list of texts"
	switch f.is {
	case fieldTextMap:
		kind, want = yamltree.Map, "a map of texts"
	case fieldCalls:
		want = "a list of calls"
	}
	if n.Kind != kind {
		r.fail(n.At, "%s: field %q: found %s, want %s", w.name, f.name, n.Kind, want)
		return
	}
	if f.is == fieldCalls {
		v[f.name] = r.calls(n)
		return
	}
	texts, named := []string{}, map[string]string{}
	for i, item := range n.Items {
		one := values{}
		r.field(one, w, field{name: f.name}, item)
		text := get[string](one, f.name)
		texts = append(texts, text)
		if f.is == fieldTextMap {
			named[n.Keys[i].Text] = text
		}
	}
	if v[f.name] = any(texts); f.is == fieldTextMap {
		v[f.name] = named
	}
}

// calls reads tool calls, each the fields of a call.
func (r *reader) calls(n *yamltree.Node) []fakes.ToolCall {
	w, _ := find("call", frameWords)
	out := []fakes.ToolCall{}
	for _, item := range n.Items {
		out = append(out, toolCall(r.fields(w, item, item.At)))
	}
	return out
}
