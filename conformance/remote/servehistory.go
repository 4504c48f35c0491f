package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"math"
	"math/big"
	"time"

	"github.com/creachadair/jrpc2"
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

// thrower is a value whose methods panic: the nearest that Go has to an accessor
// that throws.
type thrower struct{}

func (thrower) MarshalJSON() ([]byte, error) { panic("hostile value") }
func (thrower) MarshalText() ([]byte, error) { panic("hostile value") }
func (thrower) String() string               { panic("hostile value") }
func (thrower) Error() string                { panic("hostile value") }

// deepLevels is how deep a "deep" value is.
const deepLevels = 20_000

var errUnsupportedValue = &jrpc2.Error{Code: rpcUnsupported, Message: "unsupported value"}

// realize makes the values that tokens stand for.
func realize(v any) (any, error) {
	switch x := v.(type) {
	case []any:
		for i := range x {
			made, err := realize(x[i])
			if err != nil {
				return nil, err
			}
			x[i] = made
		}
	case map[string]any:
		if name, ok := x[tokenKey].(string); ok {
			return realToken(name, x["value"])
		}
		for k := range x {
			made, err := realize(x[k])
			if err != nil {
				return nil, err
			}
			x[k] = made
		}
	}
	return v, nil
}

func realToken(name string, holds any) (any, error) {
	text, _ := holds.(string)
	switch name {
	case "throws":
		return thrower{}, nil
	case "function":
		return func() any { return holds }, nil
	case "symbol", "promise":
		return make(chan any), nil
	case "cycle":
		loop := map[string]any{}
		loop["self"] = loop
		return loop, nil
	case "date":
		ms, _ := holds.(float64)
		return time.UnixMilli(int64(ms)), nil
	case "map", "set":
		m := map[any]any{}
		entries, _ := holds.([]any)
		for _, e := range entries {
			if pair, ok := e.([]any); ok && len(pair) == 2 && name == "map" {
				if key, ok := pair[0].(string); ok {
					m[key] = pair[1]
				}
			} else if key, ok := e.(string); ok {
				m[key] = true
			}
		}
		return m, nil
	case "buffer":
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, badParams("buffer: want base64")
		}
		return b, nil
	case "bigint":
		if n, ok := new(big.Int).SetString(text, 10); ok {
			return n, nil
		}
	case "nan":
		return math.NaN(), nil
	case "infinity":
		return math.Inf(1), nil
	case "-infinity":
		return math.Inf(-1), nil
	case "deep":
		deep := holds
		for range deepLevels {
			deep = []any{deep}
		}
		return deep, nil
	}
	return nil, errUnsupportedValue
}
