package script

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readStep reads one step: a one-word map, or a word alone.
func readStep(n *node, what string, words []word) (any, error) {
	switch n.kind {
	case kindText:
		w, err := findWord(n.text, n.at, what, words)
		if err != nil {
			return nil, err
		}
		if !w.bare {
			return nil, fail(n.at, "%s: needs a value, as \"%s: …\"", w.name, w.name)
		}
		return w.build(nil), nil
	case kindObject:
	default:
		return nil, fail(n.at, "found %s, want a %s: a map of one word", n.kind, what)
	}
	if len(n.keys) == 0 {
		return nil, fail(n.at, "empty map, want a %s", what)
	}
	w, err := findWord(n.keys[0].text, n.keys[0].at, what, words)
	if err != nil {
		return nil, err
	}
	if len(n.keys) > 1 {
		return nil, fail(n.keys[1].at, "second word %q in one %s, begin a new one with \"- \"", n.keys[1].text, what)
	}
	v, err := readFields(w, n.items[0], n.keys[0].at)
	if err != nil {
		return nil, err
	}
	return w.build(v), nil
}

func findWord(name string, at position, what string, words []word) (word, error) {
	var names []string
	for _, w := range words {
		if w.name == name {
			return w, nil
		}
		names = append(names, w.name)
	}
	if slices.Contains(caseWords, name) {
		return word{}, fail(at, "%s %q is for cases, not for scripts that a fake plays", what, name)
	}
	return word{}, fail(at, "unknown %s %q%s", what, name, didYouMean(name, names))
}

// readFields reads what stands after a word. At is the word's place.
func readFields(w word, n *node, at position) (values, error) {
	v := values{}
	if n.kind != kindObject {
		if n.kind == kindNull && w.bare {
			return v, nil
		}
		f, has := w.field(w.scalar)
		if !has {
			want := "a map of fields"
			if len(w.fields) == 0 {
				want = "nothing"
			}
			return nil, fail(n.at, "%s: found %s, want %s", w.name, n.kind, want)
		}
		if n.kind == kindNull && f.is != fieldNullable {
			return nil, fail(at, "%s: needs a value", w.name)
		}
		return v, readField(v, w, f, n)
	}
	for i, key := range n.keys {
		f, has := w.field(key.text)
		if !has {
			return nil, fail(key.at, "%s: unknown field %q%s", w.name, key.text, didYouMean(key.text, w.fieldNames()))
		}
		if err := readField(v, w, f, n.items[i]); err != nil {
			return nil, err
		}
	}
	return v, w.complete(v, at)
}

// complete checks what is required of the fields together.
func (w word) complete(v values, at position) error {
	for _, f := range w.fields {
		if _, given := v[f.name]; f.required && !given {
			return fail(at, "%s: missing field %q", w.name, f.name)
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
		return fail(at, "%s: want one of the fields %s", w.name, strings.Join(w.oneOf, ", "))
	}
	if given(w.atMostOne) > 1 {
		return fail(at, "%s: want only one of the fields %s", w.name, strings.Join(w.atMostOne, ", "))
	}
	return nil
}

// readField puts one field's value into v, as the Go type of the field's kind.
func readField(v values, w word, f field, n *node) error {
	wrong := func(want string) error {
		found := string(n.kind)
		if n.kind == kindNumber || n.kind == kindBool {
			found += " " + n.text
			if want == "text" {
				want = "text in quotes"
			}
		}
		return fail(n.at, "%s: field %q: found %s, want %s", w.name, f.name, found, want)
	}
	switch f.is {
	case fieldNullable:
		if n.kind == kindNull {
			v[f.name] = nil
			return nil
		}
		fallthrough
	case fieldText:
		if n.kind != kindText {
			return wrong("text")
		}
		v[f.name] = n.text
	case fieldWord:
		if n.kind != kindText {
			return wrong("one of " + strings.Join(f.words, ", "))
		}
		if !slices.Contains(f.words, n.text) {
			return fail(n.at, "%s: field %q: unknown value %q, want one of %s", w.name, f.name, n.text, strings.Join(f.words, ", "))
		}
		v[f.name] = n.text
	case fieldFlag:
		if n.kind != kindBool {
			return wrong("true or false")
		}
		v[f.name] = n.text == "true"
	case fieldInt, fieldCount:
		i, err := strconv.ParseInt(n.text, 10, 64)
		if n.kind != kindNumber || err != nil || i < 0 || (f.is == fieldInt && i > math.MaxInt32) {
			return wrong("a whole number from 0 up")
		}
		if v[f.name] = i; f.is == fieldInt {
			v[f.name] = int(i)
		}
	case fieldAmount:
		x, err := strconv.ParseFloat(n.text, 64)
		if n.kind != kindNumber || err != nil {
			return wrong("a number")
		}
		v[f.name] = x
	case fieldJSON, fieldObject:
		if f.is == fieldObject && n.kind != kindObject {
			return wrong("a map")
		}
		out, err := appendJSON(nil, n)
		if err != nil {
			return fail(n.at, "%s: field %q: %v", w.name, f.name, err)
		}
		v[f.name] = string(out)
	case fieldJSONText:
		if n.kind != kindText {
			return wrong("JSON in a text")
		}
		val := jsontext.Value(n.text)
		if !val.IsValid() {
			return wrong("JSON in a text, and this is none")
		}
		if other, ok := w.field("fields"); ok && other.is == fieldObject && val.Kind() != '{' {
			return wrong("a JSON object in a text")
		}
		v[f.name] = n.text
	case fieldBase64:
		raw, err := base64.StdEncoding.DecodeString(n.text)
		if n.kind != kindText || err != nil {
			return wrong("bytes in base64")
		}
		v[f.name] = raw
	default:
		panic(fmt.Sprintf("script: field kind %d", f.is))
	}
	return nil
}
