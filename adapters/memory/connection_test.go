package memory

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/memory"
)

// linked is a connected adapter with one live run, which has said "one".
type linked struct {
	t       *testing.T
	runtime *memory.Runtime
	adapter *Adapter
	run     *executor.Run
	native  fakes.Run
	stream  executor.Stream
}

func link(t *testing.T) *linked {
	t.Helper()
	l := &linked{t: t, runtime: memory.New()}
	l.adapter = New(l.runtime, Options{Connected: true, Grace: time.Second, Reconnect: 10 * time.Second})
	l.begin()
	return l
}

func (l *linked) begin() {
	l.t.Helper()
	var err error
	if l.run, err = l.adapter.Start(l.t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "go"}); err != nil {
		l.t.Fatal(err)
	}
	if l.native, err = l.runtime.Next(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	l.stream = l.adapter.Events(l.run)
	l.say(fakes.Init{Run: "r"}, fakes.Delta{Text: "one"})
	l.hears("status init", "text one")
}

func (l *linked) say(frames ...fakes.Frame) {
	l.t.Helper()
	if _, err := l.native.Emit(l.t.Context(), frames...); err != nil {
		l.t.Fatal(err)
	}
}

func (l *linked) fault(kinds ...fakes.FaultKind) {
	l.t.Helper()
	for _, k := range kinds {
		if err := l.runtime.Fault(l.t.Context(), fakes.Fault{Kind: k}); err != nil {
			l.t.Fatal(err)
		}
	}
}

// hears reads as many events as are wanted.
func (l *linked) hears(want ...string) {
	l.t.Helper()
	var got []string
	for range want {
		e, err := l.stream.Next(l.t.Context())
		if err != nil {
			l.t.Fatalf("%v after %q", err, got)
		}
		switch e := e.(type) {
		case executor.TextDelta:
			got = append(got, "text "+e.Text)
		case executor.Status:
			got = append(got, "status "+string(e.Phase))
		case executor.Error:
			got = append(got, "error "+*e.Code)
		case executor.Done:
			got = append(got, "done "+string(e.Reason))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		l.t.Errorf("(-want +got):\n%s", diff)
	}
}

// close disposes of the adapter, after which nothing is held and the stream is over.
func (l *linked) close() {
	l.t.Helper()
	if err := l.adapter.Dispose(l.t.Context()); err != nil {
		l.t.Error(err)
	}
	if e, err := l.stream.Next(l.t.Context()); err == nil {
		l.t.Errorf("after dispose: %v", e)
	}
	if left := l.runtime.Residue(); !left.Zero() {
		l.t.Errorf("held: %+v", left)
	}
}

// An abort that the lost connection did not carry is asked for again when it is back.
func TestAbortWhileAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := link(t)
		l.fault(fakes.FaultDown, fakes.FaultDrop)
		synctest.Wait()
		if err := l.adapter.Abort(t.Context(), l.run); !errors.Is(err, memory.ErrLost) {
			t.Errorf("abort without a connection: %v", err)
		}
		l.fault(fakes.FaultUp)
		l.hears("error connection-lost", "done aborted")
		if calls := l.native.Calls(); len(calls) != 1 || calls[0].Method != fakes.MethodCancel {
			t.Errorf("calls %+v", calls)
		}
		l.close()
	})
}

// One that nobody carries ends the run after the grace, and leaves the stream to the next.
func TestAbortWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := link(t)
		l.fault(fakes.FaultDown, fakes.FaultDrop)
		synctest.Wait()
		begun := time.Now()
		_ = l.adapter.Abort(t.Context(), l.run)
		l.hears("done aborted")
		if took := time.Since(begun); took != time.Second {
			t.Errorf("ended after %v", took)
		}
		l.fault(fakes.FaultUp)
		first := l.stream
		l.begin()
		l.say(fakes.End{Reason: fakes.EndOK})
		l.hears("done success")
		l.stream = first
		l.hears("status init", "text one", "done success")
		l.close()
	})
}

// A connection that stays away ends run and streams when the budget is spent.
func TestAwayForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := link(t)
		begun := time.Now()
		l.fault(fakes.FaultDown, fakes.FaultDrop)
		l.hears("error stream-truncated", "done error")
		if took := time.Since(begun); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("ended after %v", took)
		}
		if e, err := l.stream.Next(t.Context()); err == nil {
			t.Errorf("the stream goes on with %v", e)
		}
		l.fault(fakes.FaultUp)
		l.begin()
		l.say(fakes.End{Reason: fakes.EndOK})
		l.hears("done success")
		l.close()
	})
}

// What got lost on the way is read up, without a word.
func TestFramesLostOnTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := link(t)
		if err := l.native.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultLose}); err != nil {
			t.Fatal(err)
		}
		l.say(fakes.Delta{Text: " two"}, fakes.Delta{Text: " three"})
		l.say(fakes.Delta{Text: " four"}, fakes.End{Reason: fakes.EndOK})
		l.hears("text  two", "text  three", "text  four", "done success")
		l.close()
	})
}

// A start that nobody acknowledges is given up, and leaves the session free.
func TestUnacknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runtime := memory.New()
		a := New(runtime, Options{Connected: true})
		if err := runtime.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultSwallow}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			begun := time.Now()
			_, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "go"})
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 10*time.Second {
				t.Errorf("%v after %v", err, time.Since(begun))
			}
		}
		if err := a.Dispose(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
