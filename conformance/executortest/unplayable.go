package executortest

import (
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// unplayable ends the check: the fake has no form for one of the frames. What is
// missing is what of them the subject does not offer; if it offers all, it claims
// more than its fake plays, and all of it is in doubt.
func (t *T) unplayable(frames ...fakes.Frame) {
	var all, missing []check.Feature
	for _, f := range frames {
		var needs needed
		_ = f.Accept(&needs) // it has no errors
		all = append(all, needs.feature)
		if !t.Offers(needs.feature) {
			missing = append(missing, needs.feature)
		}
	}
	if len(missing) == 0 {
		missing = all
	}
	t.Unobserved(missing...)
}

// needed visits a frame for the feature that a fake has which plays it.
type needed struct{ feature check.Feature }

var _ fakes.FrameVisitor = (*needed)(nil)

func (n *needed) is(f check.Feature) error {
	n.feature = f
	return nil
}

func (n *needed) Init(fakes.Init) error         { return n.is(fakes.InitFrame) }
func (n *needed) Delta(fakes.Delta) error       { return n.is(fakes.Deltas) }
func (n *needed) Think(fakes.Think) error       { return n.is(fakes.ReasoningText) }
func (n *needed) Snapshot(fakes.Snapshot) error { return n.is(fakes.Retract) }
func (n *needed) Final(fakes.Final) error       { return n.is(fakes.TerminalFrame) }
func (n *needed) ToolCall(fakes.ToolCall) error { return n.is(fakes.Tools) }
func (n *needed) CallPart(fakes.CallPart) error { return n.is(fakes.PartialInput) }
func (n *needed) Result(fakes.Result) error     { return n.is(fakes.Tools) }
func (n *needed) Usage(fakes.Usage) error       { return n.is(fakes.UsageFrames) }
func (n *needed) Turn(fakes.Turn) error         { return n.is(fakes.SecondRun) }
func (n *needed) Ask(fakes.Ask) error           { return n.is(fakes.Approvals) }
func (n *needed) Ack(fakes.Ack) error           { return n.is(fakes.SecondRun) }
func (n *needed) Reject(fakes.Reject) error     { return n.is(fakes.Refuse) }
func (n *needed) Attempt(fakes.Attempt) error   { return n.is(fakes.Ports) }
func (n *needed) Log(fakes.Log) error           { return n.is(fakes.Process) }
func (n *needed) Native(fakes.Native) error     { return n.is(fakes.UnknownFrames) }
func (n *needed) Raw(fakes.Raw) error           { return n.is(fakes.Framed) }
func (n *needed) Stderr(fakes.Stderr) error     { return n.is(fakes.Process) }
func (n *needed) Exit(fakes.Exit) error         { return n.is(fakes.ExitCodes) }
func (n *needed) Cut(fakes.Cut) error           { return n.is(fakes.CutStream) }
func (n *needed) Silent(fakes.Silent) error     { return n.is(fakes.SilentRun) }
func (n *needed) Child(fakes.Child) error       { return n.is(fakes.Process) }
func (n *needed) Ignore(fakes.Ignore) error     { return n.is(fakes.Process) }

func (n *needed) End(f fakes.End) error {
	switch f.Reason {
	case fakes.EndMaxTurns:
		return n.is(fakes.MaxTurns)
	case fakes.EndLength:
		return n.is(fakes.TokenLimit)
	default:
		return n.is(fakes.TerminalFrame)
	}
}

func (n *needed) Failure(f fakes.Failure) error {
	if f.Fatal {
		return n.is(fakes.TerminalFrame)
	}
	return n.is(fakes.MildErrors)
}

// faults names the feature that a fake has which plays a fault.
var faults = map[fakes.FaultKind]check.Feature{
	fakes.FaultDown: fakes.HealthDown, fakes.FaultSlow: fakes.HealthDown, fakes.FaultRefuse: fakes.Refuse,
	fakes.FaultSilent: fakes.SilentRun, fakes.FaultDeaf: fakes.SilentRun, fakes.FaultHold: fakes.SilentRun,
	fakes.FaultCut: fakes.CutStream, fakes.FaultTorn: fakes.Framed, fakes.FaultCRLF: fakes.Framed, fakes.FaultHeld: fakes.Process,
	fakes.FaultUp: fakes.Reconnect, fakes.FaultDrop: fakes.Reconnect, fakes.FaultRestart: fakes.Reconnect, fakes.FaultLose: fakes.Reconnect,
	fakes.FaultSwallow: fakes.Reconnect,
}

// begun is what arrived at the runtime when the run began. Where the fake does not
// show that, the check ends.
func (l *Live) begun() fakes.Call {
	call := l.Native.Begun()
	if call.Method == "" {
		l.t.Unobserved(fakes.StartOptions)
	}
	return call
}
