package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// The optional parts of an executor adapter, as instance/create lists them.
const (
	partCodec   = "codec"
	partDispose = "dispose"
	partApprove = "approve"
)

// adapter is the proxy of an adapter in the subject. It has all optional parts;
// those that the subject's adapter lacks are errors.ErrUnsupported.
type adapter struct {
	p    *Process
	s    *session
	name string
	// life ends when the instance is closed. Some methods of the contract have no
	// context: whoever calls them waits in a budget of its own.
	life   context.Context
	finish context.CancelFunc
	parts  []string
	play   *harness // nil in wire mode

	mu   sync.Mutex
	runs map[*executor.Run]*handle
}

var (
	_ executor.Adapter      = (*adapter)(nil)
	_ executor.SessionCodec = (*adapter)(nil)
	_ executor.Disposer     = (*adapter)(nil)
	_ executor.Approver     = (*adapter)(nil)
	_ check.Misread         = (*adapter)(nil)
)

type newExecutor struct {
	Instance string    `json:"instance"`
	Contract string    `json:"contract"`
	Endpoint *endpoint `json:"endpoint,omitzero"`
}

type endpoint struct {
	Command []string `json:"command,omitzero"`
	URL     string   `json:"url,omitzero"`
	Env     []string `json:"env,omitzero"`
	Dir     string   `json:"dir,omitzero"`
}

// executor makes an adapter in the subject.
func (p *Process) executor(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
	a := &adapter{p: p, runs: map[*executor.Run]*handle{}}
	a.life, a.finish = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	if a.s, a.name, err = p.instance(ctx, a); err != nil {
		a.finish()
		return nil, err
	}
	params := newExecutor{Instance: a.name, Contract: contractExecutor}
	if p.hello.Mode == modeWire {
		params.Endpoint = &endpoint{at.Command, at.URL, at.Env, at.Dir}
	}
	made, err := a.s.ask(ctx, "instance/create", params)
	if err != nil {
		a.finish()
		p.forget(a.name)
		return nil, err
	}
	parts, _ := listOf(made.Parts)
	for _, part := range parts {
		a.parts = append(a.parts, textOf(part))
	}
	in := &check.ExecutorInstance{Adapter: a, Close: a.close}
	if p.hello.Mode == modeHarness {
		a.play = newHarness(a)
		in.Runtime = a.play
	}
	return in, nil
}

// instanceOnly are the parameters of a method without any of its own.
type instanceOnly struct {
	Instance string `json:"instance"`
}

func (a *adapter) self() instanceOnly { return instanceOnly{a.name} }

// close ends the instance in the subject and whoever still waits for an answer.
func (a *adapter) close(ctx context.Context) error {
	defer a.finish()
	defer a.p.forget(a.name)
	_, err := a.s.ask(ctx, "instance/close", a.self())
	return err
}

// has reports whether the subject's adapter has an optional part.
func (a *adapter) has(part string) error {
	if slices.Contains(a.parts, part) {
		return nil
	}
	return fmt.Errorf("%s: %w", part, errors.ErrUnsupported)
}

// must is for the methods that cannot return an error: what the adapter throws is
// thrown on. An instance that is closed has nothing to say any more.
func (a *adapter) must(r reply, err error) reply {
	if err != nil && a.life.Err() == nil {
		panic(err)
	}
	return r
}

// ID is what the subject says now; empty if that is no string.
func (a *adapter) ID() string {
	return textOf(a.must(a.s.ask(a.life, "adapter/id", a.self())).ID)
}

// ParticipantKind is what the subject says now; empty if that is no string.
func (a *adapter) ParticipantKind() executor.ParticipantKind {
	return executor.ParticipantKind(textOf(a.must(a.s.ask(a.life, "adapter/id", a.self())).ParticipantKind))
}

// Capabilities is what the subject says now; see readCapabilities.
func (a *adapter) Capabilities() executor.Capabilities {
	c, _ := readCapabilities(a.must(a.s.ask(a.life, "adapter/capabilities", a.self())).Value)
	return c
}

// MisreadCapabilities is what of them Go has no place for.
func (a *adapter) MisreadCapabilities(ctx context.Context) ([]check.Code, error) {
	r, err := a.s.ask(ctx, "adapter/capabilities", a.self())
	if err != nil {
		return nil, err
	}
	_, misread := readCapabilities(r.Value)
	return misread, nil
}

// Health is what the subject says; an answer of another shape is an error.
func (a *adapter) Health(ctx context.Context) (executor.Health, error) {
	r, err := a.s.ask(ctx, "adapter/health", a.self())
	if err != nil {
		return executor.Health{}, err
	}
	m, ok := membersOf(r.Value)
	if !ok {
		return executor.Health{}, errors.New("health: want an object")
	}
	if k := m["ok"].Kind(); k != 't' && k != 'f' {
		return executor.Health{}, errors.New("health, field ok: want a boolean")
	}
	text, isText := stringOf(m["message"])
	if !isText && !absent(m["message"]) {
		return executor.Health{}, errors.New("health, field message: want a string")
	}
	return executor.Health{OK: isTrue(m["ok"]), Message: text}, nil
}

