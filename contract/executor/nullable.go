package executor

// JSON is the text of one JSON value. The zero value reads as null.
type JSON string

// Nullable is a field that may be absent, null, or hold a value: three things on
// the wire. The zero value is absent.
type Nullable[T comparable] struct {
	value   T
	present bool
	known   bool
}

// Null is the field set to null.
func Null[T comparable]() Nullable[T] { return Nullable[T]{present: true} }

// Value is the field set to v.
func Value[T comparable](v T) Nullable[T] { return Nullable[T]{value: v, present: true, known: true} }

// Present reports whether the field exists, null included.
func (n Nullable[T]) Present() bool { return n.present }

// Get returns the value, and false if the field is absent or null.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.known }

// Equal reports whether both fields are in the same state with the same value.
func (n Nullable[T]) Equal(m Nullable[T]) bool { return n == m }
