//go:build unix

package claudecode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// What the features leave out is what the wire has no form for.
func TestFeaturesAreHonest(t *testing.T) {
	rt := newRuntime(t, claudecode.Options{})
	childtest.Start(t, rt, argv...)
	run := childtest.Next(t, rt)
	for feature, frame := range map[fakes.Feature]fakes.Frame{
		fakes.InitFrame:     fakes.Init{},
		fakes.Deltas:        fakes.Delta{Text: "x"},
		fakes.Retract:       fakes.Snapshot{Text: "y"},
		fakes.ReasoningText: fakes.Think{Text: "x"},
		fakes.Tools:         fakes.ToolCall{ID: "t", Name: "n"},
		fakes.PartialInput:  fakes.CallPart{ID: "t", Name: "n"},
		fakes.UsageFrames:   fakes.Usage{},
		fakes.Approvals:     fakes.Ask{ID: "q"},
		fakes.UnknownFrames: fakes.Native{Type: "x"},
		fakes.MildErrors:    fakes.Failure{Message: "x"},
		fakes.Framed:        fakes.Raw{Line: "{"},
		fakes.MaxTurns:      fakes.End{Reason: fakes.EndMaxTurns},
		fakes.TokenLimit:    fakes.End{Reason: fakes.EndLength},
	} {
		if _, err := run.Emit(childtest.Within(t), frame, fakes.Silent{}); err != nil || !rt.Features().Has(feature) {
			t.Errorf("%s: claimed %v, %v", feature, rt.Features().Has(feature), err)
		}
	}
	for name, frames := range map[string][]fakes.Frame{
		"late result":    {fakes.Result{ID: "t", Run: "r0"}},
		"late delta":     {fakes.Delta{Text: "x", Run: "r0"}},
		"late end":       {fakes.End{Reason: fakes.EndOK, Run: "r0"}},
		"broken input":   {fakes.ToolCall{ID: "t", Name: "n", Input: "{"}},
		"piece of none":  {fakes.CallPart{Index: 7, Fragment: "x"}},
		"far piece":      {fakes.Delta{Text: "x", At: new(9)}},
		"broken fields":  {fakes.Native{Type: "x", Fields: `{"a":1`}},
		"type twice":     {fakes.Native{Type: "x", Fields: `{"type":"y"}`}},
		"list of fields": {fakes.Native{Type: "x", Fields: `[]`}},
		"odd signal":     {fakes.Exit{Signal: "WINCH"}},
		"deaf to kill":   {fakes.Ignore{Signal: "KILL"}},
		"turn-complete":  {fakes.Turn{State: "turn-complete"}},
	} {
		if r, err := run.Emit(childtest.Within(t), frames...); !errors.Is(err, fakes.ErrUnplayable) || r != (fakes.Receipt{}) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if err := run.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultDown}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("down: %v", err)
	}
	if err := rt.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultCut}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("cut: %v", err)
	}
}

// ten frames, each of them one line.
func ten() []fakes.Frame {
	frames := []fakes.Frame{fakes.Init{}}
	for i := range 4 {
		id := fmt.Sprint("t", i)
		frames = append(frames, fakes.ToolCall{ID: id, Name: "Bash", Input: "{}"}, fakes.Result{ID: id, Out: "x"})
	}
	return append(frames, done)
}

// Every fault of the wire strikes a process at every position, once, with a receipt,
// and the process ends or can be ended.
func TestEveryWireFaultEverywhere(t *testing.T) {
	for _, kind := range wire.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			for position := range 11 {
				f := wire.Fault{Kind: kind, Frame: position}
				if kind == wire.Flood || kind == wire.Long {
					f.N = 1 << 10
				}
				rt := newRuntime(t, claudecode.Options{Wire: wire.Faults{f}})
				h := childtest.Start(t, rt, argv...)
				run := childtest.Next(t, rt).(*child.Run)
				r, err := run.Emit(childtest.Within(t), ten()...)
				if err != nil {
					t.Fatal(err)
				}
				if struck := run.Strikes(); position < 10 && (len(struck) != 1 || struck[0].Fault != f) {
					t.Errorf("at %d: struck %+v", position, struck)
				}
				switch kind {
				case wire.Stall:
					if _, err := run.Emit(childtest.Within(t), fakes.Stderr{}); err != nil { // it stays
						t.Errorf("at %d: %v", position, err)
					}
					h.Signal(t, syscall.SIGTERM)
				case wire.Holder: // stdout has no end while the descendant lives
					childtest.Await(t, "the process has ended", func() bool { return rt.Residue().Children == 2 && gone(run) })
					if err := rt.Close(); err != nil {
						t.Error(err)
					}
				}
				out := h.Rest(t)
				code := h.Reap()
				switch {
				case kind == wire.Stall && code != 143, kind != wire.Stall && code != 0:
					t.Errorf("at %d: ended by %d, stderr %q", position, code, &h.Errs)
				}
				whole := 10
				switch kind {
				case wire.Stall, wire.Cut, wire.Close, wire.Exit:
					whole = position
				case wire.Coalesce:
					whole = r.Frames // what waits for company leaves at the end
				}
				if r.Frames != whole {
					t.Errorf("at %d: receipt %+v of %q", position, r, out)
				}
			}
		})
	}
}

