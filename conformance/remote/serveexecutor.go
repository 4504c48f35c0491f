package remote

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// servedExecutor is an executor adapter of this process.
type servedExecutor struct {
	in   *check.ExecutorInstance
	play *served // the fake that it brings, or nil

	mu      sync.Mutex
	runs    map[string]*executor.Run
	streams map[string]*servedStream
	given   int
}

type servedStream struct {
	stream executor.Stream
	run    *executor.Run
}

func (sv *server) createExecutor(q request) (instance, any, error) {
	var at fakes.Endpoint
	if q.Endpoint != nil {
		at = fakes.Endpoint{Command: q.Endpoint.Command, URL: q.Endpoint.URL, Env: q.Endpoint.Env, Dir: q.Endpoint.Dir}
	}
	in, err := sv.subject.Executor(sv.base, at)
	if err == nil && (in == nil || in.Adapter == nil) {
		err = errors.New("the constructor returned no adapter")
	}
	if err != nil {
		return nil, nil, err
	}
	e := &servedExecutor{in: in, runs: map[string]*executor.Run{}, streams: map[string]*servedStream{}}
	if in.Runtime != nil {
		e.play = playing(sv.base, in.Runtime)
	}
	parts := []string{}
	if _, ok := in.Adapter.(executor.SessionCodec); ok {
		parts = append(parts, partCodec)
	}
	if _, ok := in.Adapter.(executor.Disposer); ok {
		parts = append(parts, partDispose)
	}
	if _, ok := in.Adapter.(executor.Approver); ok {
		parts = append(parts, partApprove)
	}
	return e, map[string]any{"id": in.Adapter.ID(), "participantKind": in.Adapter.ParticipantKind(), "parts": parts}, nil
}

func (e *servedExecutor) close(ctx context.Context) error {
	var all []error
	if d, ok := e.in.Adapter.(executor.Disposer); ok {
		if err := d.Dispose(ctx); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			all = append(all, err)
		}
	}
	if e.in.Close != nil {
		all = append(all, e.in.Close(ctx))
	}
	if e.play != nil {
		all = append(all, e.play.close())
	}
	return errors.Join(all...)
}

// answers, as the protocol words them.
type (
	handleAnswer struct {
		Handle wireHandle `json:"handle"`
	}
	runAnswer struct {
		Run    string     `json:"run"`
		Handle wireHandle `json:"handle"`
	}
	wireHandle struct {
		AdapterID  string  `json:"adapterId"`
		SessionKey string  `json:"sessionKey"`
		RunID      *string `json:"runId"`
	}
)

// valueAnswer is an answer of one value.
func valueAnswer(v any) any { return map[string]any{"value": v} }

func handleOf(run *executor.Run) wireHandle {
	h := wireHandle{AdapterID: run.AdapterID(), SessionKey: run.SessionKey()}
	if id, bound := run.ID(); bound {
		h.RunID = &id
	}
	return h
}

