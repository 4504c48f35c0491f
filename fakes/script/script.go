// Package script is the scenario language: what a fake runtime says and does, as a
// YAML file that a person writes and every fake plays.
//
//	schema: adaptercheck-script-v1
//	steps:
//	  - init: {run: R1, session: N1}
//	  - delta: "Hel"
//	  - call: {id: t1, name: read, input: {p: a}}
//	  - result: {id: t1, out: "A"}
//	  - usage: {in: 100, out: 12}
//	  - end: ok
//
// A step is a map of one word. The words are those of [fakes.Frame]; a word with one
// telling field takes it as a plain value, and one that needs no field may stand
// alone. [Words] lists them with their fields, script.schema.json is the same for
// editors, and docs/scripts.md tells what they mean.
//
// A [Case] is written in the same language. Its steps are also what the host does, what
// is done to files, and what the runtime must have been given; only whoever plays both
// sides can play it. A fake plays a [Script].
//
// The package imports fakes, internal/yamltree, internal/nearest, a strict JSON parser,
// a YAML lexer and a reader of txtar archives.
package script

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/nearest"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Schema is the value of a script's schema line.
const Schema = "adaptercheck-script-v1"

// maxSize bounds a script file, in bytes.
const maxSize = 4 << 20

// Script is a scenario that a fake plays. The zero value is a script without steps.
type Script struct {
	// Frames is what the runtime does, in order.
	Frames []fakes.Frame
	// Expect is what shall come of it. A fake does not read it.
	Expect []Expectation
}

// Expectation is one line of a script's expect list: [ExpectText] or [ExpectDone].
type Expectation interface{ expectation() }

// ExpectText is the whole text of a run. A nil text is not checked.
type ExpectText struct {
	Run       string // empty is the only run
	Assistant *string
	Reasoning *string
}

// ExpectDone is how a run ends.
type ExpectDone struct {
	Run    string // empty is the only run
	Reason string // success, max_turns, aborted or error
}

func (ExpectText) expectation() {}
func (ExpectDone) expectation() {}

// Parse reads a script that stands alone: [Source.Script] without files beside it.
func Parse(name string, data []byte) (Script, error) {
	return Source{Name: name, Data: data}.Script()
}

// Script reads a script. Errors about its text are of type [*Error], or [Errors] where
// there are several, and say what was expected. Nothing is guessed: an unknown word,
// field or value, a field that is missing or written twice, and a schema line other
// than [Schema] are errors; so is a step of a case.
func (s Source) Script() (Script, error) {
	d := s.read(false)
	if err := d.err(); err != nil {
		return Script{}, err
	}
	out := Script{Expect: d.expectations()}
	for _, step := range d.steps.list {
		out.Frames = append(out.Frames, step.build().(fakes.Frame))
	}
	return out, nil
}

// document is a file of the language as it was read.
type document struct {
	source   Source
	schema   yamltree.Position
	steps    section
	expect   section
	problems []*yamltree.Error
}

// section is one of the two lists.
type section struct {
	given bool
	at    yamltree.Position // of its key
	list  []step
}

// step is one item of a list: a word and its fields, or the step under it.
type step struct {
	at     yamltree.Position
	last   int // the last line that a part of it begins on
	word   word
	values values
	under  *step
}

func (d *document) expectations() []Expectation {
	var out []Expectation
	for _, e := range d.expect.list {
		out = append(out, e.build().(Expectation))
	}
	return out
}

// build makes what a step stands for.
func (s step) build() any {
	switch {
	case s.word.build != nil:
		return s.word.build(s.values)
	case s.under == nil:
		return Given{Args(s.values)}
	case s.word.name == "host":
		return Host{s.under.word.name, Args(s.under.values)}
	case s.word.name == "file":
		return File{s.under.word.name, Args(s.under.values)}
	}
	panic(fmt.Sprintf("script: word %q", s.word.name)) // the table of words has no other
}

// read reads a document as far as it can be read. The steps of a case are mistakes
// elsewhere.
func (s Source) read(aCase bool) *document {
	d, r := &document{source: s}, reader{files: s.Files, cases: aCase}
	defer func() { d.problems = r.problems }()
	if len(s.Data) > maxSize {
		r.fail(yamltree.Position{Line: 1, Col: 1}, "script of %d bytes, at most %d are read", len(s.Data), maxSize)
		return d
	}
	root, err := yamltree.Parse(s.text())
	switch {
	case err != nil:
		r.add(err)
	case root == nil:
		r.fail(yamltree.Position{Line: 1, Col: 1}, "empty script, want a line \"schema: %s\" and a list of steps", Schema)
	case root.Kind != yamltree.Map:
		r.fail(root.At, "found %s, want a map with schema and steps", root.Kind)
	default:
		d.top(&r, root)
	}
	return d
}

// top reads the top level. A document of another schema is not read further.
func (d *document) top(r *reader, root *yamltree.Node) {
	if err := yamltree.Schema(root, Schema); err != nil {
		r.add(err)
		return
	}
	for i, key := range root.Keys {
		value := root.Items[i]
		switch key.Text {
		case "schema":
			d.schema = key.At
		case "steps":
			words := frameWords
			if r.cases {
				words = append(append([]word(nil), frameWords...), caseWords...)
			}
			d.steps = section{true, key.At, r.list(value, "steps", "step", words)}
		case "expect":
			d.expect = section{true, key.At, r.list(value, "expect", "expectation", expectWords)}
		case "host", "file":
			r.fail(key.At, "%q is a step of a case, write it under steps", key.Text)
		default:
			r.fail(key.At, "unknown key %q%s", key.Text, nearest.Hint(key.Text, []string{"schema", "steps", "expect"}))
		}
	}
	if !d.steps.given {
		r.fail(root.At, "missing steps")
	}
}
