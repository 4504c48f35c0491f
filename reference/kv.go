package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/contract/history/localkv"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// LocalKVOptions describe a local KV port. It is declared, handed out and shut
// down; completions use it only where Enabled says so.
type LocalKVOptions struct {
	// Port is needed.
	Port history.LocalKVPort
	// Version of the capability to declare; empty is [history.LocalKVPortVersion]. A
	// version that negotiation rejects leaves the port unused.
	Version string

	// Enabled lets completions for local providers go through the port.
	Enabled bool
	// Prepare picks the reusable prefix of a payload; needed when Enabled.
	// [PrepareMessages] is one that does.
	Prepare func(ctx context.Context, req KVRequest) (KVPrefix, error)
	// RuntimeRevision and ModelRevision identify what the KV state belongs to; needed
	// when Enabled.
	RuntimeRevision string
	ModelRevision   string
	// PrivacyPolicyVersion identifies the policy under which payloads were sanitised;
	// empty is the version of the adapter's own policy.
	PrivacyPolicyVersion string
}

// KVRequest is a completion whose prefix is looked for.
type KVRequest struct {
	Provider string
	Model    string
	// Payload is a copy of the sanitised payload; nobody else reads it.
	Payload any
}

// KVPrefix is the part of a payload that may be reused.
type KVPrefix struct {
	// Skip: there is none, and the completion goes to the transport.
	Skip bool
	// Prompt is the exact text of the prefix.
	Prompt string
	// SystemOptions and ToolOptions are whatever else the KV state depends on.
	SystemOptions localkv.Options
	ToolOptions   localkv.Options
	// PrefixTokenCount counts the prefix, ContextTokenCount the whole payload, in
	// tokens.
	PrefixTokenCount  int64
	ContextTokenCount int64
}

func (o *LocalKVOptions) check() error {
	switch {
	case o.Port == nil:
		return fmt.Errorf("%w: LocalKV.Port is nil", ErrOptions)
	case o.Enabled && o.Prepare == nil:
		return fmt.Errorf("%w: LocalKV.Prepare is nil", ErrOptions)
	}
	for _, f := range []struct {
		name, value string
		needed      bool
	}{
		{"Version", o.Version, false},
		{"RuntimeRevision", o.RuntimeRevision, o.Enabled},
		{"ModelRevision", o.ModelRevision, o.Enabled},
		{"PrivacyPolicyVersion", o.PrivacyPolicyVersion, false},
	} {
		if boundary.Blank(f.value) && (f.value != "" || f.needed) {
			return fmt.Errorf("%w: LocalKV.%s is blank", ErrOptions, f.name)
		}
	}
	return nil
}

// localKV is the port and how it is used.
type localKV struct {
	LocalKVOptions
	controller *localkv.Controller
	// capability is what negotiation makes of the declaration.
	capability history.Status
}

// attachKV gives a new adapter its port. The policy's version is that of the
// adapter's own.
func (a *Adapter) attachKV(opts LocalKVOptions, policyVersion string) {
	if opts.Version == "" {
		opts.Version = history.LocalKVPortVersion
	}
	if opts.PrivacyPolicyVersion == "" {
		opts.PrivacyPolicyVersion = policyVersion
	}
	a.kv = &localKV{LocalKVOptions: opts, controller: localkv.NewController(openPort{a, opts.Port})}
	for _, s := range a.NegotiateCapabilities([]history.Request{{ID: history.LocalKVReuse}}).Statuses {
		if s.ID == history.LocalKVReuse {
			a.kv.capability = s
		}
	}
}

// openPort keeps payloads from a port whose adapter was closed meanwhile.
type openPort struct {
	adapter *Adapter
	port    history.LocalKVPort
}

func (p openPort) TryReuse(ctx context.Context, req history.LocalKVRequest) (history.LocalKVReuseResult, error) {
	if p.adapter.boundary.Closed() {
		return history.LocalKVReuseResult{}, ErrClosed
	}
	return p.port.TryReuse(ctx, req)
}

func (p openPort) FullReplay(ctx context.Context, req history.LocalKVRequest) (history.LocalKVReplayResult, error) {
	if p.adapter.boundary.Closed() {
		return history.LocalKVReplayResult{}, ErrClosed
	}
	return p.port.FullReplay(ctx, req)
}

// reuse completes a request through the port, as [boundary.Reuse] says.
func (a *Adapter) reuse(ctx context.Context, req history.TransportRequest) (output any, use history.LocalKVUse, ok bool) {
	if !a.kv.Enabled || !a.kv.capability.Enabled || req.Destination != history.Local {
		return nil, use, false
	}
	out, err := a.kv.complete(ctx, a.runtimeID, req)
	if err != nil && !errors.Is(err, errSkip) {
		a.boundary.Report(history.CodeLocalKVReplayFailed)
	}
	if err != nil || out.Refusal != "" {
		return nil, use, false
	}
	return out.Output, out.Use, true
}

var errSkip = errors.New("no prefix to reuse")

func (kv *localKV) complete(ctx context.Context, runtimeID string, req history.TransportRequest) (localkv.Outcome, error) {
	prefix, err := kv.prepare(ctx, KVRequest{req.Provider, req.Model, copyPlain(req.Payload)})
	if err != nil {
		return localkv.Outcome{}, err
	}
	if prefix.Skip {
		return localkv.Outcome{}, errSkip
	}
	return kv.controller.Complete(ctx, localkv.Input{
		Enabled:              kv.Enabled,
		CapabilityEnabled:    kv.capability.Enabled,
		CapabilityVersion:    kv.capability.Version,
		Destination:          req.Destination,
		RuntimeID:            runtimeID,
		RuntimeRevision:      kv.RuntimeRevision,
		Provider:             req.Provider,
		Model:                req.Model,
		ModelRevision:        kv.ModelRevision,
		PrivacyPolicyVersion: kv.PrivacyPolicyVersion,
		PromptPrefix:         prefix.Prompt,
		SystemOptions:        prefix.SystemOptions,
		ToolOptions:          prefix.ToolOptions,
		PrefixTokenCount:     prefix.PrefixTokenCount,
		ContextTokenCount:    prefix.ContextTokenCount,
		// The port's own copy: the transport may need the payload after it.
	}, copyPlain(req.Payload))
}

func (kv *localKV) prepare(ctx context.Context, req KVRequest) (prefix KVPrefix, err error) {
	defer func() {
		if recover() != nil {
			prefix, err = KVPrefix{}, errors.New("prepare panicked")
		}
	}()
	return kv.Prepare(ctx, req)
}

// copyPlain copies a payload that was sanitised, and so holds plain JSON values
// only.
func copyPlain(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = copyPlain(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = copyPlain(item)
		}
		return out
	}
	return v
}

// LocalKVDiagnostics counts what the local KV port did; it works after Shutdown
// too. Without a port every counter is zero.
func (a *Adapter) LocalKVDiagnostics() history.LocalKVDiagnostics {
	if a.kv == nil {
		return history.LocalKVDiagnostics{Version: history.LocalKVDiagnosticsVersion}
	}
	return a.kv.controller.Diagnostics()
}
