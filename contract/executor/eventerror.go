package executor

import "fmt"

// Problem says what is wrong with a field of an event.
type Problem string

// The closed set of problems.
const (
	ProblemSyntax  Problem = "syntax"       // the text is not one JSON value
	ProblemMissing Problem = "missing"      // a required field is absent
	ProblemType    Problem = "wrong-type"   // the value is of another JSON type
	ProblemValue   Problem = "out-of-range" // the type is right, the value is not
	ProblemKind    Problem = "unknown-kind" // the kind is none of the seven
)

// EventError reports an event that could not be read. It names the place and the
// problem, never the content.
type EventError struct {
	// Kind of the event, empty while unknown.
	Kind Kind
	// Field is the path of the field, such as usage.inputTokens; empty for the
	// event as a whole.
	Field   string
	Problem Problem
	// Want says what was expected, in words.
	Want string
}

// Error names field, problem and expectation.
func (e *EventError) Error() string {
	where := "event"
	if e.Kind != "" {
		where = string(e.Kind) + " event"
	}
	if e.Field != "" {
		where += ", field " + e.Field
	}
	return fmt.Sprintf("%s: %s: want %s", where, e.Problem, e.Want)
}
