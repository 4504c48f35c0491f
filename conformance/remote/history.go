package remote

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// The optional parts of a history adapter, as instance/create lists them.
const (
	partEmbedding = "embedding"
	partCounters  = "local-kv-diagnostics"
)

// The ports of a fixture.
const (
	portEmbedding   = "embedding"
	portLocalKV     = "local-kv"
	portIdleLocalKV = "local-kv-idle"
)

// past is the proxy of a history adapter in the subject.
type past struct {
	p    *Process
	s    *session
	name string
	// life ends when the instance is closed, see adapter.
	life     context.Context
	finish   context.CancelFunc
	identity history.Identity

	transport history.Transport
	ports     check.Ports

	mu      sync.Mutex
	outputs []output // of the transport and the ports
}

var _ history.Adapter = (*past)(nil)

// output is a value that the suite gave to the subject. When the same JSON comes
// back it is the value that the suite had in its hands, whatever Go type that is.
type output struct {
	text  string
	value any
}

type newHistory struct {
	Instance string      `json:"instance"`
	Contract string      `json:"contract"`
	Fixture  wireFixture `json:"fixture"`
}

type wireFixture struct {
	RuntimeID string                     `json:"runtimeId"`
	SessionID string                     `json:"sessionId"`
	Root      string                     `json:"root"`
	Dir       string                     `json:"dir"`
	Model     *history.Model             `json:"model"`
	Messages  []history.Message          `json:"messages"`
	Ports     []string                   `json:"ports"`
	Embedding *history.EmbeddingIdentity `json:"embedding,omitzero"`
}

// history makes an adapter in the subject, over the fixture.
func (p *Process) history(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
	a := &past{p: p, transport: f.Transport, ports: f.Ports}
	a.life, a.finish = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	if a.s, a.name, err = p.instance(ctx, a); err != nil {
		a.finish()
		return nil, err
	}
	made, err := a.s.ask(ctx, "instance/create", newHistory{a.name, contractHistory, fixtureToWire(f)})
	if err != nil {
		a.finish()
		p.forget(a.name)
		return nil, err
	}
	a.identity = readIdentity(made.Identity)
	in := &check.HistoryInstance{Adapter: a.withParts(made.Parts), Root: textOf(made.Root), Close: a.close}
	if file := textOf(made.HistoryFile); filepath.IsAbs(file) {
		in.Source = source{a, file, isTrue(made.Append)}
	}
	return in, nil
}

func fixtureToWire(f check.Fixture) wireFixture {
	w := wireFixture{RuntimeID: f.RuntimeID, SessionID: f.SessionID, Root: f.Root, Dir: f.Dir, Messages: f.Messages, Ports: []string{}}
	if w.Messages == nil {
		w.Messages = []history.Message{}
	}
	if f.Model.ID != "" {
		w.Model = &f.Model
	}
	if f.Ports.Embedding != nil {
		id := f.Ports.Embedding.Identity()
		w.Ports, w.Embedding = append(w.Ports, portEmbedding), &id
	}
	if f.Ports.LocalKV != nil {
		w.Ports = append(w.Ports, portLocalKV)
	}
	if f.Ports.IdleLocalKV != nil {
		w.Ports = append(w.Ports, portIdleLocalKV)
	}
	return w
}

// readIdentity reads what a subject says; what is no string is blank.
func readIdentity(raw jsontext.Value) history.Identity {
	m, _ := membersOf(raw)
	return history.Identity{
		RuntimeID: textOf(m["runtimeId"]), AdapterName: textOf(m["adapterName"]),
		AdapterVersion: textOf(m["adapterVersion"]), ContractVersion: textOf(m["contractVersion"]),
	}
}

func (a *past) self() instanceOnly { return instanceOnly{a.name} }

// close ends the instance in the subject.
func (a *past) close(ctx context.Context) error {
	defer a.finish()
	defer a.p.forget(a.name)
	_, err := a.s.ask(ctx, "instance/close", a.self())
	return err
}

