//go:build unix

package appserver_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
)

// What the features leave out is what the wire has no form for.
func TestFeaturesAreHonest(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	connect(t, rt).on(t, "thread/start", "").start(t, "x")
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
		fakes.MaxTurns:      fakes.End{Reason: fakes.EndMaxTurns},
		fakes.TokenLimit:    fakes.End{Reason: fakes.EndLength},
		fakes.Nested:        fakes.Final{Parent: "p"},
		fakes.NativeRunID:   fakes.Delta{Text: "x", Run: "r0"},
	} {
		_, err := run.Emit(childtest.Within(t), frame)
		if errors.Is(err, fakes.ErrUnplayable) == has(feature) || (err != nil && has(feature)) {
			t.Errorf("%s: claimed %v, %v", feature, has(feature), err)
		}
	}
	at := -1
	for name, frame := range map[string]fakes.Frame{
		"late result":     fakes.Result{ID: "t", Run: "r0"},
		"late end":        fakes.End{Reason: fakes.EndOK, Run: "r0"},
		"late error":      fakes.Failure{Message: "m", Run: "r0"},
		"late state":      fakes.Turn{State: "idle", Run: "r0"},
		"broken input":    fakes.ToolCall{ID: "t", Name: "n", Input: "{"},
		"broken fields":   fakes.Native{Type: "x", Fields: `{"a":1`},
		"member twice":    fakes.Native{Type: "x", Fields: `{"a":1,"a":2}`},
		"list of fields":  fakes.Native{Type: "x", Fields: `[]`},
		"odd signal":      fakes.Exit{Signal: "WINCH"},
		"thinking":        fakes.Turn{State: "thinking"},
		"nested call":     fakes.ToolCall{ID: "t", Name: "n", Parent: "p"},
		"nested result":   fakes.Result{ID: "t", Parent: "p"},
		"nested piece":    fakes.Delta{Text: "x", Parent: "p"},
		"nested thought":  fakes.Think{Parent: "p"},
		"refusal":         fakes.End{Reason: fakes.EndRefusal},
		"budget":          fakes.End{Reason: fakes.EndBudget},
		"place":           fakes.Delta{Text: "x", At: &at},
		"promise":         fakes.Ack{Request: fakes.RequestStart},
		"broken details":  fakes.Result{ID: "t", Name: "n", Details: "{"},
		"command data":    fakes.Result{ID: "t", Name: "shell", Details: "{}"},
		"patch data":      fakes.Result{ID: "t", Name: "apply_patch", Details: `{"x":1}`},
		"search data":     fakes.Result{ID: "t", Name: "web_search", Details: "{}"},
		"kind of change":  fakes.ToolCall{ID: "t", Name: "apply_patch", Input: `{"changes":[{"path":"a","kind":"odd"}]}`},
		"patch as text":   fakes.ToolCall{ID: "t", Name: "apply_patch", Input: `"x"`},
		"search for what": fakes.ToolCall{ID: "t", Name: "web_search", Input: `{"query":1}`},
	} {
		if _, err := run.Emit(childtest.Within(t), frame); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A line of ten megabytes is taken, and said.
func TestLongLines(t *testing.T) {
	const n = 10 << 20
	rt := newRuntime(t, appserver.Options{})
	c := connect(t, rt).on(t, "thread/start", "").start(t, strings.Repeat("x", n))
	run := childtest.Next(t, rt)
	if got := len(run.Begun().Message); got != n {
		t.Errorf("a message of %d bytes", got)
	}
	childtest.Emit(t, run, fakes.Delta{Text: strings.Repeat("y", n)})
	c.Line(t)
	if got := len(c.Line(t)); got < n {
		t.Errorf("a line of %d bytes", got)
	}
}

// A message in pieces is one message, and the last line needs no end.
func TestHalfALine(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	h := childtest.StartOpen(t, rt, "app-server")
	for i, piece := range []string{hello[:10], hello[10:40], hello[40:] + "\n" + begin[:5], begin[5:]} {
		if _, err := io.WriteString(h.In, piece); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			for range 3 {
				h.Line(t)
			}
		}
	}
	h.In.Close()
	expect(t, "the rest", []string{"answer", "thread/started"}, kinds(t, h.Rest(t)))
	if code := h.Reap(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Garbage is dropped, however much there is; the process lives.
func TestGarbage(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	h := childtest.StartOpen(t, rt, "app-server")
	h.Say(t, strings.Repeat("\x00\xff{garbage", 100_000))
	for range 1000 {
		h.Say(t, "}{")
	}
	h.Say(t, hello)
	expect(t, "answer", []string{"answer"}, kinds(t, h.Line(t)))
}

// Emit does not wait for a reader, and nothing is lost for one who comes late.
func TestEmitWithoutAReader(t *testing.T) {
	const n = 20000
	c := running(t, appserver.Options{})
	frames := make([]fakes.Frame, n)
	for i := range frames {
		frames[i] = fakes.Delta{Text: "a piece of a flood"}
	}
	r := childtest.Emit(t, c.run, frames...)
	if r.Frames != n+1 {
		t.Errorf("receipt %+v", r)
	}
	childtest.Emit(t, c.run, done)
	if out, _ := c.finish(t); strings.Count(out, "\n") != n+4 {
		t.Errorf("%d lines", strings.Count(out, "\n"))
	}
}

// A number of fakes leaves no goroutine and no descriptor.
func TestNothingLeaks(t *testing.T) {
	childtest.NothingLeaks(t, 8, func(i int) {
		rt, err := appserver.New(t.Context(), appserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, rt).on(t, "thread/start", "").start(t, fmt.Sprint(i))
		run := childtest.Next(t, rt)
		if i%2 == 0 {
			childtest.Emit(t, run, fakes.Init{}, fakes.Child{OwnSession: true}, fakes.Ask{ID: "q"}, done)
			c.finish(t)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		c.Reap()
		c.In.Close()
	})
}

func BenchmarkTurn(b *testing.B) {
	rt, err := appserver.New(b.Context(), appserver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	h := childtest.StartOpen(b, rt, "app-server")
	h.Say(b, hello)
	h.Say(b, ready)
	h.Say(b, begin)
	thread := ""
	for thread == "" {
		if _, rest, is := strings.Cut(h.Line(b), `"result":{"thread":{"id":"`); is {
			thread, _, _ = strings.Cut(rest, `"`)
		}
	}
	var run fakes.Run
	for b.Loop() {
		h.Say(b, `{"id":2,"method":"turn/start","params":{"threadId":"`+thread+`","input":[{"type":"text","text":"x"}]}}`)
		for !strings.Contains(h.Line(b), `"result":{"turn"`) {
		}
		if run == nil {
			run = childtest.Next(b, rt)
		}
		childtest.Emit(b, run, fakes.Init{}, fakes.Delta{Text: "hi"}, done)
		for !strings.Contains(h.Line(b), "turn/completed") {
		}
	}
}
