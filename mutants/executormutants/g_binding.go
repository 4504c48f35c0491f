package executormutants

import (
	"crypto/rand"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// binds is a twist of what the host's handle shows before each event.
func binds(bind func(outer, inner *executor.Run, before int)) twist {
	return func(*right) hooks { return hooks{bind: bind} }
}

func bindingMutants() []Mutant {
	const topic = "executor.binding."
	return []Mutant{
		mutant("G01", topic+"not-before", "run-id-bound-early", "binds the handle when it is observed", func(r *right) hooks {
			return hooks{events: func(run *executor.Run) executor.Stream {
				run.Bind("run-1")
				return r.adapter.Events(run)
			}}
		}),
		mutant("G02", topic+"first-event", "run-id-empty", "binds the handle to an empty id", binds(func(outer, _ *executor.Run, _ int) { outer.Mirror("", true) })),
		mutant("G07", topic+"constant", "run-id-unbound", "never binds the handle", binds(func(_, _ *executor.Run, _ int) {})),
		mutant("G08", topic+"first-event", "run-id-unbound", "binds the handle one event late", binds(func(outer, inner *executor.Run, before int) {
			if id, _ := inner.ID(); before > 0 {
				outer.Bind(id)
			}
		})),
		mutant("x-bound-otherwise", topic+"first-event", "run-id-differs", "binds the handle to an id that no event has", binds(func(outer, _ *executor.Run, _ int) { outer.Bind("run-1") })),
		mutant("G05", topic+"constant", "run-id-changed", "binds the handle anew at each event", binds(func(outer, _ *executor.Run, _ int) { outer.Mirror(rand.Text(), true) })),
		mutant("x-unbound-again", topic+"constant", "run-id-changed", "takes the id back when the run is well under way", binds(func(outer, inner *executor.Run, before int) {
			id, _ := inner.ID()
			outer.Mirror(id, true)
			if before > 1 {
				outer.Mirror("", false)
			}
		})),
		mutant("G04", topic+"native", "run-id-not-native", "takes the session key for the run id", func(*right) hooks {
			return hooks{
				bind: func(outer, _ *executor.Run, _ int) { outer.Bind(outer.SessionKey()) },
				stamp: func(run *executor.Run) func(executor.Event) executor.Event {
					return func(e executor.Event) executor.Event {
						head := e.Head()
						head.RunID = run.SessionKey()
						return e.WithHead(head)
					}
				},
			}
		}),
		mutant("O05", topic+"per-run", "run-id-reused", "all sessions and runs share one run id", sharedRunID),
		mutant("x-next-run-unbound", topic+"per-run", "run-id-unbound", "binds the first handle of a session only", bindsFirst),
	}
}

// bindsFirst is a twist that binds the first handle of each session.
func bindsFirst(*right) hooks {
	var mu sync.Mutex
	bound := map[string]*executor.Run{}
	return hooks{bind: func(outer, inner *executor.Run, _ int) {
		mu.Lock()
		defer mu.Unlock()
		if first := bound[outer.SessionKey()]; first != nil && first != outer {
			return
		}
		bound[outer.SessionKey()] = outer
		id, _ := inner.ID()
		outer.Bind(id)
	}}
}

// sharedRunID is a twist that takes the first run's id for all.
func sharedRunID(*right) hooks {
	var mu sync.Mutex
	var first string
	id := func(own string) string {
		mu.Lock()
		defer mu.Unlock()
		if first == "" {
			first = own
		}
		return first
	}
	return hooks{
		bind: func(outer, inner *executor.Run, _ int) {
			own, _ := inner.ID()
			outer.Bind(id(own))
		},
		stamp: func(*executor.Run) func(executor.Event) executor.Event {
			return func(e executor.Event) executor.Event {
				head := e.Head()
				head.RunID = id(head.RunID)
				return e.WithHead(head)
			}
		},
	}
}
