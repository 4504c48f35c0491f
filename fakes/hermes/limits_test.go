//go:build unix

package hermes_test

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/hermes"
)

// What the features leave out is what the wires have no form for.
func TestFeaturesAreHonest(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	start(t, rt, stream)
	run := childtest.Next(t, rt)
	has := rt.Features().Has
	for feature, frame := range map[fakes.Feature]fakes.Frame{
		fakes.InitFrame:     fakes.Init{},
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
		fakes.Ports:         fakes.Attempt{Number: 1},
		fakes.MaxTurns:      fakes.End{Reason: fakes.EndMaxTurns},
	} {
		_, err := run.Emit(childtest.Within(t), frame)
		if errors.Is(err, fakes.ErrUnplayable) == has(feature) || (err != nil && has(feature)) {
			t.Errorf("%s: claimed %v, %v", feature, has(feature), err)
		}
	}
	at := 3
	for name, frame := range map[string]fakes.Frame{
		"late result":     fakes.Result{ID: "t", Run: "r0"},
		"details":         fakes.Result{ID: "t", Details: "{}"},
		"late text":       fakes.Delta{Text: "x", Run: "r0"},
		"late end":        fakes.End{Reason: fakes.EndOK, Run: "r0"},
		"late failure":    fakes.Failure{Fatal: true, Run: "r0"},
		"late turn":       fakes.Turn{State: "compact", Run: "r0"},
		"subagent's text": fakes.Final{Parent: "t"},
		"subagent's mind": fakes.Think{Parent: "t"},
		"subagent's call": fakes.ToolCall{Parent: "t"},
		"text at a place": fakes.Delta{Text: "x", At: &at},
		"broken input":    fakes.ToolCall{ID: "t", Name: "n", Input: "{"},
		"broken fields":   fakes.Native{Type: "x", Fields: `{"a":1`},
		"end by budget":   fakes.End{Reason: fakes.EndBudget},
		"idle":            fakes.Turn{State: "idle"},
		"answer":          fakes.Ack{Request: fakes.RequestStart},
		"refusal":         fakes.Reject{Request: fakes.RequestStart},
		"odd signal":      fakes.Exit{Signal: "WINCH"},
		"deaf to kill":    fakes.Ignore{Signal: "KILL"},
	} {
		if _, err := run.Emit(childtest.Within(t), frame); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A version without stream-json has no increments, no frames and no terminal one.
func TestFeaturesOfVersions(t *testing.T) {
	for _, version := range hermes.Versions() {
		rt := newRuntime(t, hermes.Options{Version: version})
		start(t, rt, quiet)
		_, err := childtest.Next(t, rt).Emit(childtest.Within(t), fakes.Native{Type: "x"})
		streams := version == hermes.Versions()[0]
		if errors.Is(err, fakes.ErrUnplayable) == streams {
			t.Errorf("%s: a line: %v", version, err)
		}
		for _, f := range []fakes.Feature{fakes.Deltas, fakes.TerminalFrame, fakes.Framed, fakes.UnknownFrames, fakes.LiveText} {
			if rt.Features().Has(f) != streams {
				t.Errorf("%s: %s claimed %t", version, f, !streams)
			}
		}
	}
}

// A number of fakes leaves no goroutine and no descriptor.
func TestNothingLeaks(t *testing.T) {
	childtest.NothingLeaks(t, 6, func(i int) {
		rt, err := hermes.New(t.Context(), hermes.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := start(t, rt, quiet)
		run := childtest.Next(t, rt)
		if i%2 == 0 {
			childtest.Emit(t, run, fakes.Child{OwnSession: true}, ok)
			h.Rest(t)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		h.Reap()
	})
}

// The database costs those who do not use it nothing to speak of: no package that it
// brings allocates much when the program starts. Time would depend on the machine.
func TestInitIsCheap(t *testing.T) {
	rt := newRuntime(t, hermes.Options{})
	cmd := exec.Command(rt.Endpoint().Command[0], "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`init (modernc\.org/\S+|database/sql\S*) @.* (\d+) bytes`).FindAllStringSubmatch(errs.String(), -1)
	if len(found) < 3 {
		t.Fatalf("no trace of the database in %q", &errs)
	}
	for _, m := range found {
		if n, err := strconv.Atoi(m[2]); err != nil || n > 64<<10 {
			t.Errorf("%s allocates %s bytes at the start", m[1], m[2])
		}
	}
}

// A flood is taken in one go, and is one message.
func TestFlood(t *testing.T) {
	const n = 20000
	rt := newRuntime(t, hermes.Options{})
	h := start(t, rt, stream)
	run := childtest.Next(t, rt)
	frames := make([]fakes.Frame, n)
	for i := range frames {
		frames[i] = fakes.Delta{Text: "a piece of a flood"}
	}
	if r := childtest.Emit(t, run, frames...); r.Frames != n {
		t.Errorf("receipt %+v", r)
	}
	childtest.Emit(t, run, ok)
	if out, _, _ := finish(t, h); strings.Count(out, "\n") != n+1 {
		t.Errorf("%d lines", strings.Count(out, "\n"))
	}
	if got := ask(t, rt.Endpoint().Dir, "SELECT length(content) FROM messages WHERE role = 'assistant'"); len(got) != 1 || got[0] != strconv.Itoa(n*len("a piece of a flood")) {
		t.Errorf("messages of %q characters", got)
	}
}

func BenchmarkRun(b *testing.B) {
	rt := newRuntime(b, hermes.Options{})
	for b.Loop() {
		cmd := exec.Command(rt.Endpoint().Command[0], quiet...)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		run, err := rt.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := run.Emit(b.Context(), say("hi"), ok); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
