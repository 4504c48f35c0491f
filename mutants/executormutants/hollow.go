package executormutants

import (
	"context"
	"errors"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Null returns the subject that answers everything with nothing, over a runtime at
// which nothing ever arrives. It may pass no check at all.
func Null() Variant {
	return Variant{ID: "executor-null", Note: "answers everything with nothing", Subject: func() check.Subject {
		s := subjects.Memory()
		s.Name = "executor-null"
		s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
			return &check.ExecutorInstance{Adapter: null{}, Runtime: deafRuntime{fake.New()}}, nil
		}
		return s
	}}
}

// Hollow returns subjects that pass on what the host says and show nothing of what
// the runtime says. They may pass no check that is about events.
func Hollow() []Variant {
	canned := func(events ...executor.Event) func(executor.StartOpts) []executor.Event {
		return func(executor.StartOpts) []executor.Event { return events }
	}
	text := executor.TextDelta{Text: "all done"}
	call := executor.ToolCall{ID: "t1", Name: "shell", Input: `{"command":"list"}`}
	cost := executor.Cost{Usage: executor.Usage{InputTokens: 150, OutputTokens: 18}}
	code := "quota"
	of := func(id, note string, events func(executor.StartOpts) []executor.Event) Variant {
		id = "executor-hollow-" + id
		return Variant{ID: id, Note: note, Subject: func() check.Subject { return hollowSubject(subjects.Memory(), id, events) }}
	}
	success := canned(executor.Status{Phase: executor.PhaseInit}, text, call,
		executor.ToolResult{ID: "t1", Name: "shell", Output: "a.txt"}, cost, executor.Done{Reason: executor.ReasonSuccess, Summary: "all done"})
	return []Variant{
		of("log", "passes on its arguments and shows nothing", canned()),
		of("success", "replays a run that went well", success),
		{ID: "executor-hollow-connected", Note: "replays a run that went well, and calls itself connected", Subject: func() check.Subject {
			return hollowSubject(subjects.MemoryConnected(), "executor-hollow-connected", success)
		}},
		of("tool-failure", "replays a run with a tool that failed", canned(text, call,
			executor.ToolResult{ID: "t1", Name: "shell", IsError: true}, executor.Done{Reason: executor.ReasonSuccess, Summary: "all done"})),
		of("failure", "replays a run that failed", canned(text, executor.Error{Code: &code, Message: "quota used up", Fatal: true},
			executor.Done{Reason: executor.ReasonError, Summary: "all done"})),
		of("aborted", "replays a run that was aborted", canned(text, executor.Done{Reason: executor.ReasonAborted, Summary: "all done"})),
		of("max-turns", "replays a run that was stopped by a limit", canned(text, executor.Done{Reason: executor.ReasonMaxTurns, Summary: "all done"})),
		of("echo", "says back what it is told", func(o executor.StartOpts) []executor.Event {
			return []executor.Event{executor.TextDelta{Text: o.Message}, executor.Done{Reason: executor.ReasonSuccess, Summary: o.Message}}
		}),
	}
}

// null is the adapter whose every answer is a zero value.
type null struct{}

func (null) ID() string                                      { return "" }
func (null) ParticipantKind() executor.ParticipantKind       { return "" }
func (null) Capabilities() executor.Capabilities             { return executor.Capabilities{} }
func (null) Health(context.Context) (executor.Health, error) { return executor.Health{}, nil }
func (null) Start(context.Context, executor.TaskHandle, executor.StartOpts) (*executor.Run, error) {
	return nil, nil
}
func (null) Events(*executor.Run) executor.Stream                              { return executor.Ended{} }
func (null) Abort(context.Context, *executor.Run) error                        { return nil }
func (null) SetModel(context.Context, *executor.Run, string) error             { return nil }
func (null) WriteContext(context.Context, *executor.Run, string, string) error { return nil }
func (null) Serialize(context.Context, *executor.Run) (string, error)          { return "", nil }
func (null) Restore(context.Context, string) (*executor.Run, error)            { return nil, nil }
func (null) Dispose(context.Context) error                                     { return nil }

