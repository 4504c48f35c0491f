package executormutants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// approves is a twist of answers.
func approves(f func(ctx context.Context, r *right, run *executor.Run, id string, allow bool) error) twist {
	return func(r *right) hooks {
		return hooks{approve: func(ctx context.Context, run *executor.Run, id string, allow bool) error {
			return f(ctx, r, run, id, allow)
		}}
	}
}

// answers is a twist of what reaches the runtime as an answer.
func answers(change func(fakes.Call) []fakes.Call) twist {
	return func(*right) hooks {
		return hooks{calls: func(calls []fakes.Call) []fakes.Call {
			var out []fakes.Call
			for _, c := range calls {
				if c.Method == fakes.MethodAnswer {
					out = append(out, change(c)...)
				} else {
					out = append(out, c)
				}
			}
			return out
		}}
	}
}

// asked is a twist of the status that is a question.
func asked(change func(executor.Status) []executor.Event) twist {
	return edit(func(e executor.Status) []executor.Event {
		if strings.HasPrefix(e.Detail, executor.DetailApproval) {
			return change(e)
		}
		return one(e)
	})
}

func approvalMutants() []Mutant {
	const topic = "executor.approval."
	const question, answer, independent, unanswered, abort, unasked = topic + "question", topic + "answer", topic + "independent", topic + "unanswered", topic + "abort", topic + "unasked"
	errApprove := errors.New("approve: not supported")
	flipped := answers(func(c fakes.Call) []fakes.Call {
		c.Allow = !c.Allow
		return []fakes.Call{c}
	})
	failing := approves(func(context.Context, *right, *executor.Run, string, bool) error { return errApprove })
	silent := approves(func(context.Context, *right, *executor.Run, string, bool) error { return nil })
	// yes lets an answer through that the right adapter does not.
	yes := func(when func(r *right, aborted bool) bool) twist {
		return func(r *right) hooks {
			var aborted atomic.Bool
			late := make(chan fakes.Call, 16)
			var extra []fakes.Call
			return hooks{
				abort: func(ctx context.Context, run *executor.Run) error {
					aborted.Store(true)
					return r.adapter.Abort(ctx, run)
				},
				approve: func(ctx context.Context, run *executor.Run, id string, allow bool) error {
					if when(r, aborted.Load()) {
						late <- fakes.Call{Method: fakes.MethodAnswer, Question: id, Allow: allow}
						return nil
					}
					return r.adapter.Approve(ctx, run, id, allow)
				},
				calls: func(calls []fakes.Call) []fakes.Call {
					for len(late) > 0 {
						extra = append(extra, <-late)
					}
					return slices.Concat(calls, extra)
				},
			}
		}
	}
	return []Mutant{
		mutant("x-question-lost", question, "question-lost", "keeps questions to itself", asked(func(executor.Status) []executor.Event { return nil })),
		mutant("x-question-nameless", question, "question-id-lost", "leaves out the id of a question", asked(func(e executor.Status) []executor.Event {
			e.Detail = executor.DetailApproval
			return one(e)
		})),
		mutant("x-question-repeated", question, "question-repeated", "puts each question twice", asked(func(e executor.Status) []executor.Event { return []executor.Event{e, e} })),
		mutant("x-approve-fails", answer, "approve-failed", "cannot be answered", failing),
		mutant("x-approval-lost", answer, "answer-lost", "takes an answer and passes nothing on", silent, noDenial),
		mutant("x-answer-flipped", answer, "answer-wrong", "takes a yes for a no", flipped),
		mutant("x-answer-repeated", answer, "answer-repeated", "gives an answer twice", answers(func(c fakes.Call) []fakes.Call { return []fakes.Call{c, c} })),
		mutant("x-answer-latest", independent, "answer-mixed", "gives an answer to the question that came first", func(*right) hooks {
			first := newShelf()
			return hooks{
				hear: func(_ string, f fakes.Frame) []fakes.Frame {
					if ask, ok := f.(fakes.Ask); ok && first.get("") == "" {
						first.set("", ask.ID)
					}
					return []fakes.Frame{f}
				},
				calls: func(calls []fakes.Call) []fakes.Call {
					for i := range calls {
						if calls[i].Method == fakes.MethodAnswer {
							calls[i].Question = first.get("")
						}
					}
					return calls
				},
			}
		}),
		mutant("x-answer-one-only", independent, "answer-lost", "answers one question of a run", func(*right) hooks {
			return hooks{calls: func(calls []fakes.Call) []fakes.Call {
				n := 0
				return slices.DeleteFunc(calls, func(c fakes.Call) bool {
					if c.Method == fakes.MethodAnswer {
						n++
					}
					return n > 1
				})
			}}
		}, noDenial),
		mutant("x-approve-fails-second", independent, "approve-failed", "cannot be answered out of order", failing),
		mutant("x-unanswered-open", unanswered, "unanswered-open", "waits for ever for an answer", nil, noDenial),
		mutant("x-unanswered-allowed", unanswered, "unanswered-allowed", "allows what nobody answers", flipped),
		mutant("x-denial-ends-run", unanswered, "run-lost-after-denial", "says nothing more after a denial", func(*right) hooks {
			var asked atomic.Bool
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if asked.Load() {
					return nil
				}
				asked.Store(f.Word() == "ask")
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-late-answer", abort, "late-answer-allowed", "lets a yes through after an abort", yes(func(_ *right, aborted bool) bool { return aborted })),
		mutant("x-asking-abort-hangs", abort, "abort-hung", "an abort waits for the answer to an open question", aborts(func(ctx context.Context, _ *right, _ *executor.Run) error {
			<-ctx.Done()
			return ctx.Err()
		})),
		mutant("x-asking-abort-fails", abort, "abort-failed", "cannot be aborted while it asks", aborts(func(context.Context, *right, *executor.Run) error { return errApprove })),
		mutant("x-asking-abort-undone", abort, "abort-without-done", "does not end an aborted run that had asked", aborted(func(executor.Done) []executor.Event { return nil })),
		mutant("x-asking-abort-error", abort, "abort-reason-wrong", "calls a run failed that was aborted while it asked", aborted(func(e executor.Done) []executor.Event {
			e.Reason = executor.ReasonError
			return one(e)
		})),
		mutant("x-unasked-allowed", unasked, "unasked-allowed", "passes on a yes to whatever question", yes(func(*right, bool) bool { return true })),
		mutant("x-unasked-opens", unasked, "unanswered-open", "takes an answer to nothing for that of the open question", func(r *right) hooks {
			return hooks{approve: func(context.Context, *executor.Run, string, bool) error { return nil }}
		}, noDenial),
	}
}
