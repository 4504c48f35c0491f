package historymutants

import (
	"context"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/reference"
)

// Reference is the reference runtime as a subject: right, and what most mutants
// are made of.
func Reference() check.Subject {
	return check.Subject{
		Name:    "jsonl-reference",
		Offers:  fakes.Features{fakes.Source, fakes.Append, fakes.Ports},
		History: buildReference,
	}
}

func buildReference(_ context.Context, f check.Fixture) (*check.HistoryInstance, error) {
	path := filepath.Join(f.Dir, "session.jsonl")
	err := reference.Create(reference.CreateOptions{
		Path: path, RuntimeID: f.RuntimeID, SessionID: f.SessionID, ProjectRoot: f.Root, Messages: f.Messages,
	})
	if err != nil {
		return nil, err
	}
	o := reference.Options{Path: path, RuntimeID: f.RuntimeID, SessionID: f.SessionID, ProjectRoot: f.Root, Transport: f.Transport}
	if f.Model.ID != "" {
		o.Model = &f.Model
	}
	o.EmbeddingPort = f.Ports.Embedding
	if f.Ports.LocalKV != nil {
		o.LocalKV = &reference.LocalKVOptions{Port: f.Ports.LocalKV}
	}
	a, err := reference.New(o)
	if err != nil {
		return nil, err
	}
	return &check.HistoryInstance{Adapter: a, Source: jsonl{path}}, nil
}

// jsonl is the session file behind the reference runtime.
type jsonl struct{ path string }

func (s jsonl) Path() string { return s.path }

func (s jsonl) Append(ctx context.Context, m history.Message) error {
	return reference.Append(ctx, s.path, m)
}
