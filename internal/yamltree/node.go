package yamltree

import "fmt"

// Kind is what a value is.
type Kind string

// The closed set of kinds, as errors name them.
const (
	Null   Kind = "null"
	Bool   Kind = "a truth value"
	Number Kind = "a number"
	Text   Kind = "text"
	List   Kind = "a list"
	Map    Kind = "a map"
)

// Position counts lines and columns from 1.
type Position struct{ Line, Col int }

// Node is a value with its place.
type Node struct {
	Kind Kind
	At   Position
	// Text of a text; of a number or truth value as JSON writes it.
	Text string
	// Keys of a map.
	Keys []Label
	// Items of a list, or of a map, one per key.
	Items []*Node
}

// Label is a key of a map and its place.
type Label struct {
	Text string
	At   Position
}

// Error is a mistake and its place, in a file that whoever knows its name puts
// before it: fmt.Errorf("%s:%w", name, err).
type Error struct {
	At Position
	// Msg says what is wrong, and what was expected.
	Msg string
}

// Error returns line:col: message.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.At.Line, e.At.Col, e.Msg) }

// Fail makes an [*Error].
func Fail(at Position, format string, args ...any) error {
	return &Error{at, fmt.Sprintf(format, args...)}
}
