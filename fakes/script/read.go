package script

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/nearest"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// readStep reads one step: a one-word map, or a word alone.
func readStep(n *yamltree.Node, what string, words []word) (any, error) {
	switch n.Kind {
	case yamltree.Text:
		w, err := findWord(n.Text, n.At, what, words)
		if err != nil {
			return nil, err
		}
		if !w.bare {
			return nil, yamltree.Fail(n.At, "%s: needs a value, as \"%s: …\"", w.name, w.name)
		}
		return w.build(nil), nil
	case yamltree.Map:
	default:
		return nil, yamltree.Fail(n.At, "found %s, want a %s: a map of one word", n.Kind, what)
	}
	if len(n.Keys) == 0 {
		return nil, yamltree.Fail(n.At, "empty map, want a %s", what)
	}
	w, err := findWord(n.Keys[0].Text, n.Keys[0].At, what, words)
	if err != nil {
		return nil, err
	}
	if len(n.Keys) > 1 {
		return nil, yamltree.Fail(n.Keys[1].At, "second word %q in one %s, begin a new one with \"- \"", n.Keys[1].Text, what)
	}
	v, err := readFields(w, n.Items[0], n.Keys[0].At)
	if err != nil {
		return nil, err
	}
	return w.build(v), nil
}

func findWord(name string, at yamltree.Position, what string, words []word) (word, error) {
	var names []string
	for _, w := range words {
		if w.name == name {
			return w, nil
		}
		names = append(names, w.name)
	}
	if slices.Contains(caseWords, name) {
		return word{}, yamltree.Fail(at, "%s %q is for cases, not for scripts that a fake plays", what, name)
	}
	return word{}, yamltree.Fail(at, "unknown %s %q%s", what, name, nearest.Hint(name, names))
}

// readFields reads what stands after a word. At is the word's place.
func readFields(w word, n *yamltree.Node, at yamltree.Position) (values, error) {
	v := values{}
	if n.Kind != yamltree.Map {
		if n.Kind == yamltree.Null && w.bare {
			return v, nil
		}
		f, has := w.field(w.scalar)
		if !has {
			want := "a map of fields"
			if len(w.fields) == 0 {
				want = "nothing"
			}
			return nil, yamltree.Fail(n.At, "%s: found %s, want %s", w.name, n.Kind, want)
		}
		if n.Kind == yamltree.Null && f.is != fieldNullable {
			return nil, yamltree.Fail(at, "%s: needs a value", w.name)
		}
		return v, readField(v, w, f, n)
	}
	for i, key := range n.Keys {
		f, has := w.field(key.Text)
		if !has {
			return nil, yamltree.Fail(key.At, "%s: unknown field %q%s", w.name, key.Text, nearest.Hint(key.Text, w.fieldNames()))
		}
		if err := readField(v, w, f, n.Items[i]); err != nil {
			return nil, err
		}
	}
	return v, w.complete(v, at)
}

// complete checks what is required of the fields together.
func (w word) complete(v values, at yamltree.Position) error {
	for _, f := range w.fields {
		if _, given := v[f.name]; f.required && !given {
			return yamltree.Fail(at, "%s: missing field %q", w.name, f.name)
		}
	}
	given := func(names []string) (n int) {
		for _, name := range names {
			if _, ok := v[name]; ok {
				n++
			}
		}
		return n
	}
	if w.oneOf != nil && given(w.oneOf) != 1 {
		return yamltree.Fail(at, "%s: want one of the fields %s", w.name, strings.Join(w.oneOf, ", "))
	}
	if given(w.atMostOne) > 1 {
		return yamltree.Fail(at, "%s: want only one of the fields %s", w.name, strings.Join(w.atMostOne, ", "))
	}
	return nil
}

// readField puts one field's value into v, as the Go type of the field's kind.
func readField(v values, w word, f field, n *yamltree.Node) error {
	wrong := func(want string) error {
		found := string(n.Kind)
		if n.Kind == yamltree.Number || n.Kind == yamltree.Bool {
			found += " " + n.Text
			if want == "text" {
				want = "text in quotes"
			}
		}
		return yamltree.Fail(n.At, "%s: field %q: found %s, want %s", w.name, f.name, found, want)
	}
	switch f.is {
	case fieldNullable:
		if n.Kind == yamltree.Null {
			v[f.name] = nil
			return nil
		}
		fallthrough
	case fieldText:
		if n.Kind != yamltree.Text {
			return wrong("text")
		}
		v[f.name] = n.Text
	case fieldWord:
		if n.Kind != yamltree.Text {
			return wrong("one of " + strings.Join(f.words, ", "))
		}
		if !slices.Contains(f.words, n.Text) {
			return yamltree.Fail(n.At, "%s: field %q: unknown value %q, want one of %s", w.name, f.name, n.Text, strings.Join(f.words, ", "))
		}
		v[f.name] = n.Text
	case fieldFlag:
		if n.Kind != yamltree.Bool {
			return wrong("true or false")
		}
		v[f.name] = n.Text == "true"
	case fieldInt, fieldCount:
		i, err := strconv.ParseInt(n.Text, 10, 64)
		if n.Kind != yamltree.Number || err != nil || i < 0 || (f.is == fieldInt && i > math.MaxInt32) {
			return wrong("a whole number from 0 up")
		}
		if v[f.name] = i; f.is == fieldInt {
			v[f.name] = int(i)
		}
	case fieldAmount:
		x, err := strconv.ParseFloat(n.Text, 64)
		if n.Kind != yamltree.Number || err != nil {
			return wrong("a number")
		}
		v[f.name] = x
	case fieldJSON, fieldObject:
		if f.is == fieldObject && n.Kind != yamltree.Map {
			return wrong("a map")
		}
		out, err := appendJSON(nil, n)
		if err != nil {
			return yamltree.Fail(n.At, "%s: field %q: %v", w.name, f.name, err)
		}
		v[f.name] = string(out)
	case fieldJSONText:
		if n.Kind != yamltree.Text {
			return wrong("JSON in a text")
		}
		val := jsontext.Value(n.Text)
		if !val.IsValid() {
			return wrong("JSON in a text, and this is none")
		}
		if other, ok := w.field("fields"); ok && other.is == fieldObject && val.Kind() != '{' {
			return wrong("a JSON object in a text")
		}
		v[f.name] = n.Text
	case fieldBase64:
		raw, err := base64.StdEncoding.DecodeString(n.Text)
		if n.Kind != yamltree.Text || err != nil {
			return wrong("bytes in base64")
		}
		v[f.name] = raw
	default:
		panic(fmt.Sprintf("script: field kind %d", f.is))
	}
	return nil
}
