package golden

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Schema names the form of a [Document].
const Schema = "adaptercheck-compat-v1"

// Document is everything that is pinned. Lists are in the order of the code, which
// is part of some contracts; a list that has no order there is sorted.
type Document struct {
	Schema   string    `json:"schema"`
	Versions []Version `json:"versions"`
	Executor Executor  `json:"executor"`
	History  History   `json:"history"`
	Suite    Suite     `json:"suite"`
}

// Version is the version of one contract or format.
type Version struct {
	// Of says what has the version.
	Of      string `json:"of"`
	Version string `json:"version"`
}

// Executor is the wire form of the executor contract and the codes in it.
type Executor struct {
	Events []Shape `json:"events"`
	// Errors and Details are this project's own codes in events; any other string
	// is right there too.
	Errors  []string `json:"errors"`
	Details []string `json:"details"`
}

// History is the wire form of the history contract and its closed words.
type History struct {
	// Capabilities is the registry, in its order.
	Capabilities []string     `json:"capabilities"`
	Snapshot     []Field      `json:"snapshot"`
	Group        []Field      `json:"group"`
	Message      []Field      `json:"message"`
	Roles        []string     `json:"roles"`
	Blocks       []Shape      `json:"blocks"`
	Issues       []string     `json:"issues"`
	Advice       []string     `json:"advice"`
	Diagnostics  []Diagnostic `json:"diagnostics"`
	Fallbacks    []Fallback   `json:"fallbacks"`
}

// Shape is one kind of object and its fields.
type Shape struct {
	Kind   string  `json:"kind"`
	Fields []Field `json:"fields"`
}

// Field is one member of an object in its JSON form.
type Field struct {
	Name string `json:"name"`
	// Types that a reader takes: array, boolean, integer, null, number, object and
	// string, or any for all of them.
	Types    []string `json:"types"`
	Required bool     `json:"required"`
	// Values is the closed set of a string; empty for any string.
	Values []string `json:"values,omitempty"`
	// Fields of an object; empty for one that may hold anything.
	Fields []Field `json:"fields,omitempty"`
}

// Diagnostic is a code and its fixed severity; empty where that depends.
type Diagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
}

// Fallback is a code and whether the same request may succeed later.
type Fallback struct {
	Code      string `json:"code"`
	Retryable bool   `json:"retryable"`
}

// Suite is what reports and subjects name.
type Suite struct {
	Profiles   []Profile `json:"profiles"`
	States     []string  `json:"states"`
	CutReasons []string  `json:"cutReasons"`
	// Features that a subject offers and a check needs.
	Features []string `json:"features"`
	Checks   []Check  `json:"checks"`
}

// Profile is a set of checks and its cases.
type Profile struct {
	ID    string   `json:"id"`
	Cases []string `json:"cases"`
}

// Check is one check. Its title is free to change.
type Check struct {
	ID         string   `json:"id"`
	Profile    string   `json:"profile"`
	Case       string   `json:"case"`
	Clause     string   `json:"clause"`
	Level      string   `json:"level"`
	Provenance string   `json:"provenance"`
	Needs      []string `json:"needs"`
	Codes      []string `json:"codes"`
}

// Marshal returns the document as indented JSON with a final newline; the same
// document always gives the same bytes.
func Marshal(d Document) ([]byte, error) {
	out, err := json.Marshal(d, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// words turns closed words into strings.
func words[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

func checkOf(c report.CatalogCheck) Check {
	return Check{
		ID: string(c.ID), Profile: string(c.Profile), Case: string(c.Case), Clause: c.Clause,
		Level: string(c.Level), Provenance: string(c.Provenance), Needs: words(c.Needs), Codes: words(c.Codes),
	}
}
