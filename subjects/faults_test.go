package subjects_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/adapters/claudecode"
	"github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/adapters/hermes"
	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
	fakeclaude "github.com/adaptercheck/adaptercheck/fakes/claudecode"
	fakecodex "github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	fakehermes "github.com/adaptercheck/adaptercheck/fakes/hermes"
	fakepi "github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// faultGrace is what adapters give a process that was told to stop.
const faultGrace = 100 * time.Millisecond

// disposable is an adapter that lets go of what it holds.
type disposable interface {
	executor.Adapter
	executor.Disposer
}

// stage is a runtime whose bytes are tampered with, and the adapter that reads them.
type stage struct {
	runtime func(context.Context, wire.Faults) (fakes.Runtime, error)
	adapter func(fakes.Endpoint) disposable
	// frames of a run, the last one ends it; nil is ten.
	frames []fakes.Frame
	// before is how many lines come before the first frame. They are places too, with
	// numbers below 0.
	before int
	// hasty says that the process ends by itself, whoever reads.
	hasty bool
	// ending is how the run must end.
	ending func(spot) executor.Reason
	// text judges what a good run said; nil is that it said it all.
	text func(s spot, want, got string) bool
}

// spot is a fault at a place: of the frames, of the end that follows the last one, or,
// below 0, of the lines before them.
type spot struct {
	kind             wire.Kind
	place, last, end int
}

func (s spot) is(kinds ...wire.Kind) bool { return slices.Contains(kinds, s.kind) }

// ten is a run in ten frames. What it says has characters of every length, and those
// that JSON escapes.
func ten() []fakes.Frame {
	return run(fakes.Delta{Text: "First "}, fakes.Delta{Text: "🦜."})
}

// run is a run with these first words.
func run(first ...fakes.Frame) []fakes.Frame {
	whole, input := "An ñandú 漢字 \"said\"\n.", `{"command":"ls \u00e9"}`
	return slices.Concat([]fakes.Frame{fakes.Init{}, fakes.Think{Text: "hm"}}, first, []fakes.Frame{
		fakes.ToolCall{ID: "t1", Name: "Bash", Input: input}, fakes.Result{ID: "t1", Name: "Bash", Out: "é"},
		fakes.ToolCall{ID: "t2", Name: "Bash", Input: input}, fakes.Result{ID: "t2", Name: "Bash", Out: "no", Error: true},
		fakes.Final{Text: &whole}, fakes.End{Reason: fakes.EndOK},
	})
}

// Whatever happens to the bytes, and wherever, the run has its right end, says nothing
// that was not said, breaks no rule, and leaves nothing behind.
func TestClaudeCodeFaults(t *testing.T) {
	suffer(t, stage{
		runtime: func(ctx context.Context, f wire.Faults) (fakes.Runtime, error) {
			return fakeclaude.New(ctx, fakeclaude.Options{Seed: 1, Wire: f})
		},
		adapter: func(at fakes.Endpoint) disposable {
			return claudecode.New(claudecode.Options{Command: at.Command, Home: at.Dir, Dir: at.Dir, Grace: faultGrace})
		},
		ending: func(s spot) executor.Reason {
			switch {
			case s.is(wire.Stall) && s.place < s.end:
				return executor.ReasonAborted
			case s.is(wire.Coalesce) && s.place == s.last: // it keeps its result until another line leaves with it
				return executor.ReasonAborted
			case s.is(wire.Cut, wire.Close, wire.Exit) && s.place < s.end, s.is(wire.Garble) && s.place == s.last:
				return executor.ReasonError // the result is not read
			}
			return executor.ReasonSuccess
		},
	})
}

// In the quiet format the answer is all of the output, and the exit its end. So what
// comes beside the answer is part of it, and only what is lost can be told.
func TestHermesFaults(t *testing.T) {
	suffer(t, stage{
		runtime: hermesRuntime, adapter: hermesAdapter(hermes.FormatQuiet), hasty: true,
		ending: func(s spot) executor.Reason {
			switch {
			case s.is(wire.Stall):
				return executor.ReasonAborted // the answer may be out, but the process stays
			case s.is(wire.Cut, wire.Close, wire.Exit) && s.place < s.end:
				return executor.ReasonError // nothing was said
			}
			return executor.ReasonSuccess
		},
		text: func(s spot, want, got string) bool {
			switch {
			case s.is(wire.Garble) && s.place < s.end:
				return got != ""
			case s.is(wire.Duplicate, wire.Noise, wire.BOM):
				return strings.Contains(got, want)
			}
			return got == want
		},
	})
}

// In the stream format no line says again what another one said. So one that is lost or
// comes twice is text that is.
func TestHermesStreamFaults(t *testing.T) {
	suffer(t, stage{
		runtime: hermesRuntime, adapter: hermesAdapter(hermes.FormatStream), hasty: true,
		ending: func(s spot) executor.Reason {
			switch {
			case s.is(wire.Stall) && s.place < s.end:
				return executor.ReasonAborted
			case s.is(wire.Cut, wire.Close, wire.Exit) && s.place < s.end, s.is(wire.Garble) && s.place == s.last:
				return executor.ReasonError // the result is not read
			}
			return executor.ReasonSuccess
		},
		text: func(s spot, want, got string) bool {
			switch {
			case s.is(wire.Garble):
				return pieceOut(want, got)
			case s.is(wire.Duplicate):
				return pieceOut(got, want)
			}
			return got == want
		},
	})
}

