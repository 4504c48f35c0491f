package hermes

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// Why a model stopped, as the books have it, where that is no success.
const (
	finishLength = "length"
	finishFilter = "content_filter"
	finishError  = "error"
)

// cutShort is the failure of an answer that the model did not finish, nil for any
// other.
func cutShort(finish string) *executor.Error {
	switch finish {
	case finishLength:
		return fatal(executor.CodeTokenLimit, "the answer was cut by a length limit")
	case finishFilter:
		return fatal(executor.CodeRuntime, "the answer was withheld by a content filter")
	}
	return nil
}

func fatal(code, message string) *executor.Error {
	e := oneshot.Failure(code, message, true)
	return &e
}

// conclude gives the last events of a run: its cost, the failure if it has one, and
// done. An aborted run has not failed.
func conclude(e oneshot.Ending, done executor.Done, cost *executor.Cost, failure *executor.Error) []executor.Event {
	var out []executor.Event
	done.CostUSD = executor.Null[float64]()
	if cost != nil {
		out = append(out, *cost)
		done.Usage = &cost.Usage
		if cost.CostUSD != nil {
			done.CostUSD = executor.Value(*cost.CostUSD)
		}
	}
	switch {
	case e.Aborted:
		done.Reason = executor.ReasonAborted
	case failure != nil:
		done.Reason = executor.ReasonError
		out = append(out, *failure)
	default:
		done.Reason = executor.ReasonSuccess
	}
	return append(out, done)
}

// withoutSession takes the lines that name the session out of what was said on the
// second channel.
func withoutSession(e oneshot.Ending) oneshot.Ending {
	e.Stderr = strings.TrimSpace(sessionLine().ReplaceAllString(e.Stderr, ""))
	return e
}

// because names an exit, and what was said before it.
func because(e oneshot.Ending) string {
	if e.Stderr == "" {
		return "(" + e.How + ")"
	}
	return "(" + e.How + "): " + e.Stderr
}
