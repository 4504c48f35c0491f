package remote

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// servedHistory is a history adapter of this process.
type servedHistory struct {
	in *check.HistoryInstance
}

func (sv *server) createHistory(q request) (instance, any, error) {
	var w wireFixture
	if err := json.Unmarshal(q.Fixture, &w); err != nil {
		return nil, nil, badParams("fixture: it cannot be read")
	}
	f := check.Fixture{RuntimeID: w.RuntimeID, SessionID: w.SessionID, Root: w.Root, Dir: w.Dir, Messages: w.Messages}
	if w.Model != nil {
		f.Model = *w.Model
	}
	back := callingBack{sv, q.Instance, w.Embedding}
	f.Transport = back.transport
	for _, port := range w.Ports {
		switch port {
		case portEmbedding:
			f.Ports.Embedding = embeddingBack{back}
		case portLocalKV:
			f.Ports.LocalKV = kvBack{back}
		case portIdleLocalKV:
			f.Ports.IdleLocalKV = kvBack{back}
		}
	}
	in, err := sv.subject.History(sv.base, f)
	if err == nil && (in == nil || in.Adapter == nil) {
		err = errors.New("the constructor returned no adapter")
	}
	if err != nil {
		return nil, nil, err
	}
	is := map[string]any{"identity": in.Adapter.Identity(), "expectedProjectRoot": in.Root, "parts": partsOf(in.Adapter)}
	if in.Source != nil {
		is["historyFile"], is["append"] = in.Source.Path(), true
	}
	return &servedHistory{in}, is, nil
}

// partsOf lists the optional parts that an adapter has now.
func partsOf(a history.Adapter) []string {
	parts := []string{}
	if p, ok := a.(history.EmbeddingPorter); ok && p.EmbeddingPort() != nil {
		parts = append(parts, partEmbedding)
	}
	if _, ok := a.(history.LocalKVDiagnoser); ok {
		parts = append(parts, partCounters)
	}
	return parts
}

func (h *servedHistory) close(ctx context.Context) error {
	if h.in.Close == nil {
		return nil
	}
	return h.in.Close(ctx)
}

func (h *servedHistory) answer(ctx context.Context, method string, q request) (any, error) {
	a := h.in.Adapter
	switch method {
	case "history/declarations":
		return valueAnswer(a.CapabilityDeclarations()), nil
	case "history/negotiate":
		var requested []history.Request
		if err := json.Unmarshal(q.Requested, &requested); err != nil {
			return nil, badParams("requested: want a list of requests")
		}
		return valueAnswer(a.NegotiateCapabilities(requested)), nil
	case "history/snapshot":
		s, err := a.SnapshotHistory(ctx)
		return valueAnswer(s), err
	case "history/rebuild":
		s, err := a.RebuildDerivedState(ctx)
		return valueAnswer(s), err
	case "history/model":
		m, err := a.CurrentModel(ctx)
		return valueAnswer(m), err
	case "history/root":
		root, err := a.TrustedProjectRoot(ctx)
		return valueAnswer(root), err
	case "history/enforcePrivacy", "history/complete":
		payload, err := realize(fromWire(q.Payload))
		if err != nil {
			return nil, err
		}
		if method == "history/complete" {
			r, err := a.Complete(ctx, history.CompletionRequest{Provider: q.Provider, Model: q.Model, Payload: payload})
			return valueAnswer(completionToWire(r)), err
		}
		r, err := a.EnforcePrivacy(ctx, history.PrivacyRequest{Provider: q.Provider, Payload: payload})
		return valueAnswer(privacyToWire(r)), err
	case "history/diagnostics":
		return valueAnswer(a.Diagnostics()), nil
	case "history/append":
		m, err := history.ParseMessage(q.Message)
		if err != nil {
			return nil, badParams("message: %v", err)
		}
		if h.in.Source == nil {
			return nil, errNoMethod
		}
		return struct{}{}, h.in.Source.Append(ctx, m)
	case "history/shutdown":
		return struct{}{}, a.Shutdown(ctx)
	}
	return h.part(ctx, method, q)
}

func (h *servedHistory) part(ctx context.Context, method string, q request) (any, error) {
	if d, ok := h.in.Adapter.(history.LocalKVDiagnoser); ok && method == "history/localKvDiagnostics" {
		return valueAnswer(d.LocalKVDiagnostics()), nil
	}
	p, ok := h.in.Adapter.(history.EmbeddingPorter)
	if !ok || p.EmbeddingPort() == nil {
		return nil, errNoMethod
	}
	switch method {
	case "history/embeddingIdentity":
		return valueAnswer(p.EmbeddingPort().Identity()), nil
	case "history/embed":
		vectors, err := p.EmbeddingPort().Embed(ctx, q.Texts)
		return valueAnswer(vectors), err
	}
	return nil, errNoMethod
}

func privacyToWire(r history.PrivacyResult) any {
	return struct {
		history.PrivacySummary
		Payload jsontext.Value `json:"payload"`
	}{r.Summary(), toWire(r.Payload)}
}

func completionToWire(r history.CompletionResult) any {
	m := map[string]any{"status": r.Status}
	if r.Status == history.Completed {
		m["output"], m["privacy"] = toWire(r.Output), r.Privacy
		if r.LocalKV != nil {
			m["localKv"] = r.LocalKV
		}
		return m
	}
	m["code"], m["reason"], m["retryable"] = r.Code, r.Reason, r.Retryable
	if r.Output != nil { // it has none, and says so if it has
		m["output"] = toWire(r.Output)
	}
	return m
}