// must is as for executor adapters.
func (a *past) must(r reply, err error) reply {
	if err != nil && a.life.Err() == nil {
		panic(err)
	}
	return r
}

// Identity is what the subject said when the adapter was made.
func (a *past) Identity() history.Identity { return a.identity }

// CapabilityDeclarations is what the subject says now; what is no list declares
// nothing.
func (a *past) CapabilityDeclarations() []history.Declaration {
	r := a.must(a.s.ask(a.life, "history/declarations", a.self()))
	return readList[history.Declaration](r.Value)
}

type negotiateParams struct {
	Instance  string            `json:"instance"`
	Requested []history.Request `json:"requested"`
}

// NegotiateCapabilities is what the subject settles; a part of its answer that
// cannot be read is empty.
func (a *past) NegotiateCapabilities(requested []history.Request) history.Negotiation {
	if requested == nil {
		requested = []history.Request{}
	}
	m, _ := membersOf(a.must(a.s.ask(a.life, "history/negotiate", negotiateParams{a.name, requested})).Value)
	return history.Negotiation{
		ContractVersion: textOf(m["contractVersion"]),
		Statuses:        readList[history.Status](m["statuses"]),
		Enabled:         readList[history.Capability](m["enabled"]),
		Disabled:        readList[history.Capability](m["disabled"]),
		Diagnostics:     readList[history.Diagnostic](m["diagnostics"]),
	}
}

// readList reads a list; an element that cannot be read is a zero one, and what is
// no list is nil.
func readList[T any](raw jsontext.Value) []T {
	list, ok := listOf(raw)
	if !ok {
		return nil
	}
	out := make([]T, len(list))
	for i, v := range list {
		if err := json.Unmarshal(v, &out[i]); err != nil {
			var zero T
			out[i] = zero
		}
	}
	return out
}

func (a *past) snapshot(ctx context.Context, method string) (history.Snapshot, error) {
	r, err := a.s.ask(ctx, method, a.self())
	if err != nil {
		return history.Snapshot{}, err
	}
	if r.Value.Kind() != '{' {
		return history.Snapshot{}, badReply(method, "snapshot")
	}
	return history.ParseSnapshot(r.Value)
}

// SnapshotHistory reads the history; a snapshot that cannot be read is a
// [*history.ShapeError].
func (a *past) SnapshotHistory(ctx context.Context) (history.Snapshot, error) {
	return a.snapshot(ctx, "history/snapshot")
}

// RebuildDerivedState reads it again.
func (a *past) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	return a.snapshot(ctx, "history/rebuild")
}

// CurrentModel is the selected model. What is neither nothing nor a model is an
// error.
func (a *past) CurrentModel(ctx context.Context) (*history.Model, error) {
	r, err := a.s.ask(ctx, "history/model", a.self())
	if err != nil || absent(r.Value) {
		return nil, err
	}
	var m history.Model
	if err := json.Unmarshal(r.Value, &m); err != nil {
		return nil, errors.New("model: want an object with provider, id and contextWindow, or nothing")
	}
	return &m, nil
}

// TrustedProjectRoot is the root. What is no string is an error.
func (a *past) TrustedProjectRoot(ctx context.Context) (string, error) {
	r, err := a.s.ask(ctx, "history/root", a.self())
	if err != nil {
		return "", err
	}
	root, ok := stringOf(r.Value)
	if !ok {
		return "", errors.New("trusted project root: want a string")
	}
	return root, nil
}

type privacyParams struct {
	Instance string         `json:"instance"`
	Provider string         `json:"provider"`
	Payload  jsontext.Value `json:"payload"`
}

