package provider

import (
	"errors"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

// conversation makes rules of a script that every fake plays.
func conversation(source script.Source) (Options, error) {
	if _, err := source.Script(); err != nil {
		return Options{}, err
	}
	all, err := source.Case() // its steps are the frames, with their places
	if err != nil {
		return Options{}, err
	}
	var o Options
	for _, a := range answers(all.Steps) {
		a.rule.Follows = true
		a.rule.Name = fmt.Sprintf("answer %d", len(o.Rules)+1)
		a.rule.at = fmt.Sprintf("%s:%d", source.Name, a.steps[0].Line)
		if err := a.rule.check(); err != nil {
			at := a.steps[0]
			if frame, is := errors.AsType[*fakes.FrameError](err); is {
				at, err = a.steps[frame.Index], fmt.Errorf("%s: %w", frame.Word, frame.Err)
			}
			return Options{}, fmt.Errorf("%s:%d:%d: %w", source.Name, at.Line, at.Col, err)
		}
		o.Rules = append(o.Rules, a.rule)
	}
	if len(o.Rules) == 0 {
		return Options{}, fmt.Errorf("%s: no answer in the script", source.Name)
	}
	return o, nil
}

// scripted is one answer of a script, and the steps of its frames.
type scripted struct {
	rule  Rule
	steps []script.Step
}

// answers cuts a script where a provider has said all, and the client must ask again.
func answers(steps []script.Step) []scripted {
	var out []scripted
	now := scripted{rule: Rule{Times: 1}}
	over := false
	end := func() {
		if len(now.steps) > 0 {
			out = append(out, now)
			now = scripted{rule: Rule{Times: 1}}
		}
		over = false
	}
	var results []string
	for _, step := range steps {
		frame := step.Do.(script.Say).Frame
		_, starts := frame.(fakes.Init)
		if _, is := frame.(fakes.Attempt); is || starts || over {
			end()
		}
		if result, is := frame.(fakes.Result); is {
			end()
			results = append(results, result.ID)
			continue
		}
		if len(results) > 0 {
			now.rule.When.Results = new(true)
			if len(results) == 1 {
				now.rule.When.Result = results[0]
			}
			results = nil
		}
		now.rule.Frames = append(now.rule.Frames, frame)
		now.steps = append(now.steps, step)
		over = ends(frame)
	}
	end()
	return slices.Clip(out)
}

// ends reports whether nothing of an answer comes after a frame.
func ends(f fakes.Frame) bool {
	switch f.(type) {
	case fakes.End, fakes.Cut, fakes.Silent, fakes.Failure:
		return true
	}
	return false
}
