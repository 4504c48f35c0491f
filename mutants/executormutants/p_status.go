package executormutants

import (
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// reports is a twist of status events.
func reports(change func(executor.Status) []executor.Event) twist { return edit(change) }

func statusMutants() []Mutant {
	const progress, detail, initFirst = "executor.status.progress", "executor.status.detail", "executor.status.init-first"
	return []Mutant{
		mutant("x-phase-of-its-own", progress, "status-phase-unknown", "reports the end of a turn in a phase of its own", reports(func(e executor.Status) []executor.Event {
			if e.Phase == executor.PhaseTurnComplete {
				e.Phase = "idle"
			}
			return one(e)
		})),
		mutant("x-turn-ends-run", progress, "run-ended-by-status", "takes the end of a turn for the end of the run", hears(func(f fakes.Turn) []fakes.Frame {
			if f.State == "turn-complete" {
				return []fakes.Frame{fakes.End{Reason: fakes.EndOK}}
			}
			return []fakes.Frame{f}
		})),
		mutant("x-turn-hangs-run", progress, "done-missing", "stops reading at the end of a turn", func(*right) hooks {
			stopped := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				turn, ok := f.(fakes.Turn)
				stopped = stopped || ok && turn.State == "turn-complete"
				if stopped {
					return nil
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-status-carries-text", detail, "status-carries-text", "repeats the runtime's words in a status", func(*right) hooks {
			notice := ""
			h := reports(func(e executor.Status) []executor.Event {
				if e.Detail == executor.DetailRetry {
					e.Detail = "retry:" + notice
				}
				return one(e)
			})(nil)
			h.hear = func(_ string, f fakes.Frame) []fakes.Frame {
				if turn, ok := f.(fakes.Turn); ok && turn.Text != "" {
					notice = turn.Text
				}
				return []fakes.Frame{f}
			}
			return h
		}),
		mutant("x-status-prose", detail, "status-detail-prose", "tells progress in sentences", reports(func(e executor.Status) []executor.Event {
			e.Detail = "still working on it"
			return one(e)
		})),
		mutant("x-init-late", initFirst, "init-late", "reports init when the run is well under way", rewriting(func() func(executor.Event) []executor.Event {
			var held executor.Event
			return func(e executor.Event) []executor.Event {
				if s, ok := e.(executor.Status); ok && s.Phase == executor.PhaseInit {
					held = e
					return nil
				}
				if before := held; before != nil && e.Kind() == executor.KindTextDelta {
					held = nil
					return []executor.Event{e, before}
				}
				return one(e)
			}
		})),
		mutant("x-init-repeated", initFirst, "init-repeated", "reports init with each turn", reports(func(e executor.Status) []executor.Event {
			return []executor.Event{e, e}
		})),
	}
}
