package historytest

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func negotiationChecks() []check.Check {
	return []check.Check{
		// Negotiation answers for every capability of the registry, requested or not.
		{
			ID: "history.capabilities.statuses", Case: "capabilities", Clause: "history#negotiation-statuses",
			Level: check.Must, Provenance: check.Stated, Codes: codes("negotiation-version-wrong", "status-missing", "status-duplicate", "status-unknown"),
			Title: "answers for every capability, once",
			Run: with(func(ctx context.Context, t *T) {
				for _, asked := range [][]history.Request{askAll(false), nil, {{ID: history.Embeddings}}} {
					n := t.negotiate(ctx, asked...)
					t.expect(n.ContractVersion == history.ContractVersion, "negotiation-version-wrong", "got %q", n.ContractVersion)
					count := map[history.Capability]int{}
					for _, s := range n.Statuses {
						count[s.ID]++
					}
					for _, id := range history.Capabilities() {
						t.expect(count[id] > 0, "status-missing", "%s", id)
						t.expect(count[id] < 2, "status-duplicate", "%s", id)
						delete(count, id)
					}
					t.expect(len(count) == 0, "status-unknown", "%v", count)
				}
			}),
		},
		// Answers come in the order of the registry, whatever the order of the request.
		{
			ID: "history.capabilities.registry-order", Case: "capabilities", Clause: "history#registry-order",
			Level: check.Should, Provenance: check.Implied, Codes: codes("registry-order"),
			Title: "answers in the order of the registry",
			Run: with(func(ctx context.Context, t *T) {
				asked := askAll(false)
				slices.Reverse(asked)
				n := t.negotiate(ctx, asked...)
				t.statuses(n)
				order := func(ids []history.Capability) bool {
					return slices.IsSortedFunc(ids, func(a, b history.Capability) int {
						return slices.Index(history.Capabilities(), a) - slices.Index(history.Capabilities(), b)
					})
				}
				ids, about := []history.Capability{}, []history.Capability{}
				for _, s := range n.Statuses {
					ids = append(ids, s.ID)
				}
				for _, d := range n.Diagnostics {
					about = append(about, d.Capability)
				}
				t.demand(order(ids) && order(n.Enabled) && order(n.Disabled) && order(about), "registry-order", "statuses %v, enabled %v, disabled %v, diagnostics %v", ids, n.Enabled, n.Disabled, about)
			}),
		},
		// What is supported has a version to compare; what is not has a reason to show.
		{
			ID: "history.capabilities.status-evidence", Case: "capabilities", Clause: "history#status-evidence",
			Level: check.Must, Provenance: check.Stated, Codes: codes("status-version-missing", "status-version-invalid", "status-reason-missing"),
			Title: "gives a version for what is supported and a reason for what is not",
			Run: with(func(ctx context.Context, t *T) {
				for id, s := range t.statuses(t.negotiate(ctx, askAll(false)...)) {
					switch {
					case !s.Supported:
						t.expect(!blank(s.Reason), "status-reason-missing", "%s", id)
					case blank(s.Version):
						t.Notef("status-version-missing", "%s", id)
					default:
						t.expect(validVersion(history.Supports(id, s.Version)), "status-version-invalid", "%s: %q", id, s.Version)
					}
				}
			}),
		},
		// Whoever asks for what is not there is told so: an info for what is optional, a
		// warning for what is required, never an error.
		{
			ID: "history.capabilities.unsupported-told", Case: "capabilities", Clause: "history#unsupported-told",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("unsupported-undiagnosed", "unsupported-severity-wrong", "unsupported-code-wrong", "supported-diagnosed"),
			Title: "tells who asks for a capability that is not there",
			Run: with(func(ctx context.Context, t *T) {
				for _, required := range []bool{false, true} {
					n := t.negotiate(ctx, askAll(required)...)
					want := history.Info
					if required {
						want = history.Warning
					}
					for id, s := range t.statuses(n) {
						about := slices.DeleteFunc(slices.Clone(n.Diagnostics), func(d history.Diagnostic) bool { return d.Capability != id })
						if s.Supported {
							t.expect(len(about) == 0, "supported-diagnosed", "%s", id)
							continue
						}
						t.expect(len(about) > 0, "unsupported-undiagnosed", "%s", id)
						for _, d := range about {
							t.expect(d.Severity == want, "unsupported-severity-wrong", "%s: %s", id, d.Severity)
							t.expect(d.Code == history.CodeCapabilityUnsupported || d.Code == history.CodeDeclarationInvalid, "unsupported-code-wrong", "%s: %s", id, d.Code)
						}
					}
				}
			}),
		},
		// A capability that is required and not there is a warning. What to make of it
		// is the host's business.
		{
			ID: "history.capabilities.required-not-fatal", Case: "capabilities", Clause: "history#negotiation-not-fatal",
			Level: check.Must, Provenance: check.Stated, Codes: codes("required-fatal"),
			Title: "survives a request for what it cannot do",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				n, err := try(ctx, t, tame(func(context.Context) (history.Negotiation, error) {
					return t.Adapter.NegotiateCapabilities(askAll(true)), nil
				}))
				t.demand(err == nil, "required-fatal", "%v", err)
				t.statuses(n)
				r, err := t.trySnapshot(ctx)
				t.demand(err == nil && equalIDs(t.Fixture.Messages, r.Messages), "required-fatal", "the adapter does not work afterwards: %v", err)
			}),
		},
		// Everything else in the answer follows from the statuses and the request.
		{
			ID: "history.capabilities.lists-derive", Case: "capabilities", Clause: "history#negotiation-lists",
			Level: check.Must, Provenance: check.Implied,
			Codes: codes("status-requested-wrong", "status-required-wrong", "status-enabled-wrong", "enabled-list-wrong", "disabled-list-wrong", "unrequested-diagnosed"),
			Title: "enables what is requested and supported, nothing else",
			Run: with(func(ctx context.Context, t *T) {
				sets := [][]history.Request{nil, askAll(false), askAll(true)}
				for _, id := range history.Capabilities() {
					sets = append(sets, []history.Request{{ID: id}}, []history.Request{{ID: id, Required: true}})
				}
				for _, asked := range sets {
					t.derived(t.negotiate(ctx, asked...), asked)
				}
			}),
		},
		// Requests for one capability merge, and one for a capability that the registry
		// does not know leaves no trace.
		{
			ID: "history.capabilities.requests-merge", Case: "capabilities", Clause: "history#request-merging",
			Level: check.Must, Provenance: check.Implied,
			Codes: codes("repeated-request-mishandled", "unknown-request-kept"),
			Title: "merges repeated requests and ignores unknown ones",
			Run: with(func(ctx context.Context, t *T) {
				stranger := history.Capability("capability-" + t.word())
				n := t.negotiate(ctx, history.Request{ID: history.Embeddings}, history.Request{ID: stranger, Required: true},
					history.Request{ID: history.Embeddings, Required: true}, history.Request{ID: history.Embeddings})
				s := t.statuses(n)[history.Embeddings]
				t.expect(s.Requested && s.Required, "repeated-request-mishandled", "%+v", s)
				listed := 0
				for _, id := range append(slices.Clone(n.Enabled), n.Disabled...) {
					if id == history.Embeddings {
						listed++
					}
				}
				t.expect(listed == 1, "repeated-request-mishandled", "listed %d times", listed)
				_, kept := found(texts(n), []string{string(stranger)})
				t.expect(!kept, "unknown-request-kept", "%+v", n)
			}),
		},
		// Each declaration is weighed alone: one that is malformed disables its own
		// capability, and what comes out is what the rules make of what was declared.
		{
			ID: "history.capabilities.isolation", Case: "capabilities", Clause: "history#declaration-isolation",
			Level: check.Must, Provenance: check.Stated, Codes: codes("declaration-not-isolated", "support-unlike-declaration"),
			Title: "weighs each declaration alone",
			Run: with(func(ctx context.Context, t *T) {
				declared := t.declarations(ctx)
				got := t.statuses(t.negotiate(ctx, askAll(false)...))
				malformed := false
				for _, d := range history.Negotiate(declared, askAll(false)).Diagnostics {
					malformed = malformed || d.Code == history.CodeDeclarationInvalid
				}
				for _, want := range history.Negotiate(declared, askAll(false)).Statuses {
					if got[want.ID].Supported == want.Supported {
						continue
					}
					if malformed && want.Supported {
						t.Notef("declaration-not-isolated", "%s", want.ID)
					} else {
						t.Notef("support-unlike-declaration", "%s: supported %v", want.ID, got[want.ID].Supported)
					}
				}
			}),
		},
	}
}

