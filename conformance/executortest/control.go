package executortest

import (
	"context"
	"errors"
	"slices"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// reach looks for a word that a control call gave the adapter: in the live run, or,
// where the wire takes nothing in mid-run, in the session's next one. It returns
// the call that carried it.
func (t *T) reach(ctx context.Context, live *Live, o *Observer, word string) (fakes.Call, bool) {
	found := func() (fakes.Call, bool) {
		calls := live.Native.Calls()
		i := slices.IndexFunc(calls, func(c fakes.Call) bool { return mentions(c, word) })
		if i < 0 {
			return fakes.Call{}, false
		}
		return calls[i], true
	}
	wait, cancel := context.WithTimeout(ctx, t.Budgets.Quiet)
	defer cancel()
	if poll(wait, func() bool { _, ok := found(); return ok }) {
		return found()
	}
	live.Say(ctx, live.Ok())
	o.Done(ctx)
	next := t.Start(ctx, t.Opts(live.Handle.SessionKey()))
	begun := next.begun()
	return begun, mentions(begun, word)
}

// among starts a run with runs of other sessions before and after it, where the
// wire has several.
func (t *T) among(ctx context.Context) (*Live, *Observer, []*Live) {
	if !t.Offers(fakes.Sessions) {
		live, o := t.speaking(ctx, "s")
		return live, o, nil
	}
	before, _ := t.speaking(ctx, "other")
	live, o := t.speaking(ctx, "s")
	after, _ := t.speaking(ctx, "latest")
	return live, o, []*Live{before, after}
}

// reached reports whether the word came to one of the runs.
func reached(runs []*Live, word string) bool {
	return slices.ContainsFunc(runs, func(l *Live) bool {
		return slices.ContainsFunc(l.Native.Calls(), func(c fakes.Call) bool { return mentions(c, word) })
	})
}

// control makes a control call that must succeed in time.
func (t *T) control(ctx context.Context, hung, failed check.Code, call func(context.Context) error) {
	_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (any, error) { return nil, call(ctx) })
	t.Code(hung).Expect(errors.Is(err, check.ErrHung)).To(BeFalse())
	t.Code(failed).Expect(err).NotTo(HaveOccurred())
}

func setModel() []check.Check {
	return []check.Check{
		// A model that is set reaches the runtime, for the run's own session.
		{
			ID: "executor.set-model.reaches", Case: "set-model", Clause: "executor#set-model",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"set-model-hung", "set-model-failed", "model-lost", "model-on-wrong-session"},
			Title: "brings a model that is set to the run's session",
			Run: with(func(ctx context.Context, t *T) {
				live, o, others := t.among(ctx)
				model := "model-" + t.Word()
				t.control(ctx, "set-model-hung", "set-model-failed", func(ctx context.Context) error {
					return t.Adapter.SetModel(ctx, live.Handle, model)
				})
				call, ok := t.reach(ctx, live, o, model)
				t.Code("model-on-wrong-session").Expect(reached(others, model)).To(BeFalse())
				t.Code("model-lost").Expect(ok).To(BeTrue())
				t.Code("model-on-wrong-session").Expect(call.Session).To(BeElementOf("", "s", live.NativeSession))
			}),
		},
	}
}

func writeContext() []check.Check {
	return []check.Check{
		// Written context reaches the runtime, for the run's own session.
		{
			ID: "executor.write-context.reaches", Case: "write-context", Clause: "executor#write-context",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"write-context-hung", "write-context-failed", "context-lost", "context-key-lost", "context-on-wrong-session"},
			Title: "brings written context to the run's session",
			Run: with(func(ctx context.Context, t *T) {
				live, o, others := t.among(ctx)
				key, value := "NOTES-"+t.Word()+".md", "context "+t.Word()
				t.control(ctx, "write-context-hung", "write-context-failed", func(ctx context.Context) error {
					return t.Adapter.WriteContext(ctx, live.Handle, key, value)
				})
				call, ok := t.reach(ctx, live, o, value)
				t.Code("context-on-wrong-session").Expect(reached(others, value)).To(BeFalse())
				t.Code("context-lost").Expect(ok).To(BeTrue())
				t.Code("context-on-wrong-session").Expect(call.Session).To(BeElementOf("", "s", live.NativeSession))
				if call.Method == fakes.MethodContext {
					t.Code("context-key-lost").Expect(call.Key).To(Equal(key))
				}
			}),
		},
		// A key that would leave the place of such pieces is refused.
		{
			ID: "executor.write-context.key-jailed", Case: "write-context", Clause: "executor#write-context-key",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"write-context-hung", "context-key-escapes", "write-context-failed"},
			Title: "refuses a context key that leads out of its place",
			Run: with(func(ctx context.Context, t *T) {
				live, _ := t.speaking(ctx, "s")
				t.control(ctx, "write-context-hung", "write-context-failed", func(ctx context.Context) error {
					return t.Adapter.WriteContext(ctx, live.Handle, "fine.md", t.Word())
				})
				for _, key := range []string{"../outside.md", "a/../../outside.md", "/outside.md"} {
					_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (any, error) {
						return nil, t.Adapter.WriteContext(ctx, live.Handle, key, t.Canary)
					})
					t.Code("write-context-hung").Expect(errors.Is(err, check.ErrHung)).To(BeFalse())
					if err != nil {
						continue
					}
					for _, c := range live.Native.Calls() {
						t.Code("context-key-escapes").Expect(c.Method == fakes.MethodContext && (strings.Contains(c.Key, "..") || strings.HasPrefix(c.Key, "/"))).To(BeFalse())
					}
				}
			}),
		},
	}
}
