package executormutants

import (
	"slices"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	fakeclaude "github.com/adaptercheck/adaptercheck/fakes/claudecode"
	fakecodex "github.com/adaptercheck/adaptercheck/fakes/codex"
	fakehermes "github.com/adaptercheck/adaptercheck/fakes/hermes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// Mutant is a wrong adapter, and what must catch it.
type Mutant struct {
	// ID is stable: executor-, a letter for the group, a number; x for those
	// beyond the numbered list.
	ID string
	// Note says what is wrong.
	Note string
	// Check is the id of the check that must fail, Code what it must report.
	Check string
	Code  check.Code
	// Fake is the fake that the mutant's runtime is, where that is a process: the
	// binary must be able to play it. It is empty for a mutant in this process.
	Fake string
	// Subject makes the subject; each call gives an independent one.
	Subject func() check.Subject
}

// Variant is an adapter that no check may accuse at MUST, or, of [Hollow], one
// that may pass nothing which it did not show.
type Variant struct {
	ID, Note string
	// Subject makes the subject; each call gives an independent one.
	Subject func() check.Subject
}

// All returns every mutant, group by group.
func All() []Mutant {
	return slices.Concat(
		identityMutants(), capabilityMutants(), honestyMutants(), healthMutants(), startMutants(), secondStartMutants(),
		streamMutants(), observerMutants(), lateMutants(), queueMutants(), envelopeMutants(), valueMutants(), bindingMutants(),
		statusMutants(), textMutants(), quotedMutants(), nestedMutants(), cumulativeMutants(), toolMutants(), resultMutants(), pairMutants(),
		terminalMutants(), endingMutants(), processMutants(), livesMutants(), framingMutants(), pipeMutants(), costMutants(), costFormMutants(),
		sessionMutants(), abortMutants(), abortEdgeMutants(), approvalMutants(), controlMutants(),
		codecMutants(), restoredMutants(), rotationMutants(), secretMutants(), residueMutants(), disposeMutants(),
		connectedMutants(), foreignMutants(), reconnectMutants(), restartMutants(), otherMutants(), defectMutants(), claudeMutants(), hermesMutants(), nativeMutants(), codeMutants(),
	)
}

// Budgets are those under which the mutants are told from right adapters: a tenth
// of the usual ones, as mutants hang by design. What nothing may come in is not
// cut, since a mutant on a busy machine needs that time to show itself, and a check
// as a whole has room for a flood.
func Budgets() check.Budgets {
	b := check.DefaultBudgets(false)
	whole, quiet := b.Check, b.Quiet
	b = b.Scale(0.1)
	b.Check, b.Quiet = whole/2, quiet
	return b
}

// Budgets are those under which the mutant is told from a right adapter: the usual
// ones, so that a busy machine is taken for no fault, but a third of them for a
// mutant that is caught by what does not come.
func (m Mutant) Budgets() check.Budgets {
	process := m.Fake != ""
	b := check.DefaultBudgets(process)
	if !m.waits() {
		return b
	}
	whole, quiet, first := b.Check, b.Quiet, b.FirstEvent
	b = b.Scale(1.0 / 3)
	b.Check, b.Quiet = whole, quiet
	if process {
		b.FirstEvent = first // a process takes its time to start
	}
	return b
}

// waits reports whether what catches the mutant is that something does not come, or
// does not go.
func (m Mutant) waits() bool {
	return slices.ContainsFunc([]string{"-hung", "-late", "-missing", "-not-sent", "-done", "-left", "-lost", "-gather", "-open", "-leaked", "-untrue", "-buffered", "-starved", "-unbound"},
		func(end string) bool { return strings.HasSuffix(string(m.Code), end) })
}

// mutant describes one wrong adapter.
func mutant(id, checkID string, code check.Code, note string, t twist, changes ...change) Mutant {
	id = "executor-" + id
	return Mutant{ID: id, Note: note, Check: checkID, Code: code, Subject: func() check.Subject { return subject(id, t, changes...) }}
}

// process describes a wrong adapter whose runtime is a process: that of codex with
// one thing changed.
func process(id, checkID string, code check.Code, note string, t twist, changes ...change) Mutant {
	m := mutant(id, checkID, code, note, t, append([]change{over(subjects.Codex)}, changes...)...)
	m.Fake = fakecodex.Name
	return m
}

// claude describes a wrong adapter of Claude Code.
func claude(id, checkID string, code check.Code, note string, t twist, changes ...change) Mutant {
	m := mutant(id, checkID, code, note, t, append([]change{over(subjects.ClaudeCode)}, changes...)...)
	m.Fake = fakeclaude.Name
	return m
}

// quiet describes a wrong adapter of Hermes in its quiet format.
func quiet(id, checkID string, code check.Code, note string, t twist, changes ...change) Mutant {
	m := mutant(id, checkID, code, note, t, append([]change{over(subjects.Hermes)}, changes...)...)
	m.Fake = fakehermes.Name
	return m
}

// over makes the subject another than the one in this process.
func over(subject func() check.Subject) change {
	return func(r *recipe) {
		name := r.subject.Name
		r.subject = subject()
		r.subject.Name = name
	}
}

// change alters how a subject is made, beyond what its adapter does.
type change func(*recipe)

// recipe is how a subject is made.
type recipe struct {
	subject  check.Subject
	options  memory.Options
	codec    bool
	disposer bool
}

// without takes features from what the subject offers.
func without(features ...check.Feature) change {
	return func(r *recipe) {
		r.subject.Offers = slices.DeleteFunc(slices.Clone(r.subject.Offers), func(f check.Feature) bool { return slices.Contains(features, f) })
	}
}

// secondStart changes what the subject declares for a second start; empty leaves
// it open.
func secondStart(word string) change {
	return func(r *recipe) { r.subject.Declares.SecondStart = word }
}

// noCodec leaves the codec out.
func noCodec(r *recipe) { r.codec = false }

// noDispose leaves the disposer out.
func noDispose(r *recipe) { r.disposer = false }

// unbounded holds everything for an observer that does not read.
func unbounded(r *recipe) { r.options.QueueMax = 1 << 30 }

// blocks declares that the adapter holds its runtime up for a slow observer.
func blocks(r *recipe) { r.subject.Declares.Queue = check.Block }

// noDenial lets a question wait for ever.
func noDenial(r *recipe) { r.options.Approval = time.Hour }

// noGrace lets the adapter wait for ever for a runtime that was told to stop.
func noGrace(r *recipe) { r.options.Grace = time.Hour }