// pieceOut reports whether the text is the whole but for one piece, which may be empty.
func pieceOut(whole, text string) bool {
	for i := range len(text) + 1 {
		if strings.HasPrefix(whole, text[:i]) && strings.HasSuffix(whole, text[i:]) && len(text) <= len(whole) {
			return true
		}
	}
	return false
}

// A line of codex exec says what no other one does: one that is lost is text that is.
func TestCodexFaults(t *testing.T) {
	first := "First 🦜."
	suffer(t, stage{
		runtime: func(ctx context.Context, f wire.Faults) (fakes.Runtime, error) {
			return fakecodex.New(ctx, fakecodex.Options{Seed: 1, Wire: f})
		},
		adapter: func(at fakes.Endpoint) disposable {
			return codex.New(codex.Options{Command: at.Command, Home: at.Dir, Dir: at.Dir, Grace: faultGrace})
		},
		frames: run(fakes.Final{Text: &first}), hasty: true, // it says no increments
		ending: func(s spot) executor.Reason {
			switch {
			case s.is(wire.Stall) && s.place < s.end:
				return executor.ReasonAborted
			case s.is(wire.Cut, wire.Close, wire.Exit) && s.place < s.end, s.is(wire.Garble) && s.place == s.last:
				return executor.ReasonError // the end of the turn is not read
			}
			return executor.ReasonSuccess
		},
		text: func(s spot, want, got string) bool { return s.is(wire.Garble) && pieceOut(want, got) || got == want },
	})
}

// An app-server says its messages twice, and the last one three times. What is lost of
// the handshake is said again but for the first answer.
func TestCodexAppServerFaults(t *testing.T) {
	const before = 6
	suffer(t, stage{
		runtime: func(ctx context.Context, f wire.Faults) (fakes.Runtime, error) {
			return appserver.New(ctx, appserver.Options{Seed: 1, Wire: f})
		},
		adapter: func(at fakes.Endpoint) disposable {
			return codex.New(codex.Options{
				Mode: codex.ModeAppServer, Command: at.Command, Home: at.Dir, Dir: at.Dir, Grace: faultGrace, StartTimeout: 2 * time.Second,
			})
		},
		before: before,
		ending: func(s spot) executor.Reason {
			switch {
			case s.is(wire.Stall) && s.place < 0, s.is(wire.Unread) && s.place < -1, s.is(wire.Garble) && s.place == -before:
				return executor.ReasonError // an answer does not come
			case s.is(wire.Stall) && s.place < s.end, s.is(wire.Coalesce) && s.place == s.last:
				return executor.ReasonAborted
			case s.is(wire.Cut, wire.Close, wire.Exit) && s.place < s.end, s.is(wire.Garble) && s.place == s.last:
				return executor.ReasonError // the end of the turn is not read
			}
			return executor.ReasonSuccess
		},
	})
}

// Pi says an answer three times: in pieces, at the end of each text, and when it is over.
// What its client misses of its end it asks for.
func TestPiFaults(t *testing.T) {
	const before = 2 // which session it has, and that it takes the prompt
	suffer(t, stage{
		runtime: func(ctx context.Context, f wire.Faults) (fakes.Runtime, error) {
			return fakepi.New(ctx, fakepi.Options{Seed: 1, Wire: f})
		},
		adapter: func(at fakes.Endpoint) disposable {
			return pi.NewExecutor(pi.ExecutorOptions{
				Command: at.Command, Home: at.Dir, Dir: at.Dir, Grace: faultGrace, StartTimeout: 2 * time.Second,
			})
		},
		before: before,
		ending: func(s spot) executor.Reason {
			switch {
			case s.is(wire.Stall) && s.place < 0, s.is(wire.Unread, wire.Coalesce) && s.place == -before:
				return executor.ReasonError // an answer does not come
			case s.is(wire.Stall) && s.place < s.last:
				return executor.ReasonAborted
			case s.is(wire.Cut, wire.Close, wire.Exit) && s.place < s.last:
				return executor.ReasonError
			}
			return executor.ReasonSuccess // that the agent has ended is known before the last line
		},
	})
}

func hermesRuntime(ctx context.Context, f wire.Faults) (fakes.Runtime, error) {
	return fakehermes.New(ctx, fakehermes.Options{Seed: 1, Wire: f})
}

func hermesAdapter(format string) func(fakes.Endpoint) disposable {
	return func(at fakes.Endpoint) disposable {
		return hermes.New(hermes.Options{
			Command: at.Command, Format: format, Home: at.Dir, Dir: at.Dir, Grace: faultGrace, Env: []string{"HERMES_SIGTERM_GRACE=0.01"},
		})
	}
}

