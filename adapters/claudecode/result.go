package claudecode

import (
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// verdict is how a turn ended, or a run of several. The zero value is none.
type verdict struct {
	reason     executor.Reason
	code, text string // of an error
}

// severity orders reasons: of several turns the worst is the run's, as a run in which
// a turn failed is no success.
var severity = map[executor.Reason]int{executor.ReasonSuccess: 1, executor.ReasonMaxTurns: 2, executor.ReasonAborted: 3, executor.ReasonError: 4}

// result maps the end of a turn. A process may have several: one for each message it
// was given, and one for each task that ended in the background.
func (m *mapper) result(f *frame) []executor.Event {
	m.ended, m.inTurn, m.spoken, m.queued = true, false, false, count(f.queued) > 0
	v := m.judge(f)
	var out []executor.Event
	if v.reason == executor.ReasonSuccess {
		answer := textLike(f.result, m.said.latest())
		out = append(m.said.conclude(answer), m.meant.end()...)
		if answer != "" {
			m.summary = answer
		}
		out = append(out, m.recovered()...)
	} else {
		out = append(m.said.end(), m.meant.end()...)
	}
	m.apiError, m.apiText = "", ""
	if severity[v.reason] > severity[m.verdict.reason] {
		m.verdict = v
	}
	out = append(out, m.spend.result(f)...)
	return append(out, m.enter(executor.PhaseTurnComplete)...)
}

// recovered reports a failure of which the turn recovered.
func (m *mapper) recovered() []executor.Event {
	if m.apiError == "" {
		return nil
	}
	return []executor.Event{oneshot.Failure(ownCode(m.apiError), m.clean(m.apiText), false)}
}

// judge reads how a turn ended. The flag beats the label, a limit is no success, and
// neither is a refusal.
func (m *mapper) judge(f *frame) verdict {
	label, stop, terminal := text(f.subtype), text(f.stopReason), text(f.terminal)
	limit := stop == "max_tokens" || stop == "model_context_window_exceeded" || terminal == "prompt_too_long" || m.apiError == "max_output_tokens"
	failed := flagged(f.isError) || strings.HasPrefix(label, "error")
	switch {
	case label == "error_max_turns":
		return verdict{reason: executor.ReasonMaxTurns}
	case failed && strings.HasPrefix(terminal, "aborted_"):
		return verdict{reason: executor.ReasonAborted}
	case limit:
		return verdict{executor.ReasonError, executor.CodeTokenLimit, m.reason(f, "the answer was cut by a length limit")}
	case stop == "refusal":
		return verdict{executor.ReasonError, "refusal", m.reason(f, "the model refused to answer")}
	case !failed:
		return verdict{reason: executor.ReasonSuccess}
	}
	code := ownCode(m.apiError)
	if m.apiError == "" && label != "success" {
		code = ownCode(label)
	}
	return verdict{executor.ReasonError, code, m.reason(f, "the turn failed, no reason given")}
}

// reason is the runtime's text for why a turn did not go well, or the one given here.
func (m *mapper) reason(f *frame, otherwise string) string {
	var all []string
	elements(f.errors, func(v jsontext.Value) {
		if s := text(v); s != "" {
			all = append(all, s)
		}
	})
	for _, s := range []string{strings.Join(all, "; "), m.apiText, m.failureText(f), otherwise} {
		if s != "" {
			return s
		}
	}
	return otherwise
}

// failureText is the result's text where that is about the failure: a turn that
// failed has no answer there.
func (m *mapper) failureText(f *frame) string {
	if flagged(f.isError) {
		return text(f.result)
	}
	return ""
}

var codeWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`) })

// ownCode is the runtime's own word for a failure, where it has one.
func ownCode(word string) string {
	if word == "unknown" || word == "error_during_execution" || !codeWord().MatchString(word) {
		return executor.CodeRuntime
	}
	return word
}

// finish closes what is open and gives the run its done.
func (m *mapper) finish(e oneshot.Ending) []executor.Event {
	out := append(m.said.end(), m.meant.end()...)
	out = append(out, m.calls.Close()...)
	done := executor.Done{Reason: m.verdict.reason, Usage: m.spend.usage, CostUSD: executor.Null[float64](), Summary: m.summary}
	if m.spend.usd.Present() {
		done.CostUSD = m.spend.usd
	}
	if done.Summary == "" {
		done.Summary = m.said.final
	}
	fatal := m.fatal(e)
	switch {
	case e.Aborted, fatal == nil && done.Reason == executor.ReasonAborted:
		done.Reason, done.Summary = executor.ReasonAborted, m.said.stands()
	case fatal != nil:
		done.Reason = executor.ReasonError
		if done.Summary == "" {
			done.Summary = m.clean(m.verdict.text) // the runtime's own word, if any
		}
		out = append(out, *fatal)
	case done.Reason == executor.ReasonMaxTurns:
		done.Summary = m.said.stands()
	}
	return append(out, done)
}

// fatal is the failure that the run ends in, nil if it does not. A turn that was cut
// after an earlier one had gone well is one too, unless the process left by itself
// and in peace.
func (m *mapper) fatal(e oneshot.Ending) *executor.Error {
	var failure executor.Error
	switch {
	case m.verdict.reason == executor.ReasonError:
		failure = oneshot.Failure(m.verdict.code, m.clean(m.verdict.text), true)
	case m.ended && !(m.inTurn && e.Failed):
		return nil
	case m.apiError != "":
		failure = oneshot.Failure(ownCode(m.apiError), m.clean(m.apiText), true)
	default:
		failure = oneshot.Unended("claude", e)
	}
	return &failure
}

// settled reports whether the runtime has said how its turns ended and has no other
// announced; waiting, whether one stands and others are yet to come.
func (m *mapper) settled() bool {
	return m.ended && !m.inTurn && !m.queued && len(m.tasks.open) == 0
}

func (m *mapper) waiting() bool { return m.ended && !m.inTurn && !m.settled() }
