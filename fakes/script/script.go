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
// editors.
//
// The package imports fakes, internal/yamltree, internal/nearest and a strict JSON
// parser.
package script

import (
	"errors"
	"fmt"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/nearest"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Schema is the value of a script's schema line.
const Schema = "adaptercheck-script-v1"

// maxSize bounds a script file, in bytes.
const maxSize = 4 << 20

// Script is a parsed scenario. The zero value is a script without steps.
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

// Error is a mistake in a script and where it is.
type Error struct {
	// Name of the script, as given to [Parse].
	Name string
	// Line and Col count from 1.
	Line, Col int
	// Msg says what is wrong.
	Msg string
}

// Error returns name:line:col: message.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.Msg) }

// named puts the file's name before the place.
func named(name string, err error) error {
	if e, ok := errors.AsType[*yamltree.Error](err); ok {
		return &Error{name, e.At.Line, e.At.Col, e.Msg}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Parse reads a script. Name is the file's name for errors, which are of type
// [*Error] and say what was expected. Nothing is guessed: an unknown word, field or
// value, a field that is missing or written twice, and a schema line other than
// [Schema] are errors.
func Parse(name string, data []byte) (Script, error) {
	if len(data) > maxSize {
		return Script{}, &Error{name, 1, 1, fmt.Sprintf("script of %d bytes, at most %d are read", len(data), maxSize)}
	}
	root, err := yamltree.Parse(data)
	if err == nil {
		var s Script
		if s, err = readScript(root); err == nil {
			return s, nil
		}
	}
	return Script{}, named(name, err)
}

// readScript reads the top level.
func readScript(root *yamltree.Node) (Script, error) {
	if root == nil {
		return Script{}, yamltree.Fail(yamltree.Position{Line: 1, Col: 1}, "empty script, want a line \"schema: %s\" and a list of steps", Schema)
	}
	if root.Kind != yamltree.Map {
		return Script{}, yamltree.Fail(root.At, "found %s, want a map with schema and steps", root.Kind)
	}
	if err := yamltree.Schema(root, Schema); err != nil {
		return Script{}, err
	}
	var s Script
	var hasSteps bool
	for i, key := range root.Keys {
		value := root.Items[i]
		var err error
		switch key.Text {
		case "schema":
		case "steps":
			hasSteps = true
			s.Frames, err = readList(value, "steps", "step", frameWords, asFrame)
		case "expect":
			s.Expect, err = readList(value, "expect", "expectation", expectWords, asExpectation)
		case "host", "files", "file":
			err = yamltree.Fail(key.At, "%q is for cases, not for scripts that a fake plays", key.Text)
		default:
			err = yamltree.Fail(key.At, "unknown key %q%s", key.Text, nearest.Hint(key.Text, []string{"schema", "steps", "expect"}))
		}
		if err != nil {
			return Script{}, err
		}
	}
	if !hasSteps {
		return Script{}, yamltree.Fail(root.At, "missing steps")
	}
	return s, nil
}

func asFrame(v any) fakes.Frame       { return v.(fakes.Frame) }
func asExpectation(v any) Expectation { return v.(Expectation) }

// readList reads a list of one-word maps.
func readList[T any](list *yamltree.Node, key, what string, words []word, as func(any) T) ([]T, error) {
	if list.Kind == yamltree.Null {
		return nil, nil
	}
	if list.Kind != yamltree.List {
		return nil, yamltree.Fail(list.At, "%s: found %s, want a list", key, list.Kind)
	}
	var out []T
	for _, item := range list.Items {
		v, err := readStep(item, what, words)
		if err != nil {
			return nil, err
		}
		out = append(out, as(v))
	}
	return out, nil
}
