package property

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// act is what a host, or the runtime of one of its runs, does.
type act string

const (
	actStart   act = "start"   // the host starts a run on the session
	actObserve act = "observe" // it subscribes to the run once more
	actClose   act = "close"   // it closes what it subscribed to last, its first stream apart
	actAbort   act = "abort"
	actModel   act = "model"
	actContext act = "context"
	actSay     act = "say" // the runtime says something in the run
	actCall    act = "call"
	actUsage   act = "usage"
	actEnd     act = "end" // it ends the run
)

// step is one act. What cannot be done when its turn comes, such as to speak in a run
// that is over, is passed over.
type step struct {
	do act
	// session of a start.
	session string
	// run of any other act, the first is 1.
	run int
	// open leaves a call without its result.
	open bool
	// end is the frame that ends a run.
	end fakes.Frame
}

// conversation is what a host and its runtimes do, one act after the other.
type conversation []step

// GoString writes one line per act; rapid shows drawn values this way.
func (c conversation) GoString() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d acts:", len(c))
	for _, s := range c {
		fmt.Fprintf(&b, "\n  - %s", s)
	}
	return b.String()
}

// String is the act and what it is done to.
func (s step) String() string {
	switch s.do {
	case actStart:
		return fmt.Sprintf("%s session=%s", s.do, s.session)
	case actCall:
		return fmt.Sprintf("%s run=%d open=%t", s.do, s.run, s.open)
	case actEnd:
		return fmt.Sprintf("%s run=%d %s", s.do, s.run, show(s.end))
	default:
		return fmt.Sprintf("%s run=%d", s.do, s.run)
	}
}

// mostRuns bounds the runs of a conversation, mostActs its length.
const (
	mostRuns = 5
	mostActs = 16
)

// conversations draws conversations with a runtime of these features. They are over two
// sessions where it can serve two.
func conversations(has fakes.Features) func(*rapid.T) conversation {
	sessions := []string{"a"}
	if has.Has(fakes.Sessions) {
		sessions = append(sessions, "b")
	}
	starts := rapid.Custom(func(t *rapid.T) step { return step{do: actStart, session: pick(t, "session", sessions...)} })
	run := rapid.IntRange(1, mostRuns)
	plain := func(do act) *rapid.Generator[step] {
		return rapid.Custom(func(t *rapid.T) step { return step{do: do, run: run.Draw(t, "run")} })
	}
	acts := []*rapid.Generator[step]{plain(actSay), plain(actSay), plain(actSay), plain(actAbort), plain(actModel), plain(actContext)}
	if has.Has(fakes.SecondRun) {
		acts = append(acts, starts, starts)
	}
	if has.Has(fakes.Observers) {
		acts = append(acts, plain(actObserve), plain(actClose))
	}
	if has.Has(fakes.Tools) {
		acts = append(acts, rapid.Custom(func(t *rapid.T) step {
			// A runtime that waits for its own tools says nothing while one is open.
			return step{do: actCall, run: run.Draw(t, "run"), open: !has.Has(fakes.OwnTools) && rapid.Bool().Draw(t, "open")}
		}))
	}
	if has.Has(fakes.UsageFrames) {
		acts = append(acts, plain(actUsage))
	}
	end := rapid.SampledFrom(ends(has))
	over := rapid.Custom(func(t *rapid.T) step { return step{do: actEnd, run: run.Draw(t, "run"), end: end.Draw(t, "end")} })
	rest := rapid.SliceOfN(rapid.OneOf(append(acts, over, over)...), 0, mostActs)
	return func(t *rapid.T) conversation {
		return append(conversation{starts.Draw(t, "first")}, rest.Draw(t, "rest")...)
	}
}
