package script

import (
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Case is a scenario with both sides in it: host and runtime, in one order.
type Case struct {
	Steps []Step
	// Expect is what shall come of it.
	Expect []Expectation
}

// Step is one step of a case and where it stands, counted from 1.
type Step struct {
	Line, Col int
	Do        Action
}

// Action is what a step does: [Say], [Host], [File] or [Given].
type Action interface{ action() }

// Say is a frame of the runtime.
type Say struct{ Frame fakes.Frame }

// Host is something that the host does. Word is one of those under host.
type Host struct {
	Word string
	Args Args
}

// File is something that is done to files. Word is one of those under file.
type File struct {
	Word string
	Args Args
}

// Given is what the runtime must have been given by now.
type Given struct{ Args Args }

func (Say) action()   {}
func (Host) action()  {}
func (File) action()  {}
func (Given) action() {}

// Args are the fields of a step by their names. A value is a string, bool, int, []byte,
// []string, map[string]string, [time.Duration], [fs.FileMode] or []fakes.ToolCall, as
// docs/scripts.md says for the field.
type Args map[string]any

// Arg returns a field and whether it was given. A field of another type than T was not.
func Arg[T any](a Args, name string) (T, bool) {
	v, given := a[name].(T)
	return v, given
}

// Case reads a case. A script is a case without a host. Errors are as those of
// [Source.Script].
func (s Source) Case() (Case, error) {
	d := s.read(true)
	if err := d.err(); err != nil {
		return Case{}, err
	}
	out := Case{Expect: d.expectations()}
	for _, step := range d.steps.list {
		at := Step{Line: step.at.Line + s.above, Col: step.at.Col}
		switch x := step.build().(type) {
		case fakes.Frame:
			at.Do = Say{x}
		case Action:
			at.Do = x
		}
		out.Steps = append(out.Steps, at)
	}
	return out, nil
}
