package executormutants

import (
	"context"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func otherMutants() []Mutant {
	log := func(...string) error { return nil }
	return []Mutant{
		mutant("O01", "executor.text.increments", "text-lost", "never reads a frame: the first is text, the second the end", func(*right) hooks {
			var mu sync.Mutex
			n := 0
			return hooks{hear: func(string, fakes.Frame) []fakes.Frame {
				mu.Lock()
				defer mu.Unlock()
				n++
				switch n {
				case 1:
					return []fakes.Frame{fakes.Delta{Text: "hello"}}
				case 2:
					return []fakes.Frame{fakes.End{Reason: fakes.EndOK}}
				default:
					return nil
				}
			}}
		}),
		mutant("O02", "executor.abort.stops", "abort-not-sent", "every control only appends its arguments to a log", func(*right) hooks {
			return hooks{
				abort:        func(_ context.Context, run *executor.Run) error { return log("abort", run.SessionKey()) },
				setModel:     func(_ context.Context, run *executor.Run, model string) error { return log("model", model) },
				writeContext: func(_ context.Context, run *executor.Run, key, value string) error { return log(key, value) },
			}
		}),
	}
}