// derived reports what in an answer does not follow from its statuses.
func (t *T) derived(n history.Negotiation, asked []history.Request) {
	requested, required := map[history.Capability]bool{}, map[history.Capability]bool{}
	for _, r := range asked {
		requested[r.ID] = true
		required[r.ID] = required[r.ID] || r.Required
	}
	enabled, disabled := []history.Capability{}, []history.Capability{}
	for id, s := range t.statuses(n) {
		t.expect(s.Requested == requested[id], "status-requested-wrong", "%s", id)
		t.expect(s.Required == required[id], "status-required-wrong", "%s", id)
		t.expect(s.Enabled == (requested[id] && s.Supported), "status-enabled-wrong", "%s", id)
		switch {
		case requested[id] && s.Supported:
			enabled = append(enabled, id)
		case requested[id]:
			disabled = append(disabled, id)
		}
	}
	t.expect(sameSet(n.Enabled, enabled), "enabled-list-wrong", "got %v, want %v", n.Enabled, enabled)
	t.expect(sameSet(n.Disabled, disabled), "disabled-list-wrong", "got %v, want %v", n.Disabled, disabled)
	for _, d := range n.Diagnostics {
		t.expect(requested[d.Capability], "unrequested-diagnosed", "%s", d.Capability)
	}
}

// supports reports whether the adapter declares a capability.
func (t *T) supports(ctx context.Context, id history.Capability) bool {
	return t.statuses(t.negotiate(ctx, askAll(false)...))[id].Supported
}
