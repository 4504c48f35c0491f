package executor_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// in moves an event to another run and session.
func in(run, session string, e executor.Event) executor.Event {
	h := e.Head()
	h.RunID, h.SessionID, h.TS = run, &session, 10*h.Seq
	return e.WithHead(h)
}

func partial(seq int64, id string) executor.Event {
	return executor.ToolCall{Envelope: head(seq), ID: id, Name: "tool-" + id, Partial: true}
}

func TestQueueOverflow(t *testing.T) {
	for _, c := range []struct {
		name string
		push []executor.Event // the last one is refused
		want []string
	}{
		{
			"nothing open",
			[]executor.Event{cost(1), cost(2), cost(3)},
			[]string{"r error queue-overflow 3", "r done error 4"},
		},
		{
			"open calls are answered in order of announcement",
			[]executor.Event{call(1, "b"), call(2, "a"), call(3, "c"), result(4, "a"), cost(5)},
			[]string{"r result b 5", "r result c 6", "r error queue-overflow 7", "r done error 8"},
		},
		{
			"a partial call is not callable, so nothing answers it",
			[]executor.Event{partial(1, "p"), partial(2, "w"), call(3, "w"), cost(4)},
			[]string{"r result w 4", "r error queue-overflow 5", "r done error 6"},
		},
		{
			"a refused result leaves its call open",
			[]executor.Event{call(1, "a"), result(2, "a")},
			[]string{"r result a 2", "r error queue-overflow 3", "r done error 4"},
		},
		{
			"a refused call is not announced",
			[]executor.Event{cost(1), call(2, "a")},
			[]string{"r error queue-overflow 2", "r done error 3"},
		},
		{
			"a refused done becomes done(error)",
			[]executor.Event{cost(1), done(2)},
			[]string{"r error queue-overflow 2", "r done error 3"},
		},
		{
			"numbers go on from the last event, gaps or not",
			[]executor.Event{cost(10), cost(70), cost(90)},
			[]string{"r error queue-overflow 71", "r done error 72"},
		},
		{
			"an ended run is left alone, the refused event's run is closed",
			[]executor.Event{call(1, "a"), done(2), in("r2", "s", cost(3))},
			[]string{"r2 error queue-overflow 3", "r2 done error 4"},
		},
		{
			"every live run is closed, oldest first",
			[]executor.Event{cost(1), in("r2", "s", call(2, "x")), in("r3", "s", done(3)), in("r2", "s", cost(4))},
			[]string{"r error queue-overflow 4", "r done error 5", "r2 result x 6", "r2 error queue-overflow 7", "r2 done error 8"},
		},
		{
			"a straggler of the ended run opens nothing",
			[]executor.Event{cost(1), done(2), cost(3)},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, last := c.push[:len(c.push)-1], c.push[len(c.push)-1]
			q := executor.NewQueue(executor.QueueOptions{Max: 1, Hard: len(kept)})
			for _, e := range kept {
				if !q.Push(e) {
					t.Fatalf("%s was refused", brief(e))
				}
			}
			for range 2 {
				if q.Push(last) {
					t.Fatalf("%s was taken", brief(last))
				}
			}
			events := drain(t, q)
			if diff := cmp.Diff(kept, events[:len(kept)]); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			var got []string
			for _, e := range events[len(kept):] {
				got = append(got, closing(t, e))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("closing (-want +got):\n%s", diff)
			}
		})
	}
}

// closing writes an event of an overflow with what matters of it.
func closing(t *testing.T, e executor.Event) string {
	t.Helper()
	h := e.Head()
	switch e := e.(type) {
	case executor.ToolResult:
		if !e.IsError || e.Name != "tool-"+e.ID || e.Output == "" {
			t.Errorf("result %+v", e)
		}
		return fmt.Sprintf("%s result %s %d", h.RunID, e.ID, h.Seq)
	case executor.Error:
		if !e.Fatal || e.Message == "" {
			t.Errorf("error %+v", e)
		}
		return fmt.Sprintf("%s error %s %d", h.RunID, *e.Code, h.Seq)
	case executor.Done:
		if e.Summary == "" {
			t.Error("done without a summary")
		}
		return fmt.Sprintf("%s done %s %d", h.RunID, e.Reason, h.Seq)
	default:
		t.Fatalf("a %s event closes nothing", e.Kind())
		return ""
	}
}

// The closing events carry the session of their run and the time of the event
// that was refused.
func TestQueueOverflowEnvelope(t *testing.T) {
	q := executor.NewQueue(executor.QueueOptions{Max: 1, Hard: 1})
	q.Push(in("r1", "s1", call(1, "a")))
	q.Push(in("r2", "s2", call(2, "b")))
	one, two := "s1", "s2"
	want := []executor.Envelope{
		{RunID: "r1", SessionID: &one, TS: 10, Seq: 1},
		{RunID: "r1", SessionID: &one, TS: 20, Seq: 2},
		{RunID: "r1", SessionID: &one, TS: 20, Seq: 3},
		{RunID: "r1", SessionID: &one, TS: 20, Seq: 4},
		{RunID: "r2", SessionID: &two, TS: 20, Seq: 5},
		{RunID: "r2", SessionID: &two, TS: 20, Seq: 6},
	}
	var got []executor.Envelope
	for _, e := range drain(t, q) {
		got = append(got, e.Head())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("envelopes (-want +got):\n%s", diff)
	}
}

// Hard defaults to ten times Max, and the closing events have room beyond it.
func TestQueueHardDefault(t *testing.T) {
	q := executor.NewQueue(executor.QueueOptions{Max: 3})
	for seq := int64(1); seq <= 30; seq++ {
		if !q.Push(call(seq, fmt.Sprint(seq))) {
			t.Fatalf("call %d was refused", seq)
		}
	}
	if q.Push(cost(31)) {
		t.Error("the 31st item was taken")
	}
	events := drain(t, q)
	if want := 30 + 30 + 2; len(events) != want {
		t.Errorf("%d events, want %d", len(events), want)
	}
	for i, e := range events[30:60] {
		if got, want := closing(t, e), fmt.Sprintf("r result %d %d", i+1, i+31); got != want {
			t.Errorf("closing event %d is %s, want %s", i, got, want)
		}
	}
	want := executor.Done{Envelope: head(62), Reason: executor.ReasonError}
	if diff := cmp.Diff(executor.Event(want), events[len(events)-1], cmpopts.IgnoreFields(executor.Done{}, "Summary")); diff != "" {
		t.Errorf("last (-want +got):\n%s", diff)
	}
}
