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
// The package imports fakes, a YAML parser and a strict JSON parser.
package script

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/fakes"
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

// Parse reads a script. Name is the file's name for errors, which are of type
// [*Error] and say what was expected. Nothing is guessed: an unknown word, field or
// value, a field that is missing or written twice, and a schema line other than
// [Schema] are errors.
func Parse(name string, data []byte) (Script, error) {
	if len(data) > maxSize {
		return Script{}, &Error{name, 1, 1, fmt.Sprintf("script of %d bytes, at most %d are read", len(data), maxSize)}
	}
	root, err := parseYAML(data)
	if err == nil {
		var s Script
		if s, err = readScript(root); err == nil {
			return s, nil
		}
	}
	return Script{}, named(name, err)
}

// readScript reads the top level.
func readScript(root *node) (Script, error) {
	if root == nil {
		return Script{}, fail(position{1, 1}, "empty script, want a line \"schema: %s\" and a list of steps", Schema)
	}
	if root.kind != kindObject {
		return Script{}, fail(root.at, "found %s, want a map with schema and steps", root.kind)
	}
	if err := readSchema(root); err != nil {
		return Script{}, err
	}
	var s Script
	var hasSteps bool
	for i, key := range root.keys {
		value := root.items[i]
		var err error
		switch key.text {
		case "schema":
		case "steps":
			hasSteps = true
			s.Frames, err = readList(value, "steps", "step", frameWords, asFrame)
		case "expect":
			s.Expect, err = readList(value, "expect", "expectation", expectWords, asExpectation)
		case "host", "files", "file":
			err = fail(key.at, "%q is for cases, not for scripts that a fake plays", key.text)
		default:
			err = fail(key.at, "unknown key %q%s", key.text, didYouMean(key.text, []string{"schema", "steps", "expect"}))
		}
		if err != nil {
			return Script{}, err
		}
	}
	if !hasSteps {
		return Script{}, fail(root.at, "missing steps")
	}
	return s, nil
}

func readSchema(root *node) error {
	for i, key := range root.keys {
		if key.text != "schema" {
			continue
		}
		value := root.items[i]
		if value.kind != kindText {
			return fail(value.at, "schema: found %s, want %q", value.kind, Schema)
		}
		if value.text != Schema {
			return fail(value.at, "unknown schema %q, want %q", value.text, Schema)
		}
		return nil
	}
	return fail(root.at, "missing schema, want a line \"schema: %s\"", Schema)
}

func asFrame(v any) fakes.Frame       { return v.(fakes.Frame) }
func asExpectation(v any) Expectation { return v.(Expectation) }

// readList reads a list of one-word maps.
func readList[T any](list *node, key, what string, words []word, as func(any) T) ([]T, error) {
	if list.kind == kindNull {
		return nil, nil
	}
	if list.kind != kindList {
		return nil, fail(list.at, "%s: found %s, want a list", key, list.kind)
	}
	var out []T
	for _, item := range list.items {
		v, err := readStep(item, what, words)
		if err != nil {
			return nil, err
		}
		out = append(out, as(v))
	}
	return out, nil
}
