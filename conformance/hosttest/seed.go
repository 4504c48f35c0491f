package hosttest

import (
	"context"
	"net/http"
	"regexp"

	"github.com/onsi/gomega"
	gtypes "github.com/onsi/gomega/types"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// agentID is native-, a few words of the agent's name, and six characters of a random
// id.
var agentID = regexp.MustCompile(`^native-[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{6}$`)

func beCreated() gtypes.GomegaMatcher { return gomega.Equal(http.StatusCreated) }

func seedChecks() []check.Check {
	const path = "/api/onboarding/seed-native-team"
	return []check.Check{
		{
			ID: "host.seed-team.creates", Case: "seed-team", Clause: "host#seed-team",
			Level: check.Must, Provenance: check.Stated, Codes: codes("seed-refused", "agent-id-form", "team-id-missing", "agents-alike"),
			Title: "makes a team of a leader and a specialist, for every provider",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range providers() {
					a := t.post(ctx, path, object{"provider": provider})
					t.demand(a.status == http.StatusCreated, "seed-refused", "%s: %s", provider, a)
					t.demand(a.text("teamId") != "", "team-id-missing", "%s", a)
					leader, specialist := a.text("leaderAgentId"), a.text("specialistAgentId")
					t.demand(agentID.MatchString(leader) && agentID.MatchString(specialist), "agent-id-form", "%s", a)
					t.demand(leader != specialist, "agents-alike", "%s", a)
				}
			}),
		},
		// A model is a wish for the leader; without a provider the host finds one.
		{
			ID: "host.seed-team.defaults", Case: "seed-team", Clause: "host#seed-team",
			Level: check.Must, Provenance: check.Stated, Codes: codes("seed-refused"),
			Title: "seeds without a provider, without a key, and with a model",
			Run: with(func(ctx context.Context, t *T) {
				for _, o := range []object{{}, {"model": "claude-sonnet-5"}, {"provider": openrouter, "model": "a/model"}} {
					a := t.post(ctx, path, o)
					t.demand(a.status == http.StatusCreated, "seed-refused", "%v: %s", o, a)
				}
			}),
		},
		{
			ID: "host.seed-team.apart", Case: "seed-team", Clause: "host#seed-team",
			Level: check.Must, Provenance: check.Stated, Codes: codes("team-reused", "agent-reused"),
			Title: "makes another team each time",
			Run: with(func(ctx context.Context, t *T) {
				seen := map[string]bool{}
				for range 4 {
					a := t.post(ctx, path, object{"provider": anthropic})
					t.Expect(a.status).To(beCreated(), "seed a team: %s", a)
					t.demand(!seen[a.text("teamId")], "team-reused", "%s", a)
					for _, id := range []string{a.text("leaderAgentId"), a.text("specialistAgentId")} {
						t.demand(!seen[id], "agent-reused", "%s", a)
						seen[id] = true
					}
					seen[a.text("teamId")] = true
				}
			}),
		},
		{
			ID: "host.seed-team.unknown-provider", Case: "seed-team", Clause: "host#seed-refusals",
			Level: check.Must, Provenance: check.Stated, Codes: codes("unknown-provider-seeded", "refusal-shape"),
			Title: "refuses a provider that it does not know",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range []string{"nobody", "constructor", "ANTHROPIC"} {
					a := t.post(ctx, path, object{"provider": provider})
					t.demand(a.status == http.StatusBadRequest, "unknown-provider-seeded", "%s: %s", provider, a)
					t.demand(a.refused(), "refusal-shape", "%s: %s", provider, a)
				}
			}),
		},
		{
			ID: "host.seed-team.offline", Case: "seed-team", Clause: "host#seed-offline", Needs: []check.Feature{fakes.Outbound},
			Level: check.Must, Provenance: check.Stated, Codes: codes("seed-calls-out"),
			Title: "calls no provider to seed a team",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range providers() {
					t.connected(ctx, provider, t.key())
					a := t.post(ctx, path, object{"provider": provider})
					t.Expect(a.status).To(beCreated(), "%s", a)
				}
				t.offline(ctx, "seed-calls-out")
			}),
		},
	}
}
