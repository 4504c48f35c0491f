package codex

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// outcome is what the wire said of how the turn ended.
type outcome int

const (
	outcomeNone outcome = iota
	outcomeCompleted
	outcomeFailed
	outcomeInterrupted
)

// story is what a run has told so far, whichever wire tells it.
type story struct {
	// clean makes text of the runtime fit for an error message: without secrets,
	// bounded.
	clean func(string) string
	// resumed is the thread that the run was to go on with, and before its totals.
	resumed string
	before  totals

	thread  string // as told by the wire; empty until then
	begun   bool   // a turn has begun: only then does Codex have the thread the next time
	lost    bool   // the runtime does not have the thread that it was to go on with
	spent   *executor.Usage
	outcome outcome
	failure executor.Error // of a turn that failed

	said   speech
	meant  speech // reasoning
	calls  oneshot.Calls
	unread oneshot.Unread
}

func newStory(clean func(string) string, s state) story {
	return story{
		clean: clean, resumed: s.Thread, before: s.Totals,
		said: speech{channel: executor.Assistant}, meant: speech{channel: executor.Reasoning},
	}
}

// adopt notes the thread of the run, once. Where Codex began another one than it was
// asked for, its count is new too, and what was said before is not known in it.
func (s *story) adopt(thread string) []executor.Event {
	if thread == "" || s.thread != "" {
		return nil
	}
	s.thread = thread
	if thread == s.resumed {
		return nil
	}
	s.before = totals{}
	if s.resumed == "" {
		return nil
	}
	return []executor.Event{s.trouble(executor.CodeRuntime, "codex did not go on with the session's thread, and began another one", false)}
}

// Session is the thread.
func (s *story) Session() string { return s.thread }

// ToolsOpen reports whether calls wait for their results.
func (s *story) ToolsOpen() bool { return s.calls.Open() > 0 }

// Keep writes down what the wire told about the thread. A thread that the runtime says
// it does not have is forgotten, or the session could never start again: the failed run
// has told the host, and the next one begins a new thread. Codex does not have one
// without a turn either.
func (s *story) Keep(to *state) {
	switch {
	case s.lost:
		*to = state{}
	case isThread(s.thread) && (s.begun || s.thread == s.resumed): // nothing else can be resumed safely
		*to = state{Thread: s.thread, Totals: s.before}
	}
}

// elsewhere notes that something came that is neither text nor a notice.
func (s *story) elsewhere() []executor.Event {
	return append(s.said.elsewhere(), s.meant.elsewhere()...)
}

// retry notes that the runtime tries again.
func (s *story) retry() []executor.Event {
	s.said.retry()
	s.meant.retry()
	return []executor.Event{executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailRetry}}
}

// trouble is an error of the runtime.
func (s *story) trouble(code, message string, fatal bool) executor.Error {
	if message == "" {
		message = "the runtime reported an error, no text given"
	}
	return oneshot.Failure(code, s.clean(message), fatal)
}

// fail notes how the turn failed. The first end decides the run; a failure after it is
// reported and no more.
func (s *story) fail(code, message string) []executor.Event {
	if message == "" {
		message = "the turn failed, no reason given"
	}
	if s.outcome != outcomeNone {
		return []executor.Event{s.trouble(code, message, false)}
	}
	s.outcome, s.failure = outcomeFailed, s.trouble(code, message, true)
	return nil
}

// finish closes what is open and gives the run its done.
func (s *story) finish(e oneshot.Ending) []executor.Event {
	var out []executor.Event
	if s.outcome == outcomeCompleted && !e.Aborted {
		out = append(s.said.conclude(), s.meant.conclude()...)
	} else {
		out = append(s.said.release(), s.meant.release()...)
	}
	out = append(out, s.calls.Close()...)
	done := executor.Done{Usage: s.spent, CostUSD: executor.Null[float64](), Summary: s.said.latest()}
	switch {
	case e.Aborted, s.outcome == outcomeInterrupted:
		done.Reason, done.Summary = executor.ReasonAborted, s.said.heard()
	case s.outcome == outcomeCompleted:
		done.Reason = executor.ReasonSuccess
	case s.outcome == outcomeFailed:
		done.Reason = executor.ReasonError
		out = append(out, s.failure)
	default:
		done.Reason = executor.ReasonError
		out = append(out, oneshot.Unended(id, e))
	}
	return append(out, done)
}

// failureCode reads the code out of the prose, where the wire has none.
func failureCode(text string) string {
	text = strings.ToLower(text)
	for _, sign := range []string{"max_output_tokens", "context window", "context_length", "maximum context length"} {
		if strings.Contains(text, sign) {
			return executor.CodeTokenLimit
		}
	}
	return executor.CodeRuntime
}

// unknownThread reports whether Codex says that it does not have the thread.
func unknownThread(text string) bool { return strings.Contains(text, "no rollout found") }
