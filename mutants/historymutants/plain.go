package historymutants

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Plain is a second right adapter that shares nothing with the reference runtime:
// its history is one JSON document, it keeps no cache, it supports no capability,
// its groups come in another order, and its privacy policy is blunt. What both
// pass is the contract and not one program's habit.
func Plain() check.Subject { return plainBut(func(*plain) {})() }

// plainBut makes a plain adapter with something changed.
func plainBut(change func(p *plain)) func() check.Subject {
	return func() check.Subject {
		return check.Subject{
			Name: "plain", Offers: fakes.Features{fakes.Source, fakes.Append},
			History: func(_ context.Context, f check.Fixture) (*check.HistoryInstance, error) {
				p, err := newPlain(f)
				if err != nil {
					return nil, err
				}
				change(p)
				return &check.HistoryInstance{Adapter: p, Root: p.own.Root, Source: documentFile{p.path}}, nil
			},
		}
	}
}

var errClosed = errors.New("the adapter is closed")

// document is the canonical history of a plain adapter.
type document struct {
	Runtime string            `json:"runtime"`
	Session string            `json:"session"`
	Root    string            `json:"root"`
	Entries []history.Message `json:"entries"`
}

func (d document) write(path string) error {
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

func readDocument(path string) (d document, source []byte, err error) {
	if source, err = os.ReadFile(path); err == nil {
		err = json.Unmarshal(source, &d)
	}
	if err != nil {
		return document{}, nil, errors.New("the history cannot be read")
	}
	return d, source, nil
}

// documentFile is the file behind a plain adapter.
type documentFile struct{ path string }

func (s documentFile) Path() string { return s.path }

func (s documentFile) Append(_ context.Context, m history.Message) error {
	d, _, err := readDocument(s.path)
	if err != nil {
		return err
	}
	d.Entries = append(d.Entries, m)
	return d.write(s.path)
}

// plain implements the contract.
type plain struct {
	path      string
	own       document // without entries
	model     *history.Model
	transport history.Transport
	// adopt lets a mutant change its mind about whose history it reads.
	adopt func(own *document, read document)
	// mend lets a mutant change what it reads.
	mend func(entries []history.Message) []history.Message
	// lax lets a mutant accept what validation does not.
	lax bool
	// policy by which it screens.
	policy policy

	mu     sync.Mutex
	closed bool
	said   []history.Diagnostic
}

func newPlain(f check.Fixture) (*plain, error) {
	root, err := filepath.EvalSymlinks(f.Root)
	if err != nil {
		return nil, err
	}
	p := &plain{path: filepath.Join(f.Dir, "history.json"), own: document{Runtime: f.RuntimeID, Session: f.SessionID, Root: root}, transport: f.Transport}
	if f.Model.ID != "" {
		p.model = f.Model.Clone()
	}
	d := p.own
	d.Entries = f.Messages
	return p, d.write(p.path)
}

func (p *plain) Identity() history.Identity {
	return history.Identity{RuntimeID: p.own.Runtime, AdapterName: "plain", AdapterVersion: "0.1", ContractVersion: history.ContractVersion}
}

func (p *plain) CapabilityDeclarations() []history.Declaration {
	out := []history.Declaration{}
	for _, id := range history.Capabilities() {
		out = append(out, history.Lacks(id, "a plain adapter has nothing of the kind"))
	}
	slices.Reverse(out)
	return out
}

func (p *plain) NegotiateCapabilities(requested []history.Request) history.Negotiation {
	return history.Negotiate(p.CapabilityDeclarations(), requested)
}

func (p *plain) SnapshotHistory(context.Context) (history.Snapshot, error) {
	if p.isClosed() {
		return history.Snapshot{}, errClosed
	}
	d, source, err := readDocument(p.path)
	if err != nil {
		p.say(history.CodeHistoryReadFailed)
		return history.Snapshot{}, err
	}
	own := p.own
	if p.adopt != nil {
		p.adopt(&own, d)
	}
	if d.Runtime != own.Runtime || d.Session != own.Session || d.Root != own.Root {
		p.say(history.CodeHistoryIdentityMismatch)
		return history.Snapshot{}, errors.New("the history is another session's")
	}
	if p.mend != nil {
		d.Entries = p.mend(d.Entries)
	}
	s := history.Snapshot{
		SchemaVersion: history.SchemaVersion, RuntimeID: d.Runtime, SessionID: d.Session, ProjectRoot: d.Root,
		Revision: "r-" + history.RevisionOf(source)[:20], Messages: d.Entries, ToolAtomicGroups: history.AtomicGroups(d.Entries),
	}
	slices.Reverse(s.ToolAtomicGroups)
	if len(history.Validate(s)) > 0 && !p.lax {
		p.say(history.CodeHistoryInvalid)
		return history.Snapshot{}, errors.New("the history is invalid")
	}
	return s, nil
}

func (p *plain) RebuildDerivedState(ctx context.Context) (history.Snapshot, error) {
	s, err := p.SnapshotHistory(ctx)
	if err == nil {
		p.say(history.CodeDerivedStateRebuilt)
	}
	return s, err
}

func (p *plain) CurrentModel(context.Context) (*history.Model, error) {
	if p.isClosed() {
		return nil, errClosed
	}
	return p.model.Clone(), nil
}

func (p *plain) TrustedProjectRoot(context.Context) (string, error) {
	if p.isClosed() {
		return "", errClosed
	}
	return p.own.Root, nil
}

func (p *plain) EnforcePrivacy(_ context.Context, req history.PrivacyRequest) (history.PrivacyResult, error) {
	if p.isClosed() {
		return history.PrivacyResult{}, errClosed
	}
	return p.policy.screen(req)
}

func (p *plain) Complete(ctx context.Context, req history.CompletionRequest) (history.CompletionResult, error) {
	fall := func(code history.FallbackCode, d history.DiagnosticCode) (history.CompletionResult, error) {
		if d != "" {
			p.say(d)
		}
		return history.FallBack(code, "no completion: "+string(code)), nil
	}
	if p.isClosed() {
		return fall(history.FallbackClosed, "")
	}
	if blank(req.Provider) || blank(req.Model) {
		return fall(history.FallbackInvalid, history.CodeCompletionInvalid)
	}
	screened, err := p.policy.screen(history.PrivacyRequest{Provider: req.Provider, Payload: req.Payload})
	if err != nil {
		return fall(history.FallbackPrivacy, history.CodePrivacyFailed)
	}
	out, err := p.send(ctx, history.TransportRequest{Provider: req.Provider, Model: req.Model, Destination: screened.Destination, Payload: screened.Payload})
	if err != nil {
		return fall(history.FallbackTransport, history.CodeTransportFailed)
	}
	summary := screened.Summary()
	return history.CompletionResult{Status: history.Completed, Output: out, Privacy: &summary}, nil
}

func (p *plain) send(ctx context.Context, req history.TransportRequest) (out any, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the transport panicked")
		}
	}()
	return p.transport(ctx, req)
}

func (p *plain) Diagnostics() []history.Diagnostic {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.said)
}

func (p *plain) Shutdown(context.Context) error {
	p.mu.Lock()
	was := p.closed
	p.closed = true
	p.mu.Unlock()
	if !was {
		p.say(history.CodeAdapterClosed)
	}
	return nil
}

func (p *plain) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// say keeps the newest fifty diagnostics.
func (p *plain) say(code history.DiagnosticCode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, history.Diagnostic{Code: code, Severity: code.Severity(), Message: "see the code"})
	p.said = p.said[max(0, len(p.said)-50):]
}
