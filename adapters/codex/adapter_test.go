package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func TestIdentityAndCapabilities(t *testing.T) {
	a := New(Options{})
	if a.ID() != "codex" || a.ParticipantKind() != executor.Agent {
		t.Errorf("%s, %s", a.ID(), a.ParticipantKind())
	}
	want := executor.Capabilities{
		Resume: true, Models: []string{"gpt-5-codex", "gpt-5", "o4-mini"}, RuntimeClass: executor.WrappedOneshot,
		NativeHome:   &executor.NativeHome{Scope: executor.PerIdentity, Persist: true},
		NativeSkills: executor.PreserveNone, NativeMemory: executor.PreserveNone, NativeChannels: executor.NoChannels,
	}
	got := a.Capabilities()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got.Models[0], got.NativeHome.Persist = "changed", false
	if d := cmp.Diff(want, a.Capabilities()); d != "" {
		t.Errorf("the answer is shared (-want +got):\n%s", d)
	}
	for name, test := range map[string]struct {
		o              Options
		mcp, worktrees bool
	}{
		"directory": {Options{Dir: "/w"}, false, true},
		"open":      {Options{Dir: "/w", Sandbox: SandboxNone}, false, false},
		"server":    {Options{Config: []string{`model="x"`, `mcp_servers.s.url="http://localhost"`}}, true, false},
	} {
		if c := New(test.o).Capabilities(); c.MCP != test.mcp || c.Worktrees != test.worktrees {
			t.Errorf("%s: mcp %v worktrees %v", name, c.MCP, c.Worktrees)
		}
	}
}

func testHub(limit int) (*hub, *executor.Run) {
	run := executor.NewRun("codex", "s")
	return newHub(run, "r", Options{QueueMax: limit, Now: func() time.Time { return time.UnixMilli(1) }}), run
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
	h, run := testHub(100)
	h.publish("", executor.ToolCall{ID: "c", Name: "n"})
	for i := range 20_000 {
		h.publish("", executor.TextDelta{Text: fmt.Sprint(i)})
		if len(h.log) > 200 {
			t.Fatalf("%d events kept after %d", len(h.log), i)
		}
	}
	h.publish("", executor.ToolResult{ID: "c", Name: "n"}, executor.Done{Reason: executor.ReasonSuccess})
	h.end()
	events := drain(t, h.subscribe(run))
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
	h, run := testHub(10)
	live := h.subscribe(run)
	read := 0
	for i := range 300 {
		h.publish("", executor.ToolCall{ID: fmt.Sprint(i), Name: "n"}, executor.ToolResult{ID: fmt.Sprint(i), Name: "n"})
		for range 2 {
			if _, err := live.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			read++
		}
	}
	if len(h.log) > 101 {
		t.Errorf("%d events kept", len(h.log))
	}
	events := drain(t, h.subscribe(run)) // ends, though the run goes on
	n := len(events)
	if e, is := events[n-2].(executor.Error); !is || *e.Code != executor.CodeQueueOverflow || events[n-1].Kind() != executor.KindDone {
		t.Errorf("the late observer's last events: %v %v", events[n-2], events[n-1])
	}
	h.publish("", executor.Done{Reason: executor.ReasonSuccess})
	h.end()
	if got := drain(t, live); len(got) != 1 || got[0].Kind() != executor.KindDone {
		t.Errorf("the other observer got %v after %d", got, read)
	}
}

func TestTheHandleIsBoundWithTheFirstEventThatCanBeSeen(t *testing.T) {
	h, run := testHub(10)
	h.publish("", executor.Status{Phase: executor.PhaseInit})
	if _, bound := run.ID(); bound {
		t.Error("bound though nobody looks")
	}
	s := h.subscribe(run)
	defer s.Close()
	if id, bound := run.ID(); !bound || id != "r" {
		t.Errorf("bound=%v to %q", bound, id)
	}

	h, run = testHub(10)
	s = h.subscribe(run)
	if _, bound := run.ID(); bound {
		t.Error("bound before any event")
	}
	h.publish("", executor.Status{Phase: executor.PhaseInit})
	if _, bound := run.ID(); !bound {
		t.Error("not bound with the first event")
	}
	s.Close()
	if len(h.observers) != 0 {
		t.Error("a closed observer is kept")
	}
}

func TestHandlesAreForgottenWithTheirOwner(t *testing.T) {
	a := New(Options{})
	for i := range 50 {
		blob := fmt.Sprintf(`{"v":1,"sessionKey":"s%d","thread":"","totals":{"input":0,"cached":0,"output":0}}`, i)
		if _, err := a.Restore(t.Context(), blob); err != nil {
			t.Fatal(err)
		}
	}
	known := func() int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.handles)
	}
	for range 1000 {
		if known() == 0 {
			return
		}
		runtime.GC()
		runtime.Gosched()
	}
	t.Errorf("%d handles are kept", known())
}

func TestEndedRunGivesAnEndedStream(t *testing.T) {
	h, run := testHub(10)
	h.publish("", executor.Done{Reason: executor.ReasonSuccess})
	h.end()
	drain(t, h.subscribe(run))
	if _, err := h.subscribe(run).Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	if h.log != nil || h.handle != nil {
		t.Error("an ended and observed run is kept")
	}
}
