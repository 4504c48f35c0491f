package executortest

import (
	"context"
	"slices"
	"strings"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// questions lists the ids that the run's status events ask about.
func questions(o *Observer) []string {
	var ids []string
	for _, s := range All[executor.Status](o) {
		if id, ok := strings.CutPrefix(s.Detail, executor.DetailApproval); ok {
			ids = append(ids, strings.TrimPrefix(id, ":"))
		}
	}
	return ids
}

// asks lets a run put questions and waits until the observer has heard them.
func (t *T) asks(ctx context.Context, ids ...string) (*Live, *Observer) {
	live, o := t.speaking(ctx, "s")
	for _, id := range ids {
		live.Say(ctx, fakes.Ask{ID: id, Tool: "shell"})
		o.until(ctx, t.Budgets.FirstEvent, func(executor.Event) bool { return slices.Contains(questions(o), id) })
	}
	return live, o
}

// answers lists what reached the runtime as an answer to the question.
func answers(l *Live, id string) []bool {
	var all []bool
	for _, c := range l.Native.Calls() {
		if c.Method == fakes.MethodAnswer && c.Question == id {
			all = append(all, c.Allow)
		}
	}
	return all
}

// answered waits for the first answer to the question.
func (l *Live) answered(ctx context.Context, id string) bool {
	wait, cancel := context.WithTimeout(ctx, l.t.Budgets.Abort)
	defer cancel()
	return poll(wait, func() bool { return len(answers(l, id)) > 0 })
}

// approver is the adapter's own; one that has none is not judged.
func (t *T) approver() executor.Approver {
	a, ok := t.Adapter.(executor.Approver)
	if !ok {
		t.Unobserved(fakes.Approvals)
	}
	return a
}

// approve answers a question of the runtime.
func (t *T) approve(ctx context.Context, live *Live, id string, allow bool) error {
	a := t.approver()
	_, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (any, error) { return nil, a.Approve(ctx, live.Handle, id, allow) })
	return err
}

func approval() []check.Check {
	needs := []check.Feature{fakes.Approvals}
	return []check.Check{
		// A question is one status event with a closed code and the question's id.
		{
			ID: "executor.approval.question", Case: "events-round-trip", Clause: "executor#approval",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"question-lost", "question-id-lost", "question-repeated"},
			Title: "passes a question of the runtime on, once and with its id",
			Run: with(func(ctx context.Context, t *T) {
				id := "q-" + t.Word()
				live, o := t.asks(ctx, id)
				live.Say(ctx, live.Ok())
				o.Done(ctx)
				asked := questions(o)
				t.Code("question-lost").Expect(asked).NotTo(BeEmpty())
				t.Code("question-id-lost").Expect(asked).To(ContainElement(id))
				t.Code("question-repeated").Expect(asked).To(HaveLen(1))
			}),
		},
		// The host's answer reaches the runtime, under the question's id, once.
		{
			ID: "executor.approval.answer", Case: "events-round-trip", Clause: "executor#approval",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"approve-failed", "answer-lost", "answer-wrong", "answer-repeated"},
			Title: "brings the host's answer to the runtime once",
			Run: with(func(ctx context.Context, t *T) {
				for _, allow := range []bool{true, false} {
					t := build(ctx, t.C)
					id := "q-" + t.Word()
					live, _ := t.asks(ctx, id)
					t.Code("approve-failed").Expect(t.approve(ctx, live, id, allow)).To(Succeed())
					t.Code("answer-lost").Expect(live.answered(ctx, id)).To(BeTrue())
					_ = t.approve(ctx, live, id, !allow) // too late: it was answered
					got := answers(live, id)
					t.Code("answer-wrong").Expect(got[0]).To(Equal(allow))
					t.Code("answer-repeated").Expect(got).To(HaveLen(1))
				}
			}),
		},
		// Two open questions are answered each on its own.
		{
			ID: "executor.approval.independent", Case: "events-round-trip", Clause: "executor#approval",
			Level: check.Should, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"approve-failed", "answer-lost", "answer-mixed"},
			Title: "keeps two open questions apart",
			Run: with(func(ctx context.Context, t *T) {
				first, second := "q-"+t.Word(), "q-"+t.Word()
				live, _ := t.asks(ctx, first, second)
				t.Code("approve-failed").Expect(t.approve(ctx, live, second, true)).To(Succeed())
				t.Code("answer-mixed").Expect(answers(live, first)).NotTo(ContainElement(true))
				t.Code("approve-failed").Expect(t.approve(ctx, live, first, false)).To(Succeed())
				t.Code("answer-lost").Expect(live.answered(ctx, first) && live.answered(ctx, second)).To(BeTrue())
				t.Code("answer-mixed").Expect([]bool{answers(live, first)[0], answers(live, second)[0]}).To(Equal([]bool{false, true}))
			}),
		},
		// A question that stays unanswered is denied within the budget, and the run goes
		// on. A subject is built with an approval budget that is shorter than the suite's
		// budget for aborts.
		{
			ID: "executor.approval.unanswered", Case: "events-round-trip", Clause: "executor#approval-fails-closed",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"unanswered-allowed", "unanswered-open", "run-lost-after-denial"},
			Title: "denies what nobody answers",
			Run: with(func(ctx context.Context, t *T) {
				id := "q-" + t.Word()
				live, o := t.asks(ctx, id)
				t.Code("unanswered-open").Expect(live.answered(ctx, id)).To(BeTrue())
				t.Code("unanswered-allowed").Expect(answers(live, id)).NotTo(ContainElement(true))
				word := t.Word()
				live.Say(ctx, live.Text(" on without it "+word), live.Ok())
				t.Code("run-lost-after-denial").Expect(o.Done(ctx)).To(BeTrue())
				t.Code("run-lost-after-denial").Expect(o.Text()).To(ContainSubstring(word))
			}),
		},
		// An abort settles open questions: a yes that comes after it allows nothing.
		{
			ID: "executor.approval.abort", Case: "abort", Clause: "executor#approval-fails-closed",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong", "late-answer-allowed"},
			Title: "lets no answer through after an abort",
			Run: with(func(ctx context.Context, t *T) {
				id := "q-" + t.Word()
				live, o := t.asks(ctx, id)
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				if _, ok := t.Adapter.(executor.Approver); ok {
					_ = t.approve(ctx, live, id, true)
				}
				t.aborted(ctx, o)
				t.Code("late-answer-allowed").Expect(answers(live, id)).NotTo(ContainElement(true))
			}),
		},
		// A yes to a question that was never asked allows nothing.
		{
			ID: "executor.approval.unasked", Case: "events-round-trip", Clause: "executor#approval-fails-closed",
			Level: check.Must, Provenance: check.Decided, Needs: needs,
			Codes: []check.Code{"unasked-allowed", "unanswered-open"},
			Title: "lets a yes through only for a question that is open",
			Run: with(func(ctx context.Context, t *T) {
				id, never := "q-"+t.Word(), "q-"+t.Word()
				live, _ := t.asks(ctx, id)
				_ = t.approve(ctx, live, never, true)
				// The denial of the open question is the fence.
				t.Code("unanswered-open").Expect(live.answered(ctx, id)).To(BeTrue())
				t.Code("unasked-allowed").Expect(answers(live, never)).NotTo(ContainElement(true))
				t.Code("unasked-allowed").Expect(answers(live, id)).NotTo(ContainElement(true))
			}),
		},
	}
}
