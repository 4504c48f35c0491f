package codex

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Subjects are the adapters of Codex, one per mode, over the real program: those that
// are judged over its fakes, which offer what a provider can bring about.
func Subjects(o Options) []check.Subject {
	return []check.Subject{
		over(o, subjects.Codex()),
		over(o, subjects.CodexAppServer()),
	}
}

// over is a subject over the real program.
func over(o Options, s check.Subject) check.Subject {
	s.Name = "real-" + s.Name
	s.Offers = slices.DeleteFunc(slices.Clone(s.Offers), func(f fakes.Feature) bool {
		return !slices.Contains(features, f) && f != fakes.Observers
	})
	s.Runtime = func(ctx context.Context, _ check.RuntimeOptions) (fakes.Runtime, error) { return New(ctx, o) }
	return s
}

// Flooded is the subject for checks that flood it, see [check.Check]. Every call of a tool
// is two requests with the whole conversation in them, which is too much among thousands
// of messages: it offers no tools.
func Flooded(s check.Subject) check.Subject {
	s.Offers = slices.DeleteFunc(slices.Clone(s.Offers), func(f fakes.Feature) bool { return f == fakes.Tools })
	return s
}
