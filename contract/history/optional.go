package history

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON is the text of one JSON value. The zero value is absent, which is another
// thing than "null".
type JSON string

// Optional is a field that may be absent, null, a value of its type, or a value of
// another type that a lenient writer left there: four things that all survive a
// round trip, byte for byte. The zero value is absent. Optionals are comparable;
// they are equal when their JSON text is.
type Optional[T bool | float64 | string] struct {
	text JSON
}

// Some is the field set to v. What JSON cannot carry is written as JavaScript
// writes it: a number that is not finite as null, a string with invalid UTF-8
// with U+FFFD in place of the bad bytes.
func Some[T bool | float64 | string](v T) Optional[T] {
	var text []byte
	switch v := any(v).(type) {
	case bool:
		text = strconv.AppendBool(nil, v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Null[T]()
		}
		text = jsontext.AppendFloat(nil, v, 64)
	case string:
		// The error says that bytes were replaced, which is what we want.
		text, _ = jsontext.AppendQuote(nil, v)
	}
	return Optional[T]{JSON(text)}
}

// Null is the field set to null.
func Null[T bool | float64 | string]() Optional[T] { return Optional[T]{"null"} }

// Present reports whether the field exists, null included.
func (o Optional[T]) Present() bool { return o.text != "" }

// IsNull reports whether the field exists and is null.
func (o Optional[T]) IsNull() bool { return o.text == "null" }

// IsZero reports whether the field is absent; encoders leave it out.
func (o Optional[T]) IsZero() bool { return o.text == "" }

// Text is the field's JSON text, empty when absent.
func (o Optional[T]) Text() JSON { return o.text }

// Get returns the value, and false where the field is absent, null or of another
// type.
func (o Optional[T]) Get() (T, bool) {
	var zero T
	if o.text == "" {
		return zero, false
	}
	switch p := any(&zero).(type) {
	case *bool:
		*p = o.text == "true"
		return zero, o.text == "true" || o.text == "false"
	case *float64:
		f, err := strconv.ParseFloat(string(o.text), 64)
		if err != nil && !math.IsInf(f, 0) {
			return zero, false
		}
		*p = f
		return zero, true
	case *string:
		if o.text[0] != '"' {
			return zero, false
		}
		*p = unquote(string(o.text))
		return zero, true
	}
	return zero, false
}

// Or returns the value, or the given one where [Optional.Get] finds none.
func (o Optional[T]) Or(other T) T {
	if v, ok := o.Get(); ok {
		return v
	}
	return other
}

// MarshalJSONTo writes the text; an absent field that is not left out is null.
func (o Optional[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if o.text == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteValue(jsontext.Value(o.text))
}

// UnmarshalJSONFrom keeps any JSON value.
func (o *Optional[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	text, err := readJSON(dec)
	if err != nil {
		return err
	}
	o.text = text
	return nil
}

// readJSON reads one value of any type, without the white space between its
// tokens.
func readJSON(dec *jsontext.Decoder) (JSON, error) {
	raw, err := dec.ReadValue()
	if err != nil {
		return "", err
	}
	if k := raw.Kind(); k == '{' || k == '[' {
		raw = raw.Clone()
		if err := raw.Compact(); err != nil {
			return "", err
		}
	}
	return JSON(raw), nil
}

// Equal reports whether both fields have the same JSON text.
func (o Optional[T]) Equal(p Optional[T]) bool { return o == p }
