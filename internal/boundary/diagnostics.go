package boundary

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// diagnostics keeps the newest entries. Their texts are fixed, so that nothing of a
// history, a payload or a provider can get in (history#diagnostics-metadata).
type diagnostics struct {
	entries []history.Diagnostic
	// sealed: the adapter is closed and nothing more is written down.
	sealed bool
}

func (d *diagnostics) add(code history.DiagnosticCode) {
	if d.sealed {
		return
	}
	entry := history.Diagnostic{Code: code, Severity: code.Severity(), Message: text(code)}
	if code == history.CodeLocalKVShutdownFailed || code == history.CodeLocalKVReplayFailed {
		entry.Capability = history.LocalKVReuse
	}
	if len(d.entries) == history.MaxDiagnostics {
		d.entries = slices.Delete(d.entries, 0, 1)
	}
	d.entries = append(d.entries, entry)
}

func (d *diagnostics) list() []history.Diagnostic { return slices.Clone(d.entries) }

func text(code history.DiagnosticCode) string {
	switch code {
	case history.CodeHistoryReadFailed:
		return "the canonical history could not be read"
	case history.CodeHistoryIdentityMismatch:
		return "the canonical history is of another runtime, session or project"
	case history.CodeHistoryInvalid:
		return "the canonical history breaks the contract"
	case history.CodeDerivedStateRebuilt:
		return "derived state was dropped and made again"
	case history.CodePrivacyFailed:
		return "a payload could not be sanitised and was not sent"
	case history.CodeCompletionInvalid:
		return "a completion named no provider or no model"
	case history.CodeTransportFailed:
		return "the transport of a completion failed"
	case history.CodeLocalKVReplayFailed:
		return "the local KV port failed and was passed by"
	case history.CodeLocalKVShutdownFailed:
		return "the local KV port could not be shut down"
	case history.CodeAdapterClosed:
		return "the adapter was shut down"
	}
	return "something happened that has no text"
}