// deafRuntime is a runtime at which nothing arrives.
type deafRuntime struct{ fakes.Runtime }

// Next waits for nothing.
func (deafRuntime) Next(ctx context.Context) (fakes.Run, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func hollowSubject(s check.Subject, name string, events func(executor.StartOpts) []executor.Event) check.Subject {
	class := executor.Native
	if s.Offers.Has(fakes.Connected) {
		class = executor.ConnectedSubstrate
	}
	s.Name = name
	s.Declares = check.Declarations{}
	s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		runtime := fake.New()
		h := &hollow{runtime: runtime, class: class, events: events, runs: map[*executor.Run]hollowRun{}}
		return &check.ExecutorInstance{Adapter: h, Runtime: runtime, Close: h.Dispose}, nil
	}
	return s
}

// hollow passes on what the host says and reads nothing.
type hollow struct {
	runtime *fake.Runtime
	class   executor.RuntimeClass
	events  func(executor.StartOpts) []executor.Event

	mu   sync.Mutex
	runs map[*executor.Run]hollowRun
}

type hollowRun struct {
	conn *fake.Conn
	opts executor.StartOpts
}

func (*hollow) ID() string                                { return "hollow" }
func (*hollow) ParticipantKind() executor.ParticipantKind { return executor.Agent }

func (h *hollow) Capabilities() executor.Capabilities {
	return executor.Capabilities{Streaming: true, Steerable: true, Models: []string{"hollow"}, RuntimeClass: h.class}
}

func (h *hollow) Health(ctx context.Context) (executor.Health, error) {
	return executor.Health{OK: h.runtime.Ping(ctx) == nil}, nil
}

func (h *hollow) Start(ctx context.Context, _ executor.TaskHandle, o executor.StartOpts) (*executor.Run, error) {
	conn, err := h.runtime.Open(ctx, fake.Request{Session: o.SessionKey, Message: o.Context + "\n\n" + o.Message, Model: o.Model, Agent: o.AgentID, Blocklist: o.ChildToolBlocklist})
	if err != nil {
		return nil, err
	}
	run := executor.NewRun("hollow", o.SessionKey)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.runs[run] = hollowRun{conn, o}
	return run, nil
}

// Events replays, well numbered and stamped, and lets go of the runtime.
func (h *hollow) Events(run *executor.Run) executor.Stream {
	h.mu.Lock()
	live, known := h.runs[run]
	h.mu.Unlock()
	if !known {
		return executor.Ended{}
	}
	q := executor.NewQueue(executor.QueueOptions{Release: func() { _ = live.conn.Close() }})
	for i, e := range h.events(live.opts) {
		q.Push(e.WithHead(executor.Envelope{RunID: "run-" + run.SessionKey(), TS: 1_700_000_000_000, Seq: int64(i)}))
	}
	q.End()
	return streamFuncs{Stream: q, next: func(ctx context.Context) (executor.Event, error) {
		e, err := q.Next(ctx)
		if err == nil {
			run.Bind(e.Head().RunID)
		}
		return e, err
	}}
}

func (h *hollow) Abort(ctx context.Context, run *executor.Run) error {
	h.mu.Lock()
	live, known := h.runs[run]
	h.mu.Unlock()
	if !known {
		return executor.ErrUnknownRun
	}
	return live.conn.Cancel(ctx)
}

func (h *hollow) SetModel(ctx context.Context, run *executor.Run, model string) error {
	return h.runtime.SetModel(ctx, run.SessionKey(), model)
}

func (h *hollow) WriteContext(ctx context.Context, run *executor.Run, key, value string) error {
	return h.runtime.WriteContext(ctx, run.SessionKey(), key, value)
}

// Dispose closes every connection.
func (h *hollow) Dispose(context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all error
	for _, live := range h.runs {
		all = errors.Join(all, live.conn.Close())
	}
	return all
}
