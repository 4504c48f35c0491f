package remote

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// callingBack is the suite's transport and ports, seen from the subject.
type callingBack struct {
	sv       *server
	instance string
	identity *history.EmbeddingIdentity
}

func (b callingBack) transport(ctx context.Context, req history.TransportRequest) (any, error) {
	got, err := b.sv.ask(ctx, "transport/complete", carried{
		Instance: b.instance, Provider: req.Provider, Model: req.Model, Destination: req.Destination, Payload: toWire(req.Payload),
	})
	if err != nil {
		return nil, err
	}
	return fromWire(got), nil
}

type embeddingBack struct{ callingBack }

// Identity is what the fixture says of the port.
func (b embeddingBack) Identity() history.EmbeddingIdentity {
	if b.identity == nil {
		return history.EmbeddingIdentity{}
	}
	return *b.identity
}

// Embed asks the suite's port.
func (b embeddingBack) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	got, err := b.sv.ask(ctx, "port/embed", carried{Instance: b.instance, Texts: texts})
	if err != nil {
		return nil, err
	}
	var w wireVectors
	err = json.Unmarshal(got, &w)
	return w.Vectors, err
}

type kvBack struct{ callingBack }

func (b kvBack) request(ctx context.Context, method string, req history.LocalKVRequest) (wireKVResult, error) {
	raw, err := json.Marshal(wireKVRequest{
		Eligibility: req.Eligibility, Provider: req.Provider, Model: req.Model, Payload: toWire(req.Payload),
		PrefixTokenCount: req.PrefixTokenCount, ContextTokenCount: req.ContextTokenCount,
	})
	if err != nil {
		return wireKVResult{}, err
	}
	got, err := b.sv.ask(ctx, method, carried{Instance: b.instance, Request: raw})
	if err != nil {
		return wireKVResult{}, err
	}
	var w wireKVResult
	err = json.Unmarshal(got, &w)
	return w, err
}

// TryReuse asks the suite's port.
func (b kvBack) TryReuse(ctx context.Context, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	w, err := b.request(ctx, "port/tryReuse", req)
	return history.LocalKVReuseResult{
		Status: w.Status, Output: fromWire(w.Output), SavedPrefillTokens: w.SavedPrefillTokens, PrefillLatencyMS: w.PrefillLatencyMS,
	}, err
}

// FullReplay asks the suite's port.
func (b kvBack) FullReplay(ctx context.Context, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	w, err := b.request(ctx, "port/fullReplay", req)
	return history.LocalKVReplayResult{Output: fromWire(w.Output), PrefillTokens: w.PrefillTokens, PrefillLatencyMS: w.PrefillLatencyMS}, err
}

// Shutdown releases the suite's port.
func (b kvBack) Shutdown(ctx context.Context) error {
	_, err := b.sv.ask(ctx, "port/shutdown", carried{Instance: b.instance})
	return err
}
