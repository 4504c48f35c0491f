package historytest

import (
	"context"
	"slices"
	"unicode/utf16"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func declarationChecks() []check.Check {
	return []check.Check{
		// Every capability of the registry is declared, once.
		{
			ID: "history.capabilities.declarations-complete", Case: "capabilities", Clause: "history#declarations-complete",
			Level: check.Must, Provenance: check.Stated, Codes: codes("declaration-missing", "declaration-duplicate"),
			Title: "declares every capability once",
			Run: with(func(ctx context.Context, t *T) {
				count := map[history.Capability]int{}
				for _, d := range t.declarations(ctx) {
					count[d.ID]++
				}
				for _, id := range history.Capabilities() {
					t.expect(count[id] > 0, "declaration-missing", "%s", id)
					t.expect(count[id] < 2, "declaration-duplicate", "%s", id)
				}
			}),
		},
		// A declaration says yes with a version, or no with a reason.
		{
			ID: "history.capabilities.declaration-form", Case: "capabilities", Clause: "history#declaration-form",
			Level: check.Should, Provenance: check.Implied,
			Codes: codes("declaration-missing", "declaration-undecided", "declaration-version-invalid", "declaration-reason-missing"),
			Title: "declares yes with a version or no with a reason",
			Run: with(func(ctx context.Context, t *T) {
				declared := t.declarations(ctx)
				t.demand(len(declared) > 0, "declaration-missing", "nothing is declared")
				for _, d := range declared {
					switch yes, ok := d.Supported.Get(); {
					case !ok:
						t.Notef("declaration-undecided", "%s", d.ID)
					case yes && !validVersion(d):
						t.Notef("declaration-version-invalid", "%s: %q", d.ID, d.Version)
					case !yes && blank(d.Reason):
						t.Notef("declaration-reason-missing", "%s", d.ID)
					}
				}
			}),
		},
		// A reason is a short text: it is shown, logged and carried about, and must not
		// be a way out for content.
		{
			ID: "history.capabilities.reason-bounded", Case: "capabilities", Clause: "history#reason-bounded",
			Level: check.Must, Provenance: check.Stated, Codes: codes("reason-unbounded", "message-unbounded", "reason-leaks"),
			Title: "keeps reasons short and free of content",
			Run: with(func(ctx context.Context, t *T) {
				t.alive(ctx)
				p := t.private()
				t.complete(ctx, p.Payload)
				n := t.negotiate(ctx, askAll(false)...)
				t.statuses(n)
				for _, s := range n.Statuses {
					t.expect(units(s.Reason) <= history.MaxReasonUnits, "reason-unbounded", "%s: %d", s.ID, units(s.Reason))
				}
				for _, d := range n.Diagnostics {
					t.expect(units(d.Message) <= maxMessageUnits, "message-unbounded", "%s: %d", d.Capability, units(d.Message))
				}
				if s, leak := found(texts(n), append(p.Private, t.contents()...)); leak {
					t.Notef("reason-leaks", "%q", s)
				}
			}),
		},
	}
}

// maxMessageUnits bounds a message: a reason, and what is said around it.
const maxMessageUnits = history.MaxReasonUnits + 272

// units is a length in UTF-16 code units.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// validVersion reports whether negotiation takes the version of a declaration.
func validVersion(d history.Declaration) bool {
	n := history.Negotiate([]history.Declaration{history.Supports(history.Compaction, d.Version)}, nil)
	return slices.ContainsFunc(n.Statuses, func(s history.Status) bool { return s.ID == history.Compaction && s.Supported })
}

// askAll requests every capability.
func askAll(required bool) []history.Request {
	out := []history.Request{}
	for _, id := range history.Capabilities() {
		out = append(out, history.Request{ID: id, Required: required})
	}
	return out
}

// statuses gives the statuses by id; unless there is one for each capability the
// check ends.
func (t *T) statuses(n history.Negotiation) map[history.Capability]history.Status {
	out := map[history.Capability]history.Status{}
	for _, s := range n.Statuses {
		out[s.ID] = s
	}
	for _, id := range history.Capabilities() {
		_, ok := out[id]
		t.require(ok, "a capability has no status")
	}
	return out
}
