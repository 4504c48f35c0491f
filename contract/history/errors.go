package history

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Problem says what is wrong with a field of a message or snapshot.
type Problem string

// The closed set of problems.
const (
	ProblemSyntax    Problem = "syntax"         // the text is not JSON
	ProblemDuplicate Problem = "duplicate-name" // an object has a name twice
	ProblemMissing   Problem = "missing"        // a required field is absent
	ProblemType      Problem = "wrong-type"     // the value is of another JSON type
	ProblemValue     Problem = "out-of-range"   // the type is right, the value is not
)

// ShapeError reports a message or snapshot that could not be read or written. It
// names the place and the problem, never the content.
type ShapeError struct {
	// What was read or written: message or snapshot.
	What string
	// Field is the path of the field, such as blocks[2].toolCallId; empty for the
	// whole.
	Field   string
	Problem Problem
	// Want says what was expected, in words.
	Want string
	// Offset is the position in the input, in bytes from its start, near which the
	// problem was found; 0 when writing.
	Offset int64
}

// Error names field, problem and expectation.
func (e *ShapeError) Error() string {
	where := e.What
	if e.Field != "" {
		where += ", field " + e.Field
	}
	if e.Offset > 0 {
		where += fmt.Sprintf(", near byte %d", e.Offset)
	}
	return fmt.Sprintf("%s: %s: want %s", where, e.Problem, e.Want)
}

// inside puts a parent's path in front of the field of a [ShapeError].
func inside(err error, parent string) error {
	if shape, ok := errors.AsType[*ShapeError](err); ok {
		switch {
		case shape.Field == "":
			shape.Field = parent
		case shape.Field[0] == '[':
			shape.Field = parent + shape.Field
		default:
			shape.Field = parent + "." + shape.Field
		}
	}
	return err
}

// syntaxError turns an error of the decoder, whose text may quote the input, into
// one that does not.
func syntaxError(err error, offset int64) error {
	if _, ok := errors.AsType[*ShapeError](err); ok {
		return err
	}
	problem, want := ProblemSyntax, "valid JSON in valid UTF-8"
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = syntactic.ByteOffset
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		problem, want = ProblemDuplicate, "every name once"
	}
	return &ShapeError{Problem: problem, Want: want, Offset: offset}
}
