package historymutants

import (
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// declares makes a subject that declares otherwise.
func declares(change func(d []history.Declaration) []history.Declaration) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{declarations: func(in history.Adapter) []history.Declaration { return change(in.CapabilityDeclarations()) }}
	})
}

// negotiates makes a subject whose answers are changed.
func negotiates(change func(n *history.Negotiation)) func() check.Subject {
	return hooked(func(built) hooks {
		return hooks{negotiate: func(in history.Adapter, requested []history.Request) history.Negotiation {
			n := in.NegotiateCapabilities(requested)
			change(&n)
			return n
		}}
	})
}

// statuses makes a subject whose statuses are changed.
func statuses(change func(s *history.Status)) func() check.Subject {
	return negotiates(func(n *history.Negotiation) {
		for i := range n.Statuses {
			change(&n.Statuses[i])
		}
	})
}

// diagnoses makes a subject whose negotiation diagnostics are changed.
func diagnoses(change func(d *history.Diagnostic)) func() check.Subject {
	return negotiates(func(n *history.Negotiation) {
		for i := range n.Diagnostics {
			change(&n.Diagnostics[i])
		}
	})
}

func capabilityMutants() []Mutant {
	id := history.Embeddings
	return []Mutant{
		{"history-C01", "never declares local KV reuse", "history.capabilities.declarations-complete", "declaration-missing",
			declares(func(d []history.Declaration) []history.Declaration {
				return slices.DeleteFunc(slices.Clone(d), func(d history.Declaration) bool { return d.ID == history.LocalKVReuse })
			})},
		{"history-C02", "declares embeddings twice", "history.capabilities.declarations-complete", "declaration-duplicate",
			declares(func(d []history.Declaration) []history.Declaration {
				return append(slices.Clone(d), history.Lacks(id, "no"))
			})},
		{"history-declares-nothing", "declares nothing", "history.capabilities.declaration-form", "declaration-missing",
			declares(func([]history.Declaration) []history.Declaration { return nil })},
		{"history-declares-maybe", "declares neither yes nor no", "history.capabilities.declaration-form", "declaration-undecided",
			declares(func([]history.Declaration) []history.Declaration {
				return []history.Declaration{{ID: id, Reason: "perhaps"}}
			})},
		{"history-declares-versionless", "declares yes without a version", "history.capabilities.declaration-form", "declaration-version-invalid",
			declares(func([]history.Declaration) []history.Declaration {
				return []history.Declaration{history.Supports(id, "not a version")}
			})},
		{"history-declares-reasonless", "declares no without a reason", "history.capabilities.declaration-form", "declaration-reason-missing",
			declares(func([]history.Declaration) []history.Declaration {
				return []history.Declaration{history.Lacks(id, " ")}
			})},
		{"history-C04", "supports a capability without a version", "history.capabilities.status-evidence", "status-version-missing",
			statuses(func(s *history.Status) { s.Supported, s.Version, s.Enabled = true, "", s.Requested })},
		{"history-status-version", "lets any version through", "history.capabilities.status-evidence", "status-version-invalid",
			statuses(func(s *history.Status) { s.Supported, s.Version = true, "v 1 (beta)" })},
		{"history-status-reason", "gives no reason for what it lacks", "history.capabilities.status-evidence", "status-reason-missing",
			statuses(func(s *history.Status) { s.Reason = "" })},
		{"history-C05", "one bad declaration disables every capability", "history.capabilities.isolation", "declaration-not-isolated",
			hooked(func(built) hooks {
				declared := []history.Declaration{
					history.Supports(history.Compaction, "v1"), history.Supports(history.ProviderContinuation, "not a version"),
					history.Supports(history.Embeddings, "v1"), history.Lacks(history.LocalKVReuse, "no"),
				}
				return hooks{
					declarations: func(history.Adapter) []history.Declaration { return slices.Clone(declared) },
					negotiate: func(_ history.Adapter, requested []history.Request) history.Negotiation {
						lacks := []history.Declaration{}
						for _, d := range declared {
							lacks = append(lacks, history.Lacks(d.ID, "a declaration is malformed"))
						}
						return history.Negotiate(lacks, requested)
					},
				}
			})},
		{"history-supports-undeclared", "supports what it declares to lack", "history.capabilities.isolation", "support-unlike-declaration",
			hooked(func(built) hooks {
				return hooks{negotiate: func(_ history.Adapter, requested []history.Request) history.Negotiation {
					return history.Negotiate([]history.Declaration{history.Supports(history.Compaction, "v1")}, requested)
				}}
			})},
		{"history-C07", "panics when a required capability is not there", "history.capabilities.required-not-fatal", "required-fatal",
			negotiates(func(n *history.Negotiation) {
				for _, s := range n.Statuses {
					if s.Required && !s.Supported {
						panic("required capability is not supported")
					}
				}
			})},
		{"history-C08", "reports what is optional and missing as an error", "history.capabilities.unsupported-told", "unsupported-severity-wrong",
			diagnoses(func(d *history.Diagnostic) { d.Severity = history.Failure })},
		{"history-required-info", "reports what is required and missing as an info", "history.capabilities.unsupported-told", "unsupported-severity-wrong",
			diagnoses(func(d *history.Diagnostic) { d.Severity = history.Info })},
		{"history-undiagnosed", "says nothing of what is missing", "history.capabilities.unsupported-told", "unsupported-undiagnosed",
			negotiates(func(n *history.Negotiation) { n.Diagnostics = nil })},
		{"history-diagnostic-code", "reports what is missing under a code of its own", "history.capabilities.unsupported-told", "unsupported-code-wrong",
			diagnoses(func(d *history.Diagnostic) { d.Code = "not-there" })},
		{"history-supported-diagnosed", "complains about what it supports", "history.capabilities.unsupported-told", "supported-diagnosed",
			hooked(func(built) hooks {
				declared := []history.Declaration{history.Supports(id, "v1")}
				return hooks{
					declarations: func(history.Adapter) []history.Declaration { return declared },
					negotiate: func(_ history.Adapter, requested []history.Request) history.Negotiation {
						n := history.Negotiate(declared, requested)
						n.Diagnostics = append(n.Diagnostics, history.Diagnostic{Code: history.CodeCapabilityUnsupported, Severity: history.Info, Capability: id})
						return n
					},
				}
			})},
		{"history-C10", "answers for three capabilities", "history.capabilities.statuses", "status-missing",
			negotiates(func(n *history.Negotiation) { n.Statuses = n.Statuses[:3] })},
		{"history-status-twice", "answers twice for one capability", "history.capabilities.statuses", "status-duplicate",
			negotiates(func(n *history.Negotiation) { n.Statuses = append(n.Statuses, n.Statuses[0]) })},
		{"history-status-extra", "answers for a capability of its own", "history.capabilities.statuses", "status-unknown",
			negotiates(func(n *history.Negotiation) {
				n.Statuses = append(n.Statuses, history.Status{ID: "telepathy", Reason: "no"})
			})},
		{"history-negotiation-version", "negotiates under another contract", "history.capabilities.statuses", "negotiation-version-wrong",
			negotiates(func(n *history.Negotiation) { n.ContractVersion = "v1" })},
		{"history-only-requested", "answers only for what is requested", "history.capabilities.statuses", "status-missing",
			negotiates(func(n *history.Negotiation) {
				n.Statuses = slices.DeleteFunc(n.Statuses, func(s history.Status) bool { return !s.Requested })
			})},
		{"history-request-order", "answers in the order of the alphabet", "history.capabilities.registry-order", "registry-order",
			negotiates(func(n *history.Negotiation) {
				slices.SortFunc(n.Statuses, func(a, b history.Status) int { return -strings.Compare(string(a.ID), string(b.ID)) })
			})},
		{"history-C11", "gives a reason of 200 KB", "history.capabilities.reason-bounded", "reason-unbounded",
			statuses(func(s *history.Status) { s.Reason = strings.Repeat("because ", 25_000) })},
		{"history-message-long", "explains at length", "history.capabilities.reason-bounded", "message-unbounded",
			diagnoses(func(d *history.Diagnostic) { d.Message = strings.Repeat("because ", 1000) })},
		{"history-reason-quotes", "quotes the conversation in its reason", "history.capabilities.reason-bounded", "reason-leaks",
			hooked(func(b built) hooks {
				said := b.f.Messages[0].Blocks[0].(history.Text).Text
				return hooks{negotiate: func(in history.Adapter, requested []history.Request) history.Negotiation {
					n := in.NegotiateCapabilities(requested)
					n.Statuses[0].Reason = "not for " + said
					return n
				}}
			})},
		{"history-C13", "lists everything as enabled", "history.capabilities.lists-derive", "enabled-list-wrong",
			negotiates(func(n *history.Negotiation) { n.Enabled = history.Capabilities() })},
		{"history-disabled-all", "lists what nobody asked for as disabled", "history.capabilities.lists-derive", "disabled-list-wrong",
			negotiates(func(n *history.Negotiation) { n.Disabled = history.Capabilities() })},
		{"history-enabled-unasked", "enables what nobody asked for", "history.capabilities.lists-derive", "status-enabled-wrong",
			statuses(func(s *history.Status) { s.Enabled = !s.Enabled })},
		{"history-requested-always", "takes everything for requested", "history.capabilities.lists-derive", "status-requested-wrong",
			statuses(func(s *history.Status) { s.Requested = true })},
		{"history-required-always", "takes everything for required", "history.capabilities.lists-derive", "status-required-wrong",
			statuses(func(s *history.Status) { s.Required = true })},
		{"history-diagnoses-all", "reports what nobody asked for", "history.capabilities.lists-derive", "unrequested-diagnosed",
			hooked(func(built) hooks {
				return hooks{negotiate: func(in history.Adapter, requested []history.Request) history.Negotiation {
					n := in.NegotiateCapabilities(requested)
					asked := []history.Request{}
					for _, id := range history.Capabilities() {
						asked = append(asked, history.Request{ID: id})
					}
					n.Diagnostics = in.NegotiateCapabilities(asked).Diagnostics
					return n
				}}
			})},
		{"history-last-request", "the last request for a capability wins", "history.capabilities.requests-merge", "repeated-request-mishandled",
			hooked(func(built) hooks {
				return hooks{negotiate: func(in history.Adapter, requested []history.Request) history.Negotiation {
					last := map[history.Capability]bool{}
					for _, r := range requested {
						last[r.ID] = r.Required
					}
					asked := []history.Request{}
					for id, required := range last {
						asked = append(asked, history.Request{ID: id, Required: required})
					}
					return in.NegotiateCapabilities(asked)
				}}
			})},
		{"history-unknown-request", "disables capabilities that do not exist", "history.capabilities.requests-merge", "unknown-request-kept",
			hooked(func(built) hooks {
				return hooks{negotiate: func(in history.Adapter, requested []history.Request) history.Negotiation {
					n := in.NegotiateCapabilities(requested)
					for _, r := range requested {
						if !slices.Contains(history.Capabilities(), r.ID) {
							n.Disabled = append(n.Disabled, r.ID)
						}
					}
					return n
				}}
			})},
		{"history-C14", "panics when asked what it can do", "history.capabilities.declarations-complete", "capabilities-threw",
			declares(func([]history.Declaration) []history.Declaration { panic("not yet initialised") })},
	}
}
