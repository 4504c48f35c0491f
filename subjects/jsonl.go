package subjects

import (
	"context"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/reference"
	"github.com/adaptercheck/adaptercheck/reference/embedding"
)

// JSONLReference is the callback runtime over an append-only session file: the
// reference adapter of the history contract.
func JSONLReference() check.Subject {
	return check.Subject{
		Name:    "jsonl-reference",
		Offers:  fakes.Features{fakes.Source, fakes.Append, fakes.Ports},
		History: openSession,
	}
}

func openSession(_ context.Context, f check.Fixture) (*check.HistoryInstance, error) {
	path := filepath.Join(f.Dir, "session.jsonl")
	err := reference.Create(reference.CreateOptions{
		Path: path, RuntimeID: f.RuntimeID, SessionID: f.SessionID, ProjectRoot: f.Root, Messages: f.Messages,
	})
	if err != nil {
		return nil, err
	}
	o := reference.Options{
		Path: path, RuntimeID: f.RuntimeID, SessionID: f.SessionID, ProjectRoot: f.Root,
		Transport: f.Transport, EmbeddingPort: f.Ports.Embedding, ShutdownTimeout: grace,
	}
	if f.Model.ID != "" {
		o.Model = &f.Model
	}
	if o.EmbeddingPort == nil {
		o.EmbeddingPort = embedding.Port{}
	}
	switch ports := f.Ports; {
	case ports.LocalKV != nil:
		o.LocalKV = &reference.LocalKVOptions{
			Port: ports.LocalKV, Enabled: true, Prepare: reference.PrepareMessages,
			RuntimeRevision: reference.AdapterVersion, ModelRevision: "r1",
		}
	case ports.IdleLocalKV != nil:
		o.LocalKV = &reference.LocalKVOptions{Port: ports.IdleLocalKV}
	}
	a, err := reference.New(o)
	if err != nil {
		return nil, err
	}
	return &check.HistoryInstance{Adapter: a, Source: session{path}}, nil
}

// session is the canonical file behind the adapter.
type session struct{ path string }

func (s session) Path() string { return s.path }

func (s session) Append(ctx context.Context, m history.Message) error {
	return reference.Append(ctx, s.path, m)
}
