package historymutants

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// remark is what a port said where it gave no answer.
func (s said) remark() string {
	return fmt.Sprint(s.reuse.Status, s.reuse.Output, s.reuseErr, s.replay.Output, s.replayErr)
}

// remembers makes hooks that know everything the port has remarked.
func remembers(h *heard, remarks *string, more hooks) hooks {
	more.complete = func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
		h.forget()
		r, err := in.Complete(ctx, req)
		*remarks += h.last().remark()
		return r, err
	}
	return more
}

func kvHandleMutants() []Mutant {
	const handle = "history.local-kv.handle"
	type result = history.CompletionResult
	return []Mutant{
		{"history-kv-handle-result", "passes on what its port says of itself", handle, "handle-in-result",
			heeds(func(_ context.Context, _ built, s said, r *result) error { r.Reason = s.remark(); return nil })},
		{"history-kv-handle-error", "rejects with the error of its port", handle, "handle-in-error",
			heeds(func(_ context.Context, _ built, s said, _ *result) error { return s.reuseErr })},
		{"history-kv-handle-shutdown", "fails to close with the error of its port", handle, "handle-in-error",
			overheard(nil, func(b built, _ *heard) hooks {
				return hooks{shutdown: func(ctx context.Context, in history.Adapter) error {
					if port, ok := b.f.Ports.LocalKV.(history.LocalKVShutdowner); ok {
						return port.Shutdown(ctx)
					}
					return in.Shutdown(ctx)
				}}
			})},
		{"history-kv-handle-sent", "sends what its port says of itself", handle, "handle-sent",
			sendsAfterFailure(func(ctx context.Context, h *heard, next history.Transport, req history.TransportRequest) (any, error) {
				req.Payload = map[string]any{"payload": req.Payload, "state": h.last().remark()}
				return next(ctx, req)
			})},
		{"history-kv-handle-diagnosed", "keeps a record of what its port says of itself", handle, "handle-in-diagnostics",
			overheard(nil, func(_ built, h *heard) hooks {
				var remarks string
				return remembers(h, &remarks, hooks{diagnostics: func(in history.Adapter) []history.Diagnostic {
					return append(in.Diagnostics(), history.Diagnostic{Code: "local-kv", Severity: history.Info, Message: remarks})
				}})
			})},
		{"history-kv-handle-counted", "shows what its port says of itself among its counters", handle, "handle-in-counters",
			overheard(nil, func(_ built, h *heard) hooks {
				var remarks string
				return remembers(h, &remarks, hooks{kvCounters: func(history.Adapter) history.LocalKVDiagnostics {
					return history.LocalKVDiagnostics{Version: history.LocalKVDiagnosticsVersion + " " + remarks}
				}})
			})},
		{"history-kv-handle-history", "keeps what its port says of itself in the history", handle, "handle-in-history",
			overheard(nil, func(_ built, h *heard) hooks {
				var remarks string
				return remembers(h, &remarks, hooks{snapshot: func(ctx context.Context, in history.Adapter) (history.Snapshot, error) {
					s, err := in.SnapshotHistory(ctx)
					if err == nil {
						s.Messages[0].Provenance.OriginalRole = history.Some(remarks)
					}
					return s, err
				}})
			})},
		{"history-kv-handle-file", "keeps what its port says of itself for the next time", handle, "handle-on-disk",
			heeds(func(_ context.Context, b built, s said, _ *result) error {
				return os.WriteFile(filepath.Join(b.f.Dir, "state"), []byte(s.remark()), 0o600)
			})},
		{"history-kv-prefix-file", "keeps the prefixes that it asked for", handle, "prefix-on-disk",
			heeds(func(_ context.Context, b built, s said, _ *result) error {
				text, err := json.Marshal(s.asked.Payload)
				if err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(b.f.Dir, "prefix"), text, 0o600)
			})},
	}
}
