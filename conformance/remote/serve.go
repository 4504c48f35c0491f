package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Serve speaks the protocol for a Go subject on two streams, until the input ends
// or ctx does. A subject with a Runtime is in wire mode, any other plays its own
// fake. It returns nil when the input has ended and all instances are closed.
//
//	func main() {
//		err := remote.Serve(context.Background(), os.Stdin, os.Stdout, subject)
//		…
//	}
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser, s check.Subject) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sv := &server{subject: s, base: ctx, instances: map[string]instance{}}
	rpc := jrpc2.NewServer(sv, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true,
		Concurrency: 1 << 20, // a pull waits as long as it likes
		NewContext:  func() context.Context { return ctx },
	})
	sv.rpc = rpc
	rpc.Start(&quietEnd{Channel: channel.Line(in, out), cancel: cancel})
	stop := context.AfterFunc(ctx, rpc.Stop)
	defer stop()
	err := rpc.Wait()
	sv.closeAll(context.WithoutCancel(ctx))
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve %s: %w", s.Name, err)
	}
	return nil
}

// quietEnd ends whatever still waits when the input has ended: the suite is gone.
type quietEnd struct {
	channel.Channel
	cancel context.CancelFunc
}

// Recv reads one line.
func (q *quietEnd) Recv() ([]byte, error) {
	b, err := q.Channel.Recv()
	if err != nil {
		q.cancel()
	}
	return b, err
}

// server answers the requests of one suite.
type server struct {
	subject check.Subject
	// base lives as long as the conversation: what an instance is built with may
	// outlive the request that made it.
	base context.Context
	rpc  *jrpc2.Server

	mu        sync.Mutex
	instances map[string]instance
}

// instance is one adapter. It answers every method but those of its life.
type instance interface {
	answer(ctx context.Context, method string, q request) (any, error)
	close(ctx context.Context) error
}

// request is every parameter of the protocol.
type request struct {
	Instance string `json:"instance"`

	// instance/create
	Contract string         `json:"contract"`
	Endpoint *endpoint      `json:"endpoint"`
	Fixture  jsontext.Value `json:"fixture"`

	// adapter, codec, stream
	Task   jsontext.Value `json:"task"`
	Opts   jsontext.Value `json:"opts"`
	Run    jsontext.Value `json:"run"`
	Handle jsontext.Value `json:"handle"`
	Model  string         `json:"model"`
	Key    string         `json:"key"`
	Value  string         `json:"value"`
	ID     string         `json:"id"`
	Allow  bool           `json:"allow"`
	Blob   string         `json:"blob"`
	Stream string         `json:"stream"`

	// harness
	Frame   jsontext.Value `json:"frame"`
	Frames  jsontext.Value `json:"frames"`
	Fault   string         `json:"fault"`
	Delay   int            `json:"delay"`
	Session string         `json:"session"`

	// history
	Requested jsontext.Value `json:"requested"`
	Provider  string         `json:"provider"`
	Payload   jsontext.Value `json:"payload"`
	Message   jsontext.Value `json:"message"`
	Texts     []string       `json:"texts"`
}

// errNoMethod is the answer to a method that an instance does not have.
var errNoMethod = &jrpc2.Error{Code: rpcNoMethod, Message: "no such method"}

func badParams(format string, args ...any) error { return jrpc2.Errorf(rpcBadParams, format, args...) }

// Assign gives every method the same handler.
func (sv *server) Assign(context.Context, string) jrpc2.Handler { return sv.handle }

func (sv *server) handle(ctx context.Context, req *jrpc2.Request) (any, error) {
	if req.Method() == "initialize" {
		return sv.initialize(req)
	}
	var q request
	if err := json.Unmarshal([]byte(req.ParamString()), &q, lax()[0], lax()[1]); err != nil {
		return nil, badParams("%s: the parameters cannot be read", req.Method())
	}
	out, err := guarded(func() (any, error) { return sv.route(ctx, req.Method(), q) })
	return reported(out, err)
}