// EnforcePrivacy asks what may be sent. The payload crosses as plain data and
// tokens.
func (a *past) EnforcePrivacy(ctx context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	r, err := a.s.ask(ctx, "history/enforcePrivacy", privacyParams{a.name, req.Provider, toWire(req.Payload)})
	if err != nil {
		return history.PrivacyResult{}, err
	}
	m, ok := membersOf(r.Value)
	if !ok {
		return history.PrivacyResult{}, errors.New("privacy result: want an object")
	}
	var s history.PrivacySummary
	if err := json.Unmarshal(r.Value, &s); err != nil {
		return history.PrivacyResult{}, errors.New("privacy result: a field has a wrong type")
	}
	return history.PrivacyResult{
		Provider: s.Provider, Destination: s.Destination, Payload: fromWire(m["payload"]),
		Changed: s.Changed, BlockedBlocks: s.BlockedBlocks, SecretRedactions: s.SecretRedactions,
	}, nil
}

type completeParams struct {
	Instance string         `json:"instance"`
	Provider string         `json:"provider"`
	Model    string         `json:"model"`
	Payload  jsontext.Value `json:"payload"`
}

// Complete asks for a completion, which comes back through the suite's transport.
func (a *past) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	r, err := a.s.ask(ctx, "history/complete", completeParams{a.name, req.Provider, req.Model, toWire(req.Payload)})
	if err != nil {
		return history.CompletionResult{}, err
	}
	var w struct {
		Status    history.CompletionStatus `json:"status"`
		Output    jsontext.Value           `json:"output"`
		Privacy   *history.PrivacySummary  `json:"privacy"`
		LocalKV   *history.LocalKVUse      `json:"localKv"`
		Code      history.FallbackCode     `json:"code"`
		Reason    string                   `json:"reason"`
		Retryable bool                     `json:"retryable"`
	}
	if r.Value.Kind() != '{' || json.Unmarshal(r.Value, &w) != nil {
		return history.CompletionResult{}, errors.New("completion: want an object with a status, and no field of a wrong type")
	}
	return history.CompletionResult{
		Status: w.Status, Output: a.given(w.Output), Privacy: w.Privacy, LocalKV: w.LocalKV,
		Code: w.Code, Reason: w.Reason, Retryable: w.Retryable,
	}, nil
}

// gives remembers a value on its way to the subject.
func (a *past) gives(value any) jsontext.Value {
	raw := toWire(value)
	a.mu.Lock()
	defer a.mu.Unlock()
	const most = 1000
	if len(a.outputs) < most {
		a.outputs = append(a.outputs, output{canonical(raw), value})
	}
	return raw
}

// given is a value that came from the subject.
func (a *past) given(raw jsontext.Value) any {
	if raw == nil {
		return nil
	}
	text := canonical(raw)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range slices.Backward(a.outputs) {
		if o.text == text {
			return o.value
		}
	}
	return fromWire(raw)
}

func canonical(raw jsontext.Value) string {
	v := raw.Clone()
	if v.Canonicalize(lax()[1]) != nil {
		return string(raw)
	}
	return string(v)
}

// Diagnostics is what the subject says now; what is no list is none.
func (a *past) Diagnostics() []history.Diagnostic {
	return readList[history.Diagnostic](a.must(a.s.ask(a.life, "history/diagnostics", a.self())).Value)
}

// Shutdown closes the adapter.
func (a *past) Shutdown(ctx context.Context) error {
	_, err := a.s.ask(ctx, "history/shutdown", a.self())
	return err
}

// source is the canonical file behind the subject's adapter.
type source struct {
	a      *past
	path   string
	append bool
}

// Path of the file.
func (s source) Path() string { return s.path }

type appendParams struct {
	Instance string          `json:"instance"`
	Message  history.Message `json:"message"`
}

// Append lets the subject's runtime write a message.
func (s source) Append(ctx context.Context, m history.Message) error {
	if !s.append {
		return fmt.Errorf("append: %w", errors.ErrUnsupported)
	}
	_, err := s.a.s.ask(ctx, "history/append", appendParams{s.a.name, m})
	return err
}
