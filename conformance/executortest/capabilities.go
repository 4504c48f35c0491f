package executortest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func capabilities() []check.Check {
	return []check.Check{
		// Every closed field of the capabilities holds a word of its set or is absent;
		// models is a list of names, which may be empty; a window is a count.
		{
			ID: "executor.capabilities.shape", Case: "capabilities", Clause: "executor#capabilities-shape",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{
				check.CapabilitiesNotObject, check.FlagMissing, check.FlagNotBoolean,
				"models-missing", "model-blank", "context-window-negative", "runtime-class-unknown", "native-home-scope-unknown", "native-preservation-unknown", "native-channels-unknown",
			},
			Title: "describes itself in the words of the contract",
			Run: with(func(ctx context.Context, t *T) {
				c := t.Adapter.Capabilities()
				t.misread(ctx)
				// All zero is what an adapter gives that never filled it in: models is
				// required, so nil is a missing key.
				t.Code("models-missing").Expect(c.Models).NotTo(BeNil())
				for _, m := range c.Models {
					t.Code("model-blank").Expect(strings.TrimSpace(m)).NotTo(BeEmpty())
				}
				t.Code("context-window-negative").Expect(c.ContextWindowTokens).To(BeNumerically(">=", 0))
				t.Code("runtime-class-unknown").Expect(c.RuntimeClass).To(BeElementOf(executor.RuntimeClass(""), executor.WrappedOneshot, executor.ConnectedSubstrate, executor.Native))
				if c.NativeHome != nil {
					t.Code("native-home-scope-unknown").Expect(c.NativeHome.Scope).To(BeElementOf(executor.PerIdentity, executor.PerRun))
				}
				for _, p := range []executor.Preservation{c.NativeSkills, c.NativeMemory} {
					t.Code("native-preservation-unknown").Expect(p).To(BeElementOf(executor.Preservation(""), executor.Preserve, executor.PreserveNone))
				}
				t.Code("native-channels-unknown").Expect(c.NativeChannels).To(BeElementOf(executor.Channels(""), executor.GatewayChannels, executor.NoChannels))
			}),
		},
		// Capabilities are static: equal for every instance, before, during and after a
		// run.
		{
			ID: "executor.capabilities.stable", Case: "capabilities", Clause: "executor#capabilities-pure",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"capabilities-unstable"},
			Title: "gives the same capabilities whenever it is asked",
			Run: with(func(ctx context.Context, t *T) {
				first := t.Adapter.Capabilities()
				t.Expect(first.Models).NotTo(BeNil())
				same := func(a executor.Adapter) {
					t.Code("capabilities-unstable").Expect(a.Capabilities()).To(Equal(first))
				}
				same(t.Adapter)
				same(build(ctx, t.C).Adapter)
				live := t.Start(ctx, t.Opts("s"))
				same(t.Adapter)
				live.Say(ctx, append(live.Hello(), live.Ok())...)
				o := t.Observe(ctx, live.Handle)
				o.Done(ctx)
				same(t.Adapter)
			}),
		},
		// The caller owns what it was given: changing it changes no later answer.
		{
			ID: "executor.capabilities.owned", Case: "capabilities", Clause: "executor#capabilities-pure",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.InProcess},
			Codes: []check.Code{"capabilities-aliased"},
			Title: "gives each caller capabilities of its own",
			Run: with(func(_ context.Context, t *T) {
				mine := t.Adapter.Capabilities()
				t.Expect(mine.Models).NotTo(BeNil())
				want := slices.Clone(mine.Models)
				for i := range mine.Models {
					mine.Models[i] = "changed by the caller"
				}
				home := mine.NativeHome
				var wantHome executor.NativeHome
				if home != nil {
					wantHome = *home
					home.Persist, home.Scope = !home.Persist, "changed"
				}
				again := t.Adapter.Capabilities()
				t.Code("capabilities-aliased").Expect(reflect.DeepEqual(again.Models, want) || len(want) == 0).To(BeTrue())
				if home != nil {
					t.Code("capabilities-aliased").Expect(*again.NativeHome).To(Equal(wantHome))
				}
			}),
		},
		// An adapter that claims resume has a codec: without one a session cannot
		// outlive the process.
		{
			ID: "executor.capabilities.resume-honest", Case: "capabilities", Clause: "executor#capabilities-honest",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"resume-without-codec"},
			Title: "has a session codec if it claims to resume",
			Run: with(func(ctx context.Context, t *T) {
				codec, has := t.Adapter.(executor.SessionCodec)
				if !t.Adapter.Capabilities().Resume {
					t.Unobserved(fakes.Codec)
				}
				t.Code("resume-without-codec").Expect(has).To(BeTrue())
				_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) { return codec.Restore(ctx, "") })
				t.Code("resume-without-codec").Expect(errors.Is(err, errors.ErrUnsupported)).To(BeFalse())
			}),
		},
		// A runtime that is claimed to be steerable gets written context while its run
		// is live.
		{
			ID: "executor.capabilities.steerable-honest", Case: "capabilities", Clause: "executor#capabilities-honest",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Steer},
			Codes: []check.Code{"steerable-untrue"},
			Title: "brings written context to the live run if it claims to be steerable",
			Run: with(func(ctx context.Context, t *T) {
				if !t.Adapter.Capabilities().Steerable {
					t.Unobserved(fakes.Steer)
				}
				t.Code("steerable-untrue").Expect(t.steers(ctx)).To(BeTrue())
			}),
		},
		// A runtime whose live runs get written context says that it is steerable.
		{
			ID: "executor.capabilities.steerable-claimed", Case: "capabilities", Clause: "executor#capabilities-honest",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.Steer},
			Codes: []check.Code{"steerable-unclaimed"},
			Title: "claims to be steerable if written context reaches the live run",
			Run: with(func(ctx context.Context, t *T) {
				if !t.steers(ctx) {
					t.Unobserved(fakes.Steer)
				}
				t.Code("steerable-unclaimed").Expect(t.Adapter.Capabilities().Steerable).To(BeTrue())
			}),
		},
	}
}

// misread ends the check if the capabilities had values for which Go has no place.
func (t *T) misread(ctx context.Context) {
	m, ok := t.Adapter.(check.Misread)
	if !ok {
		return
	}
	for _, code := range check.Call(ctx, t.C, "", t.Budgets.Call, m.MisreadCapabilities) {
		t.Note(code)
	}
	t.Stop()
}

// steers writes context while a run is live and reports whether the runtime got it.
func (t *T) steers(ctx context.Context) bool {
	live := t.Start(ctx, t.Opts("s"))
	live.Say(ctx, live.Hello()...)
	o := t.Observe(ctx, live.Handle)
	o.next(ctx, t.Budgets.Quiet)
	word := t.Word()
	check.Do(ctx, t.C, "", t.Budgets.Call, func(ctx context.Context) error {
		return t.Adapter.WriteContext(ctx, live.Handle, "NOTES.md", word)
	})
	wait, cancel := context.WithTimeout(ctx, t.Budgets.Quiet)
	defer cancel()
	return poll(wait, func() bool {
		return slices.ContainsFunc(live.Native.Calls(), func(c fakes.Call) bool { return mentions(c, word) })
	})
}
