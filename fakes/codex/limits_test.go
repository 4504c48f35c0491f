//go:build unix

package codex_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
)

// What the features leave out is what the wire has no form for.
func TestFeaturesAreHonest(t *testing.T) {
	rt := newRuntime(t, codex.Options{})
	childtest.Start(t, rt, "exec", "--json", "go")
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
		fakes.MaxTurns:      fakes.End{Reason: fakes.EndMaxTurns},
	} {
		_, err := run.Emit(childtest.Within(t), frame)
		if errors.Is(err, fakes.ErrUnplayable) == has(feature) || (err != nil && has(feature)) {
			t.Errorf("%s: claimed %v, %v", feature, has(feature), err)
		}
	}
	for name, frame := range map[string]fakes.Frame{
		"late result":    fakes.Result{ID: "t", Run: "r0"},
		"broken input":   fakes.ToolCall{ID: "t", Name: "n", Input: "{"},
		"broken fields":  fakes.Native{Type: "x", Fields: `{"a":1`},
		"type twice":     fakes.Native{Type: "x", Fields: `{"type":"y"}`},
		"list of fields": fakes.Native{Type: "x", Fields: `[]`},
		"odd signal":     fakes.Exit{Signal: "WINCH"},
		"deaf to kill":   fakes.Ignore{Signal: "KILL"},
		"snapshot":       fakes.Snapshot{Text: "x"},
		"idle":           fakes.Turn{State: "idle"},
		"nested call":    fakes.ToolCall{ID: "t", Name: "n", Parent: "p"},
		"nested result":  fakes.Result{ID: "t", Parent: "p"},
		"nested text":    fakes.Final{Parent: "p"},
		"nested thought": fakes.Think{Parent: "p"},
		"refusal":        fakes.End{Reason: fakes.EndRefusal},
		"budget":         fakes.End{Reason: fakes.EndBudget},
		"promise":        fakes.Ack{Request: fakes.RequestStart},
		"broken details": fakes.Result{ID: "t", Name: "n", Details: "{"},
		"command data":   fakes.Result{ID: "t", Name: "shell", Details: "{}"},
		"more than that": fakes.Result{ID: "t", Name: "shell", Details: `{"exit_code":1,"x":1}`},
		"patch data":     fakes.Result{ID: "t", Name: "apply_patch", Details: "{}"},
		"search data":    fakes.Result{ID: "t", Name: "web_search", Details: "{}"},
		"no patch":       fakes.ToolCall{ID: "t", Name: "apply_patch", Input: `"*** Begin Patch"`},
		"odd change":     fakes.ToolCall{ID: "t", Name: "apply_patch", Input: `{"changes":[{"path":"/a","kind":"rename"}]}`},
		"no plan":        fakes.ToolCall{ID: "t", Name: "update_plan", Input: `[]`},
		"no query":       fakes.ToolCall{ID: "t", Name: "web_search", Input: `{"query":1}`},
	} {
		if _, err := run.Emit(childtest.Within(t), frame); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A long TMPDIR is no obstacle: sockets have short paths.
func TestLongTemporaryDirectory(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	rt := newRuntime(t, codex.Options{})
	h := childtest.Start(t, rt, "exec", "--json", "go")
	childtest.Emit(t, childtest.Next(t, rt), ok)
	h.Rest(t)
	if code := h.Reap(); code != 0 {
		t.Errorf("exit code %d, %q", code, &h.Errs)
	}
	if left, err := os.ReadDir(long); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A number of fakes leaves no goroutine and no descriptor.
func TestNothingLeaks(t *testing.T) {
	childtest.NothingLeaks(t, 10, func(i int) {
		rt, err := codex.New(t.Context(), codex.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := childtest.Start(t, rt, "exec", "--json", fmt.Sprint(i))
		run := childtest.Next(t, rt)
		if i%2 == 0 {
			childtest.Emit(t, run, fakes.Init{}, fakes.Child{OwnSession: true}, ok)
			h.Rest(t)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		h.Reap()
	})
}

// A flood is taken in one go.
func TestFlood(t *testing.T) {
	const n = 20000
	rt := newRuntime(t, codex.Options{})
	h := childtest.Start(t, rt, "exec", "--json", "go")
	run := childtest.Next(t, rt)
	frames := make([]fakes.Frame, n)
	for i := range frames {
		frames[i] = say("a piece of a flood")
	}
	if r := childtest.Emit(t, run, frames...); r.Frames != n {
		t.Errorf("receipt %+v", r)
	}
	childtest.Emit(t, run, ok)
	if lines := strings.Count(h.Rest(t), "\n"); lines != n+1 {
		t.Errorf("%d lines", lines)
	}
}

func BenchmarkRun(b *testing.B) {
	rt, err := codex.New(b.Context(), codex.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	for b.Loop() {
		cmd := command(rt)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		run, err := rt.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := run.Emit(b.Context(), fakes.Init{}, say("hi"), ok); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
