package mutants

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

//go:embed mutants-v1.schema.json
var schema []byte

// SchemaJSON returns the JSON Schema (2020-12) of a [Matrix]. It refuses what
// [Matrix.Validate] refuses. The caller may keep and change the bytes.
func SchemaJSON() []byte { return slices.Clone(schema) }

// Marshal returns the matrix as indented JSON with a final newline. The same matrix
// always gives the same bytes. One that does not validate is refused with a
// [*report.FieldError].
func Marshal(m Matrix) ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	out, err := json.Marshal(m, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("mutants: %w", err)
	}
	return append(out, '\n'), nil
}

// Validate returns a [*report.FieldError] that names the first field which holds
// something that a matrix may not hold, or nil.
func (m Matrix) Validate() error {
	v := &validator{}
	v.that(m.Schema == Schema, "schema")
	for i, k := range m.Mutants {
		at := fmt.Sprintf("mutants[%d]", i)
		v.name(at+".id", k.ID)
		v.profile(at+".profile", k.Profile)
		v.name(at+".check", k.Check)
		v.name(at+".code", k.Code)
		v.that(slices.Contains(report.States(), k.State), at+".state")
		v.names(at+".codes", k.Codes)
		for j, c := range k.Also {
			v.name(fmt.Sprintf("%s.also[%d].check", at, j), c.Check)
			v.names(fmt.Sprintf("%s.also[%d].codes", at, j), c.Codes)
		}
	}
	for i, t := range m.Right {
		at := fmt.Sprintf("right[%d]", i)
		v.name(at+".id", t.ID)
		v.profile(at+".profile", t.Profile)
		v.that(t.Seeds >= 1, at+".seeds")
	}
	v.names("once", m.Once)
	v.names("survivors", m.Survivors)
	v.names("wrongCode", m.WrongCode)
	v.names("unexercised", m.Unexercised)
	for i, a := range m.Accused {
		at := fmt.Sprintf("accused[%d]", i)
		v.name(at+".id", a.ID)
		v.profile(at+".profile", a.Profile)
		v.name(at+".check", a.Check)
		v.that(slices.Contains(report.States(), a.State), at+".state")
		v.names(at+".codes", a.Codes)
	}
	if v.first == nil {
		return nil
	}
	return v.first
}

// validator keeps the first error.
type validator struct{ first *report.FieldError }

func (v *validator) that(ok bool, field string) {
	if !ok && v.first == nil {
		v.first = &report.FieldError{Document: "matrix", Field: field, Problem: report.ProblemOutside}
	}
}

func (v *validator) name(field string, n report.Name) { v.that(n.Valid(), field) }

func (v *validator) names(field string, all []report.Name) {
	for i, n := range all {
		v.name(fmt.Sprintf("%s[%d]", field, i), n)
	}
}

func (v *validator) profile(field string, p report.Profile) {
	v.that(slices.Contains(report.Profiles(), p), field)
}
