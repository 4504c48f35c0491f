package executormutants

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// late is a twist of what an observer gets that reads when the run is over: the
// policy says what a queue of the mutant's own would have kept by then.
func late(policy func(all []executor.Event) []executor.Event) twist {
	return rewriting(func() func(executor.Event) []executor.Event {
		var held []executor.Event
		return func(e executor.Event) []executor.Event {
			held = append(held, e)
			if e.Kind() != executor.KindDone {
				return nil
			}
			return policy(held)
		}
	})
}

// olderWithout is a policy that drops the events of a kind, but for those among the
// newest n.
func olderWithout(n int, kind executor.Kind) func([]executor.Event) []executor.Event {
	return func(all []executor.Event) []executor.Event {
		edge := len(all) - n
		i := 0
		return slices.DeleteFunc(slices.Clone(all), func(e executor.Event) bool {
			i++
			return i <= edge && e.Kind() == kind
		})
	}
}

func queueMutants() []Mutant {
	const topic = "executor.queues."
	const held = 1000
	newest := func(n int) func([]executor.Event) []executor.Event {
		return func(all []executor.Event) []executor.Event { return all[max(0, len(all)-n):] }
	}
	return []Mutant{
		mutant("E13", topic+"bounded", "queue-unbounded", "holds everything for an observer that does not read", nil, unbounded),
		mutant("E14", topic+"burst", "burst-lost", "holds two events", late(newest(2)), unbounded),
		mutant("E16", topic+"done-kept", "done-dropped", "drops what comes when its queue is full", late(func(all []executor.Event) []executor.Event {
			return all[:min(len(all), held)]
		}), unbounded),
		mutant("x-newest-dropped", topic+"bounded", "newest-dropped", "drops the newest text, and keeps the end", late(func(all []executor.Event) []executor.Event {
			return append(slices.Clone(all[:min(len(all)-1, held)]), all[len(all)-1])
		}), unbounded),
		mutant("x-queue-disordered", topic+"bounded", "queue-disordered", "puts the oldest text behind the newest when its queue is full", late(func(all []executor.Event) []executor.Event {
			if len(all) <= held {
				return all
			}
			done, kept := all[len(all)-1], slices.Clone(all[len(all)-held:len(all)-1])
			return slices.Concat(kept[held/2:], kept[:held/2], []executor.Event{done})
		}), unbounded),
		mutant("x-block-and-drop", topic+"bounded", "text-lost", "declares to hold its runtime up, and drops text", nil, blocks),
		mutant("R02", topic+"done-kept", "done-dropped", "drops the oldest, a done as well as text, for what comes after it", late(func(all []executor.Event) []executor.Event {
			if len(all) > held { // as if so many frames had followed it
				return nil
			}
			return all
		}), unbounded),
		mutant("x-calls-dropped", topic+"calls-kept", "call-dropped", "drops old calls as it drops old text", late(olderWithout(held, executor.KindToolCall)), unbounded),
		mutant("x-results-dropped", topic+"calls-kept", "result-dropped", "drops old results as it drops old text", late(olderWithout(held, executor.KindToolResult)), unbounded),
		mutant("x-costs-dropped", topic+"calls-kept", "cost-dropped", "drops old costs as it drops old text", late(olderWithout(held, executor.KindCost)), unbounded),
		mutant("x-overflow-undone", topic+"overflow", "overflow-without-done", "ends the stream of an observer that fell behind without a word", edit(func(e executor.Done) []executor.Event {
			if e.Reason == executor.ReasonError {
				return nil
			}
			return one(e)
		})),
		mutant("x-overflow-for-all", topic+"overflow", "overflow-reaches-others", "fails the run when one of its observers falls behind", func(*right) hooks {
			var said atomic.Int64
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if said.Add(1) == 10*held {
					return []fakes.Frame{fakes.Failure{Code: "queue", Message: "an observer is too slow", Fatal: true}}
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-sessions-starved", topic+"other-session", "session-starved", "reads no session while an observer of one is full", func(*right) hooks {
			var unread, reading atomic.Int64
			return hooks{
				hear: func(session string, f fakes.Frame) []fakes.Frame {
					if unread.Add(1) > held && session == "s" && reading.Load() == 0 {
						return nil
					}
					return []fakes.Frame{f}
				},
				stream: func(run *executor.Run, in executor.Stream) executor.Stream {
					return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
						if run.SessionKey() == "flooded" {
							reading.Store(1)
						}
						return in.Next(ctx)
					}}
				},
			}
		}),
	}
}
