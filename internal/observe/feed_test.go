package observe_test

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/observe"
)

func text(s string) executor.Event {
	return executor.TextDelta{Envelope: executor.Envelope{RunID: "r"}, Text: s}
}

// drain reads the stream to its end.
func drain(t *testing.T, s executor.Stream) []string {
	t.Helper()
	var got []string
	for e, err := range executor.All(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.(executor.TextDelta).Text)
	}
	return got
}

func TestWhoSeesWhat(t *testing.T) {
	f := observe.New(observe.Options{})
	f.Publish(text("a"))
	first := f.Subscribe()
	f.Publish(text("b"))
	second := f.Subscribe() // late, but the run is live
	f.Publish(text("c"))
	f.End()
	f.Publish(text("after the end"))
	late := f.Subscribe() // the run is over

	want := []string{"a", "b", "c"}
	for name, s := range map[string]executor.Stream{"first": first, "second": second} {
		if diff := cmp.Diff(want, drain(t, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := late.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("an ended run was played again: %v", err)
	}
}

func TestFirstObserverOfAnEndedRun(t *testing.T) {
	f := observe.New(observe.Options{})
	f.Publish(text("a"))
	f.End()
	if diff := cmp.Diff([]string{"a"}, drain(t, f.Subscribe())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := drain(t, f.Subscribe()); got != nil {
		t.Errorf("second observer of an ended run got %v", got)
	}
}

func TestCloseReleasesOneObserver(t *testing.T) {
	f := observe.New(observe.Options{})
	a, b := f.Subscribe(), f.Subscribe()
	if f.Observers() != 2 {
		t.Fatalf("got %d observers, want 2", f.Observers())
	}
	_ = a.Close()
	_ = a.Close()
	if f.Observers() != 1 {
		t.Fatalf("got %d observers after a close, want 1", f.Observers())
	}
	f.Publish(text("x"))
	f.End()
	if diff := cmp.Diff([]string{"x"}, drain(t, b)); diff != "" {
		t.Errorf("the other observer (-want +got):\n%s", diff)
	}
}

// A flood before the first observer costs text, never a call or the end.
func TestFloodKeepsWhatCounts(t *testing.T) {
	f := observe.New(observe.Options{})
	f.Publish(executor.ToolCall{Envelope: executor.Envelope{RunID: "r"}, ID: "t"})
	for range 30_000 {
		f.Publish(text("x"))
	}
	f.Publish(executor.Done{Envelope: executor.Envelope{RunID: "r"}, Reason: executor.ReasonSuccess})
	f.End()
	var kinds []executor.Kind
	last := int64(0)
	for e, err := range executor.All(t.Context(), f.Subscribe()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Head().Seq <= last {
			t.Fatalf("seq %d after %d", e.Head().Seq, last)
		}
		last = e.Head().Seq
		if e.Kind() != executor.KindTextDelta {
			kinds = append(kinds, e.Kind())
		}
	}
	if diff := cmp.Diff([]executor.Kind{executor.KindToolCall, executor.KindDone}, kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A run whose calls alone fill the log ends an observer that comes too late with
// an error instead of showing it half of the run as the whole.
func TestTooLateForTheLog(t *testing.T) {
	f := observe.New(observe.Options{})
	for range 20_000 {
		f.Publish(executor.ToolCall{Envelope: executor.Envelope{RunID: "r"}, ID: "t"})
	}
	var last, beforeLast executor.Event
	for e, err := range executor.All(t.Context(), f.Subscribe()) {
		if err != nil {
			t.Fatal(err)
		}
		beforeLast, last = last, e
	}
	if e, ok := beforeLast.(executor.Error); !ok || !e.Fatal || *e.Code != executor.CodeQueueOverflow {
		t.Errorf("last but one is %+v, want a fatal queue-overflow", beforeLast)
	}
	if d, ok := last.(executor.Done); !ok || d.Reason != executor.ReasonError {
		t.Errorf("last is %+v, want done(error)", last)
	}
}