// keep gives a run a name, the same one each time.
func (e *servedExecutor) keep(run *executor.Run) any {
	if run == nil {
		return map[string]any{"handle": nil}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, known := range e.runs {
		if known == run {
			return runAnswer{name, handleOf(run)}
		}
	}
	e.given++
	name := "r" + strconv.Itoa(e.given)
	e.runs[name] = run
	return runAnswer{name, handleOf(run)}
}

// run finds a run, or makes a handle that the adapter never gave out.
func (e *servedExecutor) run(q request) (*executor.Run, error) {
	if q.Run == nil || q.Run.Kind() == 'n' {
		m, _ := membersOf(q.Handle)
		run := executor.NewRun(textOf(m["adapterId"]), textOf(m["sessionKey"]))
		if id, bound := stringOf(m["runId"]); bound {
			run.Bind(id)
		}
		return run, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	run := e.runs[textOf(q.Run)]
	if run == nil {
		return nil, badParams("run: no such run")
	}
	return run, nil
}

func (e *servedExecutor) answer(ctx context.Context, method string, q request) (any, error) {
	a := e.in.Adapter
	switch method {
	case "adapter/id":
		return map[string]any{"id": a.ID(), "participantKind": a.ParticipantKind()}, nil
	case "adapter/capabilities":
		return valueAnswer(rawCapabilities(a.Capabilities())), nil
	case "adapter/health":
		h, err := a.Health(ctx)
		return valueAnswer(h), err
	case "adapter/start":
		return e.start(ctx, q)
	case "adapter/dispose":
		if d, ok := a.(executor.Disposer); ok {
			return struct{}{}, d.Dispose(ctx)
		}
		return nil, errNoMethod
	case "codec/restore":
		codec, ok := a.(executor.SessionCodec)
		if !ok {
			return nil, errNoMethod
		}
		run, err := codec.Restore(ctx, q.Blob)
		return e.keep(run), err
	case "stream/next", "stream/close":
		return e.stream(ctx, method, q)
	case "harness/emit", "harness/fault", "harness/calls":
		if e.play == nil {
			return nil, errNoMethod
		}
		return e.play.answer(ctx, method, q, e)
	}
	run, err := e.run(q)
	if err != nil {
		return nil, err
	}
	switch method {
	case "adapter/abort":
		return struct{}{}, a.Abort(ctx, run)
	case "adapter/setModel":
		return struct{}{}, a.SetModel(ctx, run, q.Model)
	case "adapter/writeContext":
		return struct{}{}, a.WriteContext(ctx, run, q.Key, q.Value)
	case "adapter/approve":
		if p, ok := a.(executor.Approver); ok {
			return struct{}{}, p.Approve(ctx, run, q.ID, q.Allow)
		}
	case "codec/serialize":
		if codec, ok := a.(executor.SessionCodec); ok {
			blob, err := codec.Serialize(ctx, run)
			return valueAnswer(blob), err
		}
	case "handle/get":
		return handleAnswer{handleOf(run)}, nil
	case "stream/open":
		return e.open(run), nil
	}
	return nil, errNoMethod
}

// rawCapabilities keeps a list that is missing missing.
func rawCapabilities(c executor.Capabilities) any {
	b, err := json.Marshal(c)
	if err != nil {
		return nil
	}
	if c.Models != nil {
		return jsontext.Value(b)
	}
	m, _ := membersOf(b)
	delete(m, "models")
	return m
}

func (e *servedExecutor) start(ctx context.Context, q request) (any, error) {
	var task executor.TaskHandle
	var opts executor.StartOpts
	if json.Unmarshal(q.Task, &task) != nil || json.Unmarshal(q.Opts, &opts) != nil {
		return nil, badParams("task and opts: want those of the contract")
	}
	run, err := e.in.Adapter.Start(ctx, task, opts)
	if err != nil {
		return nil, err
	}
	if e.play != nil && run != nil {
		e.play.started(run)
	}
	return e.keep(run), nil
}

func (e *servedExecutor) open(run *executor.Run) any {
	s := e.in.Adapter.Events(run)
	if s == nil {
		return &Rejection{Name: "Error", Message: "events returned no stream"}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.given++
	name := "s" + strconv.Itoa(e.given)
	e.streams[name] = &servedStream{s, run}
	return map[string]string{"stream": name}
}

func (e *servedExecutor) stream(ctx context.Context, method string, q request) (any, error) {
	e.mu.Lock()
	s := e.streams[q.Stream]
	e.mu.Unlock()
	if s == nil {
		return nil, badParams("stream: no such stream")
	}
	if method == "stream/close" {
		return struct{}{}, s.stream.Close()
	}
	event, err := s.stream.Next(ctx)
	out := map[string]any{"handle": handleOf(s.run)}
	var malformed *executor.EventError
	switch {
	case errors.Is(err, io.EOF):
		out["end"] = true
	case errors.As(err, &malformed):
		out["event"] = map[string]any{} // it cannot be read here either
	case err != nil:
		r := rejectionOf(err)
		out["rejected"] = map[string]string{"name": r.Name, "message": r.Message, "code": r.Code}
	case event == nil:
		out["event"] = nil
	default:
		b, err := executor.MarshalEvent(event)
		if err != nil { // it holds what JSON cannot carry
			b = []byte(`{}`)
		}
		out["event"] = jsontext.Value(b)
	}
	return out, nil
}
