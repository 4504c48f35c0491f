package remote

import (
	"context"
	"errors"
	"fmt"

	"github.com/creachadair/jrpc2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// carried is what a call-back may carry.
type carried struct {
	Instance    string              `json:"instance"`
	Provider    string              `json:"provider,omitzero"`
	Model       string              `json:"model,omitzero"`
	Destination history.Destination `json:"destination,omitzero"`
	Payload     jsontext.Value      `json:"payload,omitzero"`
	Texts       []string            `json:"texts,omitzero"`
	Request     jsontext.Value      `json:"request,omitzero"`
}

// wireKVRequest is a request to a local KV port.
type wireKVRequest struct {
	Eligibility       history.LocalKVKey `json:"eligibility"`
	Provider          string             `json:"provider"`
	Model             string             `json:"model"`
	Payload           jsontext.Value     `json:"payload"`
	PrefixTokenCount  int64              `json:"prefixTokenCount"`
	ContextTokenCount int64              `json:"contextTokenCount"`
}

// wireKVResult is the answer of one.
type wireKVResult struct {
	Status             history.LocalKVOutcome `json:"status,omitzero"`
	Output             jsontext.Value         `json:"output,omitzero"`
	SavedPrefillTokens int64                  `json:"savedPrefillTokens"`
	PrefillTokens      int64                  `json:"prefillTokens"`
	PrefillLatencyMS   float64                `json:"prefillLatencyMs"`
}

type wireVectors struct {
	Vectors [][]float64 `json:"vectors"`
}

// isCallback reports whether the suite answers the method.
func isCallback(method string) bool {
	switch method {
	case "transport/complete", "port/embed", "port/tryReuse", "port/fullReplay", "port/shutdown":
		return true
	}
	return false
}

// callback answers a call of the subject's. What the suite's own parts fail with is
// told without its text.
func (p *Process) callback(ctx context.Context, method string, params []byte) (out any, err error) {
	defer func() {
		if recover() != nil { // a transport of the suite's may do that on purpose
			out, err = nil, jrpc2.Errorf(rpcInternal, "it failed")
		}
	}()
	if !isCallback(method) {
		return nil, jrpc2.Errorf(rpcNoMethod, "no such call-back")
	}
	var c carried
	if err := json.Unmarshal(params, &c, lax()[0], lax()[1]); err != nil {
		return nil, jrpc2.Errorf(rpcBadParams, "%s: the parameters cannot be read", method)
	}
	p.mu.Lock()
	a, ok := p.open[c.Instance].(*past)
	p.mu.Unlock()
	if !ok {
		return nil, jrpc2.Errorf(rpcBadParams, "%s: no such instance", method)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.life, cancel)()
	out, err = a.callback(ctx, method, c)
	var refused *jrpc2.Error
	if err != nil && !errors.As(err, &refused) {
		return nil, jrpc2.Errorf(rpcInternal, "it failed")
	}
	return out, err
}

func (a *past) callback(ctx context.Context, method string, c carried) (any, error) {
	missing := jrpc2.Errorf(rpcBadParams, "%s: the fixture has no such port", method)
	switch {
	case method == "transport/complete":
		if a.transport == nil {
			return nil, missing
		}
		got, err := a.transport(ctx, history.TransportRequest{Provider: c.Provider, Model: c.Model, Destination: c.Destination, Payload: fromWire(c.Payload)})
		if err != nil {
			return nil, err
		}
		return a.gives(got), nil
	case method == "port/embed":
		if a.ports.Embedding == nil {
			return nil, missing
		}
		vectors, err := a.ports.Embedding.Embed(ctx, c.Texts)
		return wireVectors{vectors}, err
	}
	kv := a.ports.LocalKV
	if kv == nil {
		kv = a.ports.IdleLocalKV // it must not be asked: the suite wants to see it
	}
	switch {
	case kv == nil:
		return nil, missing
	case method == "port/shutdown":
		port, ok := kv.(history.LocalKVShutdowner)
		if !ok {
			return struct{}{}, nil
		}
		return struct{}{}, port.Shutdown(ctx)
	}
	var w wireKVRequest
	if err := json.Unmarshal(c.Request, &w); err != nil {
		return nil, jrpc2.Errorf(rpcBadParams, "%s: the request cannot be read", method)
	}
	req := history.LocalKVRequest{
		Eligibility: w.Eligibility, Provider: w.Provider, Model: w.Model, Payload: fromWire(w.Payload),
		PrefixTokenCount: w.PrefixTokenCount, ContextTokenCount: w.ContextTokenCount,
	}
	if method == "port/tryReuse" {
		got, err := kv.TryReuse(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("local kv port: %w", err)
		}
		return a.kvResult(wireKVResult{Status: got.Status, SavedPrefillTokens: got.SavedPrefillTokens, PrefillLatencyMS: got.PrefillLatencyMS}, got.Output)
	}
	got, err := kv.FullReplay(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("local kv port: %w", err)
	}
	return a.kvResult(wireKVResult{PrefillTokens: got.PrefillTokens, PrefillLatencyMS: got.PrefillLatencyMS}, got.Output)
}

// kvResult writes a result by our rules, not those of the library's encoder.
func (a *past) kvResult(r wireKVResult, output any) (any, error) {
	r.Output = a.gives(output)
	b, err := json.Marshal(r)
	return jsontext.Value(b), err
}
