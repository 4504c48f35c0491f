package subjects_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	adapter "github.com/adaptercheck/adaptercheck/adapters/claudecode"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// ten is a run in ten frames. What it says has characters of every length, and those
// that JSON escapes.
func ten() []fakes.Frame {
	whole, input := "An ñandú 漢字 \"said\"\n.", `{"command":"ls \u00e9"}`
	return []fakes.Frame{
		fakes.Init{}, fakes.Think{Text: "hm"}, fakes.Delta{Text: "First "}, fakes.Delta{Text: "🦜."},
		fakes.ToolCall{ID: "t1", Name: "Bash", Input: input}, fakes.Result{ID: "t1", Name: "Bash", Out: "é"},
		fakes.ToolCall{ID: "t2", Name: "Bash", Input: input}, fakes.Result{ID: "t2", Name: "Bash", Out: "no", Error: true},
		fakes.Final{Text: &whole}, fakes.End{Reason: fakes.EndOK},
	}
}

// The place of the last frame of ten, and that of their end.
const last, end = 9, 10

// ending is how a run must end under a fault at a place.
func ending(kind wire.Kind, place int) executor.Reason {
	switch {
	case silent(kind, place):
		return executor.ReasonAborted
	case (kind == wire.Cut || kind == wire.Close || kind == wire.Exit) && place < end, kind == wire.Garble && place == last:
		return executor.ReasonError // the result is not read
	}
	return executor.ReasonSuccess
}

// silent reports whether nothing more is heard of a process that goes on: it stalls, or
// keeps its result until another line leaves with it. The host has to abort.
func silent(kind wire.Kind, place int) bool {
	return kind == wire.Stall && place < end || kind == wire.Coalesce && place == last
}

// Whatever happens to the bytes, and wherever, the run has its right end, says nothing
// that was not said, breaks no rule, and leaves nothing behind.
func TestClaudeCodeFaults(t *testing.T) {
	before := goleak.IgnoreCurrent()
	plain := try(t, nil, false, 0)
	places, want := plain.places(), verify.Text(plain.events, "", executor.Assistant)
	open := descriptors(t)
	judge := func(t *testing.T, reason executor.Reason, got trial) {
		t.Helper()
		if found := verify.Whole(got.events); len(found) > 0 {
			t.Errorf("breaks rules: %v in %q", found, brief(got.events))
		}
		done, _ := verify.Last(got.events, "")
		text := verify.Text(got.events, "", executor.Assistant)
		if done.Reason != reason || !strings.HasPrefix(want, text) || reason == executor.ReasonSuccess && text != want {
			t.Errorf("%s, want %s: %q", done.Reason, reason, brief(got.events))
		}
	}
	t.Run("kinds", func(t *testing.T) {
		for _, kind := range wire.Kinds() {
			t.Run(string(kind), func(t *testing.T) {
				t.Parallel()
				for place, line := range places {
					t.Run(fmt.Sprint(place), func(t *testing.T) {
						left := 0
						if kind == wire.Holder && place == end {
							left = 1 // what a process starts when it ends is out of reach
						}
						got := try(t, wire.Faults{{Kind: kind, Frame: line}}, silent(kind, place), left)
						judge(t, ending(kind, place), got)
						if place < end && len(got.strikes) != 1 {
							t.Errorf("struck %d times", len(got.strikes))
						}
					})
				}
			})
		}
	})
	t.Run("every byte on its own", func(t *testing.T) {
		judge(t, executor.ReasonSuccess, try(t, wire.Faults{{Kind: wire.Split, N: 1}}, false, 0))
	})
	if now := descriptors(t); now > open {
		t.Errorf("%d descriptors, %d before", now, open)
	}
	goleak.VerifyNone(t, before)
}

// trial is what came of one run.
type trial struct {
	events  []executor.Event
	lines   []int // of each frame, where they were said one by one
	strikes []wire.Strike
}

// places are the first lines of the frames, and the end. The last frame ends what is
// open first: its own line is the last.
func (x trial) places() []int {
	places, sum := []int{}, 0
	for _, n := range x.lines {
		places = append(places, sum)
		sum += n
	}
	places[last] = sum - 1
	return append(places, sum)
}

// try plays the ten frames through a process and the adapter, and aborts the run if it
// is told to. That many processes may be left.
func try(t *testing.T, faults wire.Faults, abort bool, left int) (got trial) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime, err := claudecode.New(ctx, claudecode.Options{Seed: 1, Wire: faults})
	must(err)
	defer func() { must(runtime.Close()) }()
	at := runtime.Endpoint()
	a := adapter.New(adapter.Options{Command: at.Command, Home: at.Dir, Dir: at.Dir, Grace: 100 * time.Millisecond})
	defer func() { must(a.Dispose(ctx)) }()
	handle, err := a.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "go"})
	must(err)
	stream := a.Events(handle)
	native, err := runtime.Next(ctx)
	must(err)
	if len(faults) > 0 {
		_, err := native.Emit(ctx, ten()...)
		must(err)
	} else {
		for _, f := range ten() {
			r, err := native.Emit(ctx, f)
			must(err)
			got.lines = append(got.lines, r.Frames)
		}
	}
	got.strikes = native.(interface{ Strikes() []wire.Strike }).Strikes()
	if abort {
		must(a.Abort(ctx, handle))
	}
	for {
		e, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		got.events = append(got.events, e)
	}
	must(native.Gone(ctx))
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

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("no /dev/fd here")
	}
	return len(list)
}
