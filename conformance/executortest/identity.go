package executortest

import (
	"context"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func identity() []check.Check {
	return []check.Check{
		// An adapter has an id that is not blank; it is the same each time it is asked
		// and the same for every instance, as a registry keys by it.
		{
			ID: "executor.identity.id-stable", Case: "identity", Clause: "executor#identity",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"id-blank", "id-unstable"},
			Title: "has one non-blank id, the same for every instance",
			Run: with(func(ctx context.Context, t *T) {
				id := t.Adapter.ID()
				t.Code("id-blank").Expect(strings.TrimSpace(id)).NotTo(BeEmpty())
				t.Code("id-unstable").Expect(t.Adapter.ID()).To(Equal(id))
				t.Code("id-unstable").Expect(build(ctx, t.C).Adapter.ID()).To(Equal(id))
			}),
		},
		// What takes part behind an adapter is an agent or a human.
		{
			ID: "executor.identity.participant-kind", Case: "identity", Clause: "executor#identity",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"participant-kind-unknown"},
			Title: "says that an agent or a human takes part",
			Run: with(func(_ context.Context, t *T) {
				t.Code("participant-kind-unknown").Expect(t.Adapter.ParticipantKind()).To(BeElementOf(executor.Agent, executor.Human))
			}),
		},
	}
}