// gone reports whether the process of a run has ended, reaped or not.
func gone(run fakes.Run) bool {
	_, err := run.Emit(context.Background(), fakes.Stderr{})
	return errors.Is(err, fakes.ErrGone)
}

// A stream that is split at every byte is the same stream.
func TestEveryByteSplit(t *testing.T) {
	read := func(f wire.Faults) (string, fakes.Receipt) {
		rt := newRuntime(t, claudecode.Options{Seed: 3, Wire: f})
		h := childtest.StartWith(t, rt, func(h *childtest.Host) { h.Dir = "/"; h.Stdin = strings.NewReader("") }, argv...)
		r := childtest.Emit(t, childtest.Next(t, rt), fakes.Init{}, text("é"), done)
		return h.Rest(t), r
	}
	whole, receipt := read(nil)
	split, again := read(wire.Faults{{Kind: wire.Split, N: 1}})
	expect(t, "stdout", whole, split)
	expect(t, "receipt", receipt, again)
}

// Emit does not wait for a reader, and nothing is lost for one who comes late.
func TestFloodWithoutAReader(t *testing.T) {
	const n = 5000
	rt := newRuntime(t, claudecode.Options{})
	h := childtest.Start(t, rt, append(argv, "--include-partial-messages")...)
	run := childtest.Next(t, rt)
	frames := make([]fakes.Frame, n)
	for i := range frames {
		frames[i] = fakes.Delta{Text: "a piece of a flood"}
	}
	r := childtest.Emit(t, run, append([]fakes.Frame{fakes.Init{}}, frames...)...)
	if want := 1 + 3 + n; r.Frames != want {
		t.Errorf("receipt %+v, want %d frames", r, want)
	}
	r2 := childtest.Emit(t, run, fakes.Stderr{N: 1 << 20}, done)
	out := h.Rest(t)
	if int64(len(out)) != r.Bytes+r2.Bytes || h.Reap() != 0 || h.Errs.Len() < 1<<20 {
		t.Errorf("%d bytes came of %d, exit code %d, %d bytes on stderr", len(out), r.Bytes+r2.Bytes, h.Reap(), h.Errs.Len())
	}
}

// A number of fakes leaves no goroutine and no descriptor.
func TestNothingLeaks(t *testing.T) {
	childtest.NothingLeaks(t, 6, func(i int) {
		rt, err := claudecode.New(t.Context(), claudecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := childtest.Start(t, rt, argv...)
		run := childtest.Next(t, rt)
		if i%2 == 0 {
			childtest.Emit(t, run, fakes.Init{}, fakes.Child{OwnSession: true}, done)
			h.Rest(t)
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		h.Reap()
	})
}

func TestNewRefuses(t *testing.T) {
	for name, o := range map[string]claudecode.Options{
		"version": {Version: "3"},
		"fault":   {Wire: wire.Faults{{Kind: "explode"}}},
	} {
		if rt, err := claudecode.New(t.Context(), o); err == nil {
			rt.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	rt := newRuntime(b, claudecode.Options{})
	for b.Loop() {
		h := childtest.Start(b, rt, argv...)
		childtest.Emit(b, childtest.Next(b, rt), fakes.Init{}, text("hi"), done)
		h.Rest(b)
		if code := h.Reap(); code != 0 {
			b.Fatal(code)
		}
	}
}