// suffer plays each kind of fault at each place.
func suffer(t *testing.T, on stage) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	plain := on.try(t, nil, false, 0)
	places, want := on.places(plain.lines), believed(plain.events)
	open := descriptors(t)
	judge := func(t *testing.T, at spot, got trial) {
		t.Helper()
		if found := verify.Whole(got.events); len(found) > 0 {
			t.Errorf("breaks rules: %v in %q", found, brief(got.events))
		}
		done, _ := verify.Last(got.events, "")
		text, reason := believed(got.events), on.ending(at)
		right := strings.HasPrefix(want, text) && (reason != executor.ReasonSuccess || text == want)
		if on.text != nil && reason == executor.ReasonSuccess {
			right = on.text(at, want, text)
		}
		if done.Reason != reason || !right {
			t.Errorf("%s, want %s: %q", done.Reason, reason, brief(got.events))
		}
	}
	t.Run("kinds", func(t *testing.T) {
		for k, kind := range wire.Kinds() {
			t.Run(string(kind), func(t *testing.T) {
				t.Parallel()
				for i, line := range places {
					if (i+k)%stride != 0 {
						continue
					}
					place, last := i-on.before, len(places)-on.before-2
					t.Run(fmt.Sprint(place), func(t *testing.T) {
						at := spot{kind: kind, place: place, last: last, end: last + 1}
						left := 0
						if kind == wire.Holder && (on.hasty || place == at.end) {
							left = 1 // what a process starts when it ends is out of reach
						}
						got := on.try(t, wire.Faults{{Kind: kind, Frame: line}}, on.ending(at) == executor.ReasonAborted, left)
						judge(t, at, got)
						if place >= 0 && place < at.end && len(got.strikes) != 1 { // before a run nobody tells
							t.Errorf("struck %d times", len(got.strikes))
						}
					})
				}
			})
		}
	})
	t.Run("every byte on its own", func(t *testing.T) {
		judge(t, spot{kind: wire.Split}, on.try(t, wire.Faults{{Kind: wire.Split, N: 1}}, false, 0))
	})
	if now := descriptors(t); now > open {
		t.Errorf("%d descriptors, %d before", now, open)
	}
	goleak.VerifyNone(t, before)
}

// trial is what came of one run.
type trial struct {
	events  []executor.Event
	lines   []int // of each frame, where they were said one by one; else of all
	strikes []wire.Strike
}

// believed is the text that an observer believes in: what follows the last restart.
func believed(events []executor.Event) string {
	from := 0
	for i, e := range events {
		if s, is := e.(executor.Status); is && s.Detail == executor.DetailTextRestarted {
			from = i
		}
	}
	return verify.Text(events[from:], "", executor.Assistant)
}

// places are the lines before the frames, the first lines of the frames, and the end.
// The last frame ends what is open first: its own line is the last.
func (on stage) places(lines []int) []int {
	var places []int
	for i := range on.before {
		places = append(places, i)
	}
	sum := on.before
	for _, n := range lines {
		places = append(places, sum)
		sum += n
	}
	places[len(places)-1] = max(sum-1, 0)
	return append(places, sum)
}

// try plays the frames through a process and the adapter, and aborts the run if it is
// told to. That many processes may be left.
func (on stage) try(t *testing.T, faults wire.Faults, abort bool, left int) (got trial) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime, err := on.runtime(ctx, faults)
	must(err)
	defer func() { must(runtime.Close()) }()
	a := on.adapter(runtime.Endpoint())
	defer func() { must(a.Dispose(ctx)) }()
	handle, err := a.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "go"})
	must(err)
	stream := a.Events(handle)
	stop := func() error { return nil }
	if abort {
		stop = func() error { return a.Abort(ctx, handle) }
	}
	over, finished := context.WithCancel(ctx)
	played := make(chan error, 1)
	go func() {
		played <- on.play(ctx, over, &got, runtime, len(faults) == 0, stop)
	}()
	for {
		e, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		got.events = append(got.events, e)
	}
	finished()
	must(<-played)
	tick := time.NewTicker(time.Millisecond) // nothing tells when a process is reaped
	defer tick.Stop()
	for runtime.Residue().Children > left {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("left behind: %+v", runtime.Residue())
		}
	}
	return got
}

// play says the frames when the run arrives, one by one where it counts them, and then
// stops it. A run that ends before it arrives says nothing.
func (on stage) play(ctx, over context.Context, got *trial, runtime fakes.Runtime, count bool, stop func() error) error {
	native, err := runtime.Next(over)
	if over.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	frames := on.frames
	if frames == nil {
		frames = ten()
	}
	batches := [][]fakes.Frame{frames}
	if count {
		batches = nil
		for _, frame := range frames {
			batches = append(batches, []fakes.Frame{frame})
		}
	}
	for _, batch := range batches {
		r, err := native.Emit(ctx, batch...)
		if errors.Is(err, fakes.ErrGone) {
			return nil
		}
		if err != nil {
			return err
		}
		got.lines = append(got.lines, r.Frames)
	}
	got.strikes = native.(interface{ Strikes() []wire.Strike }).Strikes()
	if err := stop(); err != nil {
		return err
	}
	return native.Gone(ctx)
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("no /dev/fd here")
	}
	return len(list)
}
