package report

import "fmt"

// Problem says what is wrong with a field of a document. The set is closed, so that
// an error about a report holds no more content than the report may.
type Problem string

// The closed set of problems.
const (
	ProblemOutside   Problem = "holds a value outside its closed set"
	ProblemUnknown   Problem = "has an unknown member"
	ProblemDuplicate Problem = "has a member twice"
	ProblemMissing   Problem = "is missing"
	ProblemNull      Problem = "is null"
	ProblemType      Problem = "has the wrong type or is out of range"
	ProblemSyntax    Problem = "is not well-formed JSON"
	ProblemTruncated Problem = "ends too early"
)

// FieldError is the first thing that is wrong with a report or a catalog. It names
// the field and never quotes its value.
type FieldError struct {
	// Document is "report" or "catalog".
	Document string
	// Field is the way to the field, such as runs[0].checks[3].state. It is empty
	// for the document itself, and ends before the first name that the schema does
	// not know and before the names of a map.
	Field string
	// Line and Column count from 1, Column in characters. They are 0 for a value
	// that was never text.
	Line, Column int
	Problem      Problem
}

// Error gives document, position, field and problem in one line.
func (e *FieldError) Error() string {
	at := e.Document
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d:", e.Document, e.Line, e.Column)
	}
	if e.Field == "" {
		return fmt.Sprintf("%s document %s", at, e.Problem)
	}
	return fmt.Sprintf("%s field %s %s", at, e.Field, e.Problem)
}
