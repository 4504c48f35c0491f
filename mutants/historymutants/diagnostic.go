package historymutants

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// recorded makes a subject that changes its list of diagnostics.
func recorded(change func(d []history.Diagnostic) []history.Diagnostic) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{diagnostics: func(in history.Adapter) []history.Diagnostic { return change(slices.Clone(in.Diagnostics())) }}
	})
}

// without makes a subject that does not record some codes.
func without(codes ...history.DiagnosticCode) func() check.Subject {
	return recorded(func(d []history.Diagnostic) []history.Diagnostic {
		return slices.DeleteFunc(d, func(d history.Diagnostic) bool { return slices.Contains(codes, d.Code) })
	})
}

// altered makes a subject that changes each diagnostic.
func altered(change func(b built, d *history.Diagnostic)) func() check.Subject {
	return hooked(func(b built) hooks {
		return hooks{diagnostics: func(in history.Adapter) []history.Diagnostic {
			out := slices.Clone(in.Diagnostics())
			for i := range out {
				change(b, &out[i])
			}
			return out
		}}
	})
}

// logging makes a subject that writes a diagnostic of its own for each completion.
func logging(line func(req history.CompletionRequest, r history.CompletionResult) string) func() check.Subject {
	return hooked(func(built) hooks {
		var last atomic.Value
		return hooks{
			complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				r, err := in.Complete(ctx, req)
				if r.Status == history.Completed {
					last.Store(line(req, r))
				}
				return r, err
			},
			diagnostics: func(in history.Adapter) []history.Diagnostic {
				text, _ := last.Load().(string)
				return append(slices.Clone(in.Diagnostics()), history.Diagnostic{Code: "completion", Severity: history.Info, Message: text})
			},
		}
	})
}

// hoarding makes a subject that keeps n of the diagnostics about completions, and
// the change orders them.
func hoarding(keep int, change func(d []history.Diagnostic) []history.Diagnostic) func() check.Subject {
	return hooked(func(built) hooks {
		var n atomic.Int64
		return hooks{
			complete: func(ctx context.Context, in history.Adapter, req history.CompletionRequest) (history.CompletionResult, error) {
				n.Add(1)
				return in.Complete(ctx, req)
			},
			diagnostics: func(in history.Adapter) []history.Diagnostic {
				d := slices.Clone(in.Diagnostics())
				if more := min(int(n.Load()), keep) - len(d); more > 0 {
					d = append(slices.Repeat([]history.Diagnostic{{Code: history.CodeTransportFailed, Severity: history.Warning}}, more), d...)
				}
				return change(d)
			},
		}
	})
}

// spell writes a payload out, as far as a value that panics lets it.
func spell(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = "?"
		}
	}()
	return fmt.Sprint(v)
}

func diagnosticMutants() []Mutant {
	const metadata, severity, records, refusal = "history.diagnostics.metadata-only", "history.diagnostics.severity", "history.diagnostics.records", "history.diagnostics.refusal"
	same := func(d []history.Diagnostic) []history.Diagnostic { return d }
	return []Mutant{
		{"history-P19", "writes the prompt into its diagnostics", metadata, "diagnostics-leak",
			logging(func(req history.CompletionRequest, _ history.CompletionResult) string { return clip(req.Payload) })},
		{"history-diagnostics-output", "writes answers into its diagnostics", metadata, "diagnostics-leak",
			logging(func(_ history.CompletionRequest, r history.CompletionResult) string { return clip(r.Output) })},
		{"history-diagnostics-history", "writes the history into its diagnostics", metadata, "diagnostics-leak",
			altered(func(b built, d *history.Diagnostic) { d.Message = b.f.Messages[0].Blocks[0].(history.Text).Text })},
		{"history-diagnostics-path", "names files in its diagnostics", metadata, "diagnostics-show-path",
			altered(func(b built, d *history.Diagnostic) { d.Message += " in " + b.path() })},
		{"history-diagnostics-long", "writes stack traces into its diagnostics", metadata, "diagnostic-message-unbounded",
			altered(func(_ built, d *history.Diagnostic) { d.Message = strings.Repeat("at line 1\n", 400) })},
		{"history-F10", "keeps every diagnostic", "history.diagnostics.bounded", "diagnostics-unbounded", hoarding(100_000, same)},
		{"history-hoards", "keeps 120 diagnostics", "history.diagnostics.newest", "diagnostics-over-hundred", hoarding(120, same)},
		{"history-oldest-kept", "keeps the oldest diagnostics", "history.diagnostics.newest", "diagnostics-newest-dropped",
			hoarding(100, func(d []history.Diagnostic) []history.Diagnostic {
				return slices.DeleteFunc(d, func(d history.Diagnostic) bool { return d.Code == history.CodeCompletionInvalid })
			})},
		{"history-severity-info", "records everything as an info", severity, "diagnostic-severity-wrong",
			altered(func(_ built, d *history.Diagnostic) { d.Severity = history.Info })},
		{"history-severity-own", "weighs in its own words", severity, "diagnostic-severity-unknown",
			altered(func(_ built, d *history.Diagnostic) { d.Severity = "fatal" })},
		{"history-code-blank", "records without codes", severity, "diagnostic-code-blank",
			altered(func(_ built, d *history.Diagnostic) { d.Code = "" })},
		{"history-rebuild-silent", "keeps no record of rebuilds", records, "rebuild-undiagnosed", without(history.CodeDerivedStateRebuilt)},
		{"history-invalid-silent", "keeps no record of invalid requests", records, "invalid-request-undiagnosed", without(history.CodeCompletionInvalid)},
		{"history-privacy-silent", "keeps no record of failed screenings", records, "privacy-failure-undiagnosed", without(history.CodePrivacyFailed)},
		{"history-refusal-silent", "keeps no record of a refused source", refusal, "refusal-undiagnosed",
			without(history.CodeHistoryReadFailed, history.CodeHistoryInvalid, history.CodeHistoryIdentityMismatch)},
		{"history-refusal-path", "names the refused source in its diagnostics", refusal, "refusal-diagnostics-leak",
			altered(func(b built, d *history.Diagnostic) { d.Message += " in " + b.path() })},
		{"history-diagnostics-shared", "hands out its own list of diagnostics", "history.diagnostics.owned", "diagnostics-shared",
			hooked(func(built) hooks {
				var kept []history.Diagnostic
				return hooks{diagnostics: func(in history.Adapter) []history.Diagnostic {
					if kept == nil {
						kept = in.Diagnostics()
					}
					return kept
				}}
			})},
	}
}
