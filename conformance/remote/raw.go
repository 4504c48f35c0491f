package remote

import (
	"bytes"
	"encoding/base64"
	"math"
	"math/big"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tokenKey is the one member of an object that stands for a value which JSON cannot
// carry.
const tokenKey = "$adaptercheck"

// maxLevels is how many levels of lists and objects cross the wire.
const maxLevels = 64

// token is such an object. Value is what the value is made of, where it holds
// something: text, entries, digits.
type token struct {
	Name  string         `json:"$adaptercheck"`
	Value jsontext.Value `json:"value,omitzero"`
}

// tokenOf is the name of a token.
func tokenOf(v jsontext.Value) (string, bool) {
	if v.Kind() != '{' || !bytes.Contains(v, []byte(tokenKey)) {
		return "", false
	}
	m := map[string]jsontext.Value{}
	if json.Unmarshal(v, &m, lax()[0], lax()[1]) != nil {
		return "", false
	}
	return stringOf(m[tokenKey])
}

// holdsToken reports whether there is a token anywhere in a value.
func holdsToken(v jsontext.Value) bool {
	if _, is := tokenOf(v); is {
		return true
	}
	switch v.Kind() {
	case '[':
		list, _ := listOf(v)
		for _, x := range list {
			if holdsToken(x) {
				return true
			}
		}
	case '{':
		m, _ := membersOf(v)
		for _, x := range m {
			if holdsToken(x) {
				return true
			}
		}
	}
	return false
}

// toWire writes any Go value: plain data as it is, everything else as the token
// that is nearest to it in any language. It calls no method of the value's but
// MarshalJSON, behind a guard.
func toWire(v any) jsontext.Value {
	w := &wireWriter{path: map[uintptr]bool{}}
	b, err := json.Marshal(w.value(v, 0), jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return jsontext.Value(`{"$adaptercheck":"throws"}`)
	}
	return b
}

type wireWriter struct {
	path map[uintptr]bool // lists and objects around the value
}

func named(name string) token { return token{Name: name} }

func holding(name string, v any) token {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return named(name)
	}
	return token{name, b}
}

// value is v in terms of what can be marshalled.
func (w *wireWriter) value(v any, level int) any {
	switch x := v.(type) {
	case nil, bool, string:
		return x
	case float64:
		switch {
		case math.IsNaN(x):
			return named("nan")
		case math.IsInf(x, 1):
			return named("infinity")
		case math.IsInf(x, -1):
			return named("-infinity")
		}
		return x
	case jsontext.Value:
		return x
	case []byte:
		return holding("buffer", base64.StdEncoding.EncodeToString(x))
	case time.Time:
		return holding("date", x.UnixMilli())
	case *big.Int:
		return holding("bigint", x.String())
	}
	r := reflect.ValueOf(v)
	if p, is := pointerOf(r); is {
		if w.path[p] {
			return named("cycle")
		}
		w.path[p] = true
		defer delete(w.path, p)
	}
	if level >= maxLevels && nests(r) {
		return holding("deep", innermost(r))
	}
	if m, ok := v.(interface{ MarshalJSON() ([]byte, error) }); ok {
		return encoded(m)
	}
	return w.reflected(r, level)
}

func pointerOf(r reflect.Value) (uintptr, bool) {
	switch r.Kind() {
	case reflect.Map, reflect.Pointer:
		return r.Pointer(), !r.IsNil()
	case reflect.Slice:
		return r.Pointer(), r.Len() > 0
	}
	return 0, false
}

func nests(r reflect.Value) bool {
	switch r.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct, reflect.Pointer:
		return true
	}
	return false
}

func (w *wireWriter) reflected(r reflect.Value, level int) any {
	switch r.Kind() {
	case reflect.Bool:
		return r.Bool()
	case reflect.String:
		return r.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return r.Uint()
	case reflect.Float32, reflect.Float64:
		return w.value(r.Float(), level)
	case reflect.Func:
		return named("function")
	case reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return named("symbol")
	case reflect.Interface, reflect.Pointer:
		if r.IsNil() {
			return nil
		}
		return w.inner(r.Elem(), level)
	case reflect.Slice, reflect.Array:
		list := make([]any, r.Len())
		for i := range list {
			list[i] = w.inner(r.Index(i), level+1)
		}
		return list
	case reflect.Map:
		return w.object(r, level)
	case reflect.Struct:
		m := map[string]any{}
		for i := range r.NumField() {
			m[r.Type().Field(i).Name] = w.inner(r.Field(i), level+1)
		}
		return m
	}
	return named("undefined")
}

// inner is a value inside another one, which may be hidden from [reflect.Value.Interface].
func (w *wireWriter) inner(r reflect.Value, level int) any {
	if r.IsValid() && r.CanInterface() {
		return w.value(r.Interface(), level)
	}
	return w.reflected(r, level)
}

// object is a plain one as it is, and any other map as a token that holds its
// entries.
func (w *wireWriter) object(r reflect.Value, level int) any {
	entries, m := [][2]any{}, map[string]any{}
	plain := r.Type() == reflect.TypeFor[map[string]any]()
	for it := r.MapRange(); it.Next(); {
		v := w.inner(it.Value(), level+1)
		if plain {
			m[it.Key().String()] = v
			continue
		}
		entries = append(entries, [2]any{w.inner(it.Key(), level+1), v})
	}
	if plain {
		return m
	}
	return holding("map", entries)
}

// encoded is what a value encodes itself as; one that fails to is as bad as an
// accessor that throws.
func encoded(m interface{ MarshalJSON() ([]byte, error) }) (out any) {
	defer func() {
		if recover() != nil {
			out = named("throws")
		}
	}()
	b, err := m.MarshalJSON()
	if err != nil || !jsontext.Value(b).IsValid() {
		return named("throws")
	}
	return jsontext.Value(b)
}

// innermost follows the first of everything to a string.
func innermost(r reflect.Value) string {
	for range 1 << 20 {
		switch r.Kind() {
		case reflect.String:
			return r.String()
		case reflect.Interface, reflect.Pointer:
			r = r.Elem()
		case reflect.Slice, reflect.Array:
			if r.Len() == 0 {
				return ""
			}
			r = r.Index(0)
		case reflect.Map:
			it := r.MapRange()
			if !it.Next() {
				return ""
			}
			r = it.Value()
		default:
			return ""
		}
	}
	return ""
}

// fromWire reads a raw value as a decoder does; tokens stay the objects that they
// are.
func fromWire(v jsontext.Value) any {
	if absent(v) {
		return nil
	}
	var out any
	if json.Unmarshal(v, &out, lax()[0], lax()[1]) != nil {
		return nil
	}
	return out
}