type startParams struct {
	Instance string              `json:"instance"`
	Task     executor.TaskHandle `json:"task"`
	Opts     executor.StartOpts  `json:"opts"`
}

// Start begins a run.
func (a *adapter) Start(ctx context.Context, task executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	seen := 0
	if a.play != nil {
		seen = a.play.seen(ctx)
	}
	r, err := a.s.ask(ctx, "adapter/start", startParams{a.name, task, opts})
	if err != nil {
		return nil, err
	}
	h, err := a.adopt("adapter/start", r)
	if err != nil || h == nil {
		return nil, err
	}
	if a.play != nil {
		a.play.started(h, opts, seen)
	}
	return h.run, nil
}

type runOnly struct {
	Instance string `json:"instance"`
	ref      `json:",inline"`
}

// refresh looks at the subject's handle after a call that may have changed it.
func (a *adapter) refresh(ctx context.Context, h *handle) {
	if h == nil {
		return
	}
	if r, err := a.s.ask(ctx, "handle/get", runOnly{a.name, ref{Run: h.name}}); err == nil {
		h.show(r)
	}
}

// control makes a call about a run that answers with nothing.
func (a *adapter) control(ctx context.Context, method string, h *handle, about act, params any) error {
	if a.play != nil && h != nil {
		a.play.acts(ctx, h, about)
	}
	_, err := a.s.ask(ctx, method, params)
	a.refresh(ctx, h)
	return err
}

// Abort asks the adapter to stop the run.
func (a *adapter) Abort(ctx context.Context, run *executor.Run) error {
	r, h := a.ref(run)
	return a.control(ctx, "adapter/abort", h, act{}, runOnly{a.name, r})
}

type modelParams struct {
	Instance string `json:"instance"`
	ref      `json:",inline"`
	Model    string `json:"model"`
}

// SetModel asks for another model.
func (a *adapter) SetModel(ctx context.Context, run *executor.Run, model string) error {
	r, h := a.ref(run)
	return a.control(ctx, "adapter/setModel", h, act{}, modelParams{a.name, r, model})
}

type contextParams struct {
	Instance string `json:"instance"`
	ref      `json:",inline"`
	Key      string `json:"key"`
	Value    string `json:"value"`
}

// WriteContext gives the adapter a piece of context.
func (a *adapter) WriteContext(ctx context.Context, run *executor.Run, key, value string) error {
	r, h := a.ref(run)
	return a.control(ctx, "adapter/writeContext", h, act{key: key, value: value}, contextParams{a.name, r, key, value})
}

type approveParams struct {
	Instance string `json:"instance"`
	ref      `json:",inline"`
	ID       string `json:"id"`
	Allow    bool   `json:"allow"`
}

// Approve answers a question.
func (a *adapter) Approve(ctx context.Context, run *executor.Run, id string, allow bool) error {
	if err := a.has(partApprove); err != nil {
		return err
	}
	r, h := a.ref(run)
	return a.control(ctx, "adapter/approve", h, act{question: id}, approveParams{a.name, r, id, allow})
}

// Dispose releases what the adapter holds.
func (a *adapter) Dispose(ctx context.Context) error {
	if err := a.has(partDispose); err != nil {
		return err
	}
	_, err := a.s.ask(ctx, "adapter/dispose", a.self())
	return err
}

// Serialize writes the run's session down. What is no text is an error.
func (a *adapter) Serialize(ctx context.Context, run *executor.Run) (string, error) {
	if err := a.has(partCodec); err != nil {
		return "", err
	}
	at, _ := a.ref(run)
	r, err := a.s.ask(ctx, "codec/serialize", runOnly{a.name, at})
	if err != nil {
		return "", err
	}
	blob, ok := stringOf(r.Value)
	if !ok {
		return "", errors.New("serialized session: want a string")
	}
	return blob, nil
}

type restoreParams struct {
	Instance string `json:"instance"`
	Blob     string `json:"blob"`
}

// Restore takes a session over from a blob.
func (a *adapter) Restore(ctx context.Context, blob string) (*executor.Run, error) {
	if err := a.has(partCodec); err != nil {
		return nil, err
	}
	r, err := a.s.ask(ctx, "codec/restore", restoreParams{a.name, blob})
	if err != nil {
		return nil, err
	}
	h, err := a.adopt("codec/restore", r)
	if err != nil || h == nil {
		return nil, err
	}
	return h.run, nil
}
