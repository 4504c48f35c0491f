package observe

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func testFeed(limit int) (*Feed, *executor.Run) {
	run := executor.NewRun("a", "s")
	return New(run, Options{QueueMax: limit, Now: func() time.Time { return time.UnixMilli(1) }}), run
}

// head is the envelope of the one run that the tests have.
var head = executor.Envelope{RunID: "r"}

func (f *Feed) say(events ...executor.Event) {
	for _, e := range events {
		f.Publish(e.WithHead(head))
	}
}

func drain(t *testing.T, s executor.Stream) []executor.Event {
	t.Helper()
	var all []executor.Event
	for e, err := range executor.All(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func TestAFloodIsKeptWithinBounds(t *testing.T) {
	h, run := testFeed(100)
	h.say(executor.ToolCall{ID: "c", Name: "n"})
	for i := range 20_000 {
		h.say(executor.TextDelta{Text: fmt.Sprint(i)})
		if len(h.log.events) > 200 {
			t.Fatalf("%d events kept after %d", len(h.log.events), i)
		}
	}
	h.say(executor.ToolResult{ID: "c", Name: "n"}, executor.Done{Reason: executor.ReasonSuccess})
	h.End()
	events := drain(t, h.Subscribe(run))
	last := int64(0)
	for _, e := range events {
		if e.Head().Seq <= last {
			t.Errorf("seq %d after %d", e.Head().Seq, last)
		}
		last = e.Head().Seq
	}
	n := len(events)
	if n != 103 || events[0].Kind() != executor.KindToolCall || events[n-2].Kind() != executor.KindToolResult || events[n-1].Kind() != executor.KindDone {
		t.Errorf("%d events, from %s to %s", n, events[0].Kind(), events[n-1].Kind())
	}
}

func TestAnObserverThatCannotHaveAllOverflows(t *testing.T) {
	h, run := testFeed(10)
	live := h.Subscribe(run)
	read := 0
	for i := range 300 {
		h.say(executor.ToolCall{ID: fmt.Sprint(i), Name: "n"}, executor.ToolResult{ID: fmt.Sprint(i), Name: "n"})
		for range 2 {
			if _, err := live.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			read++
		}
	}
	if len(h.log.events) > 101 {
		t.Errorf("%d events kept", len(h.log.events))
	}
	events := drain(t, h.Subscribe(run)) // ends, though the run goes on
	n := len(events)
	if e, is := events[n-2].(executor.Error); !is || *e.Code != executor.CodeQueueOverflow || events[n-1].Kind() != executor.KindDone {
		t.Errorf("the late observer's last events: %v %v", events[n-2], events[n-1])
	}
	h.say(executor.Done{Reason: executor.ReasonSuccess})
	h.End()
	if got := drain(t, live); len(got) != 1 || got[0].Kind() != executor.KindDone {
		t.Errorf("the other observer got %v after %d", got, read)
	}
}

func TestTheHandleIsBoundWithTheFirstEventThatCanBeSeen(t *testing.T) {
	h, run := testFeed(10)
	h.say(executor.Status{Phase: executor.PhaseInit})
	if _, bound := run.ID(); bound {
		t.Error("bound though nobody looks")
	}
	s := h.Subscribe(run)
	defer s.Close()
	if id, bound := run.ID(); !bound || id != "r" {
		t.Errorf("bound=%v to %q", bound, id)
	}

	h, run = testFeed(10)
	s = h.Subscribe(run)
	if _, bound := run.ID(); bound {
		t.Error("bound before any event")
	}
	h.say(executor.Status{Phase: executor.PhaseInit})
	if _, bound := run.ID(); !bound {
		t.Error("not bound with the first event")
	}
	s.Close()
	if h.Observers() != 0 {
		t.Error("a closed observer is kept")
	}
}

func TestEndedRunGivesAnEndedStream(t *testing.T) {
	h, run := testFeed(10)
	h.say(executor.Done{Reason: executor.ReasonSuccess})
	h.End()
	drain(t, h.Subscribe(run))
	if _, err := h.Subscribe(run).Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	if h.log.events != nil || h.handle != nil {
		t.Error("an ended and observed run is kept")
	}
}

func TestWhoSeesWhat(t *testing.T) {
	h, run := testFeed(10)
	text := func(s string) executor.Event { return executor.TextDelta{Text: s} }
	h.say(text("a"))
	first := h.Subscribe(run)
	h.say(text("b"))
	second := h.Subscribe(run) // late, but the run is live
	closed := h.Subscribe(run)
	_ = closed.Close()
	_ = closed.Close()
	if h.Observers() != 2 {
		t.Errorf("%d observers, want 2", h.Observers())
	}
	h.say(text("c"))
	h.End()
	h.say(text("after the end"))

	want := "abc"
	for name, s := range map[string]executor.Stream{"first": first, "second": second} {
		got := ""
		for _, e := range drain(t, s) {
			got += e.(executor.TextDelta).Text
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
