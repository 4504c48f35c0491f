// Package report holds the published result types: report v1 and catalog v1.
//
// A report has no field for free text. Every string is a name from a closed list
// or matches the safe alphabet of [Name], which [Report.Validate] enforces, so that
// no prompt, path, secret, tool output or error message can get in. Durations are
// buckets in a block of their own, so that two runs with one seed differ nowhere
// else. A catalog has two more kinds of words, the clause and the title of a check,
// both from the suite and never from a subject.
//
// [Marshal] and [Unmarshal] are the one way out and in. They refuse what does not
// validate, and [SchemaJSON] says the same to other languages:
//
//	r, err := report.Unmarshal(data)
//	if e, ok := errors.AsType[*report.FieldError](err); ok {
//		fmt.Println(e.Line, e.Column, e.Field)
//	}
//
// The package has data and validation, no logic of the suite. It imports contract,
// the standard library and the strict JSON reader.
package report