// guarded makes a rejection out of a panic.
func guarded(f func() (any, error)) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Rejection{Name: "panic", Message: fmt.Sprint(p)}
		}
	}()
	return f()
}

// reported turns a failure of the adapter into an ordinary answer.
func reported(out any, err error) (any, error) {
	if err != nil {
		var refused *jrpc2.Error
		if errors.As(err, &refused) {
			return nil, refused
		}
		var r *Rejection
		if !errors.As(err, &r) {
			r = rejectionOf(err)
		}
		out = map[string]any{"rejected": map[string]string{"name": r.Name, "message": r.Message, "code": r.Code}}
	}
	b, err := json.Marshal(out, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, jrpc2.Errorf(rpcInternal, "the answer cannot be written: %v", err)
	}
	return jsontext.Value(b), nil
}

func (sv *server) initialize(req *jrpc2.Request) (any, error) {
	var g greeting
	if json.Unmarshal([]byte(req.ParamString()), &g) != nil || g.Protocol != Version {
		return nil, badParams("protocol: want %s", Version)
	}
	s := sv.subject
	h := hello{
		Protocol: Version, Name: s.Name, Contracts: []string{}, Features: slices.Clone(s.Offers),
		Declares: declares{s.Declares.SecondStart, s.Declares.Queue, s.Declares.Blocklist},
		Batch:    true,
	}
	h.Features = slices.DeleteFunc(h.Features, func(f check.Feature) bool { return f == fakes.InProcess })
	if h.Features == nil {
		h.Features = []check.Feature{}
	}
	if s.Executor != nil {
		h.Contracts, h.Mode = append(h.Contracts, contractExecutor), modeHarness
		if s.Runtime != nil {
			h.Mode = modeWire
		}
	}
	if s.History != nil {
		h.Contracts = append(h.Contracts, contractHistory)
	}
	b, err := json.Marshal(h)
	return jsontext.Value(b), err
}

func (sv *server) route(ctx context.Context, method string, q request) (any, error) {
	if method == "instance/create" {
		return sv.create(q)
	}
	sv.mu.Lock()
	in, ok := sv.instances[q.Instance]
	if method == "instance/close" {
		delete(sv.instances, q.Instance)
	}
	sv.mu.Unlock()
	switch {
	case !ok:
		return nil, badParams("%s: no such instance", method)
	case method == "instance/close":
		return struct{}{}, in.close(ctx)
	}
	return in.answer(ctx, method, q)
}

func (sv *server) create(q request) (any, error) {
	var in instance
	var is any
	var err error
	switch {
	case q.Contract == contractExecutor && sv.subject.Executor != nil:
		in, is, err = sv.createExecutor(q)
	case q.Contract == contractHistory && sv.subject.History != nil:
		in, is, err = sv.createHistory(q)
	default:
		return nil, badParams("contract: this subject has no such adapter")
	}
	if err != nil {
		return nil, err
	}
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.instances[q.Instance] = in
	return is, nil
}

// closeAll closes what the suite left open.
func (sv *server) closeAll(ctx context.Context) {
	sv.mu.Lock()
	left := sv.instances
	sv.instances = map[string]instance{}
	sv.mu.Unlock()
	for _, in := range left {
		_, _ = guarded(func() (any, error) { return nil, in.close(ctx) })
	}
}

// ask calls the suite back. Who asked may stop waiting; the call-back itself cannot be
// taken back: the library would take its late answer for a request.
func (sv *server) ask(ctx context.Context, method string, params any) (jsontext.Value, error) {
	b, err := json.Marshal(params, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	type answer struct {
		said *jrpc2.Response
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		said, err := sv.rpc.Callback(sv.base, method, jsontext.Value(b))
		answered <- answer{said, err}
	}()
	var a answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	if a.err != nil {
		return nil, fmt.Errorf("%s: %w", method, a.err)
	}
	return jsontext.Value(a.said.ResultString()), nil
}
