//go:build unix

package acp_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
)

// What the features leave out is what the wire has no form for.
func TestFeaturesAreHonest(t *testing.T) {
	for _, version := range acp.Versions() {
		rt := newRuntime(t, acp.Options{Version: version})
		h := connect(t, rt).on(t, begin)
		h.prompt(t, "x")
		run := childtest.Next(t, rt)
		has := rt.Features().Has
		for feature, frame := range map[fakes.Feature]fakes.Frame{
			fakes.Deltas:        fakes.Delta{Text: "x"},
			fakes.ReasoningText: fakes.Think{Text: "x"},
			fakes.Tools:         fakes.ToolCall{ID: "t", Name: "n"},
			fakes.PartialInput:  fakes.CallPart{ID: "t", Name: "n"},
			fakes.UsageFrames:   fakes.Usage{},
			fakes.Approvals:     fakes.Ask{ID: "q"},
			fakes.UnknownFrames: fakes.Native{Type: "x"},
			fakes.MildErrors:    fakes.Failure{Message: "x"},
			fakes.Framed:        fakes.Raw{Line: "{"},
			fakes.Retract:       fakes.Snapshot{Text: "x"},
			fakes.MaxTurns:      fakes.End{Reason: fakes.EndMaxTurns},
			fakes.TokenLimit:    fakes.End{Reason: fakes.EndLength},
			fakes.Nested:        fakes.Delta{Text: "x", Parent: "p"},
			fakes.NativeRunID:   fakes.Delta{Text: "x", Run: "r0"},
		} {
			_, err := run.Emit(childtest.Within(t), frame)
			if errors.Is(err, fakes.ErrUnplayable) == has(feature) || err != nil && has(feature) {
				t.Errorf("%s, %s: claimed %v, %v", version, feature, has(feature), err)
			}
		}
		at := 0
		for name, frame := range map[string]fakes.Frame{
			"late result":    fakes.Result{ID: "t", Run: "r0"},
			"late end":       fakes.End{Reason: fakes.EndOK, Run: "r0"},
			"late error":     fakes.Failure{Message: "m", Run: "r0"},
			"late state":     fakes.Turn{State: "text-end", Run: "r0"},
			"broken input":   fakes.ToolCall{ID: "t", Name: "n", Input: "{"},
			"broken fields":  fakes.Native{Type: "x", Fields: `{"a":1`},
			"list of fields": fakes.Native{Type: "x", Fields: `[]`},
			"odd signal":     fakes.Exit{Signal: "WINCH"},
			"thinking":       fakes.Turn{State: "thinking"},
			"nested call":    fakes.ToolCall{ID: "t", Name: "n", Parent: "p"},
			"nested result":  fakes.Result{ID: "t", Parent: "p"},
			"nested message": fakes.Final{Parent: "p"},
			"nested thought": fakes.Think{Parent: "p"},
			"null message":   fakes.Final{},
			"budget":         fakes.End{Reason: fakes.EndBudget},
			"tool use":       fakes.End{Reason: fakes.EndToolUse},
			"place":          fakes.Delta{Text: "x", At: &at},
			"promise":        fakes.Ack{Request: fakes.RequestStart},
			"broken details": fakes.Result{ID: "t", Name: "n", Details: "{"},
		} {
			if _, err := run.Emit(childtest.Within(t), frame); !errors.Is(err, fakes.ErrUnplayable) {
				t.Errorf("%s, %s: %v", version, name, err)
			}
		}
	}
}

// A line of three megabytes is taken, and said.
func TestLongLines(t *testing.T) {
	const n = 3 << 20
	rt := newRuntime(t, acp.Options{})
	h := connect(t, rt).on(t, begin)
	h.prompt(t, strings.Repeat("x", n))
	run := childtest.Next(t, rt)
	if got := len(run.Begun().Message); got != n {
		t.Errorf("a message of %d bytes", got)
	}
	childtest.Emit(t, run, fakes.Delta{Text: strings.Repeat("y", n)})
	if got := len(h.Line(t)); got < n {
		t.Errorf("a line of %d bytes", got)
	}
}

// Text that is not UTF-8 is mended.
func TestBrokenText(t *testing.T) {
	h := running(t, acp.Options{})
	childtest.Emit(t, h.run, fakes.Delta{Text: "a\xffb"})
	expect(t, "said", []string{"agent_message_chunk a\uFFFDb"}, h.lines(t, 1))
}

// A process without a puppet plays at once without a client, and prints a recording byte
// for byte.
func TestAlone(t *testing.T) {
	var out, errs bytes.Buffer
	play := func(args ...string) fakes.Play {
		out.Reset()
		errs.Reset()
		return fakes.Play{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	}
	if code := acp.PlayScript(t.Context(), []fakes.Frame{fakes.Init{}, fakes.Delta{Text: "hi"}, done}, play(), acp.Options{}); code != 0 {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	expect(t, "said", []string{"agent_message_chunk hi", "usage_update", "answer end_turn"}, kinds(t, out.String()))
	if code := acp.PlayScript(t.Context(), []fakes.Frame{fakes.Snapshot{}}, play(), acp.Options{}); code != 2 || out.Len() > 0 {
		t.Errorf("exit code %d", code)
	}
	if code := acp.PlayScript(t.Context(), nil, play("acp", "odd"), acp.Options{}); code != 2 {
		t.Errorf("exit code %d", code)
	}
	const recorded = "{\"id\":0}\nhalf"
	if code := acp.PlayRecording(t.Context(), []byte(recorded), 5, play()); code != 5 || out.String() != recorded {
		t.Errorf("exit code %d, %q", code, &out)
	}
}
