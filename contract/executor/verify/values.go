package verify

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// The codes of the value rules.
const (
	TextEmpty      Code = "text-empty" // an increment of nothing
	ChannelUnknown Code = "channel-unknown"
	PhaseUnknown   Code = "status-phase-unknown"
	ReasonUnknown  Code = "done-reason-unknown"
)

// Values: every closed field holds a word of its set, and a text delta holds text
// (executor#kinds, executor#text-increments).
func Values(events []executor.Event) []Finding {
	v := &values{}
	for i, e := range events {
		v.index = i
		e.Accept(v)
	}
	return v.found
}

// values is the visitor behind Values.
type values struct {
	index int
	found []Finding
}

func (v *values) add(c Code) { v.found = append(v.found, Finding{c, v.index}) }

// VisitTextDelta judges text and channel.
func (v *values) VisitTextDelta(e executor.TextDelta) {
	if e.Text == "" {
		v.add(TextEmpty)
	}
	if !slices.Contains([]executor.Channel{"", executor.Assistant, executor.Reasoning}, e.Channel) {
		v.add(ChannelUnknown)
	}
}

// VisitToolCall judges nothing: see Tools.
func (v *values) VisitToolCall(executor.ToolCall) {}

// VisitToolResult judges nothing: see Tools.
func (v *values) VisitToolResult(executor.ToolResult) {}

// VisitStatus judges the phase.
func (v *values) VisitStatus(e executor.Status) {
	if !slices.Contains([]executor.Phase{executor.PhaseInit, executor.PhaseThinking, executor.PhaseRunning, executor.PhaseTurnComplete}, e.Phase) {
		v.add(PhaseUnknown)
	}
}

// VisitCost judges nothing: see Costs.
func (v *values) VisitCost(executor.Cost) {}

// VisitDone judges the reason.
func (v *values) VisitDone(e executor.Done) {
	if !slices.Contains([]executor.Reason{executor.ReasonSuccess, executor.ReasonMaxTurns, executor.ReasonAborted, executor.ReasonError}, e.Reason) {
		v.add(ReasonUnknown)
	}
}

// VisitError judges nothing: a code is any string.
func (v *values) VisitError(executor.Error) {}
