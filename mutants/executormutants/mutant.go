package executormutants

import (
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
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
		identityMutants(), capabilityMutants(), healthMutants(), startMutants(), secondStartMutants(),
		streamMutants(), observerMutants(), envelopeMutants(), valueMutants(), bindingMutants(),
		textMutants(), toolMutants(), resultMutants(), terminalMutants(), endingMutants(), costMutants(),
		abortMutants(), controlMutants(), codecMutants(), disposeMutants(), otherMutants(),
	)
}

// Budgets are those under which the mutants are told from right adapters: a tenth
// of the usual ones, as mutants hang by design. What nothing may come in is not
// cut, since a mutant on a busy machine needs that time to show itself.
func Budgets() check.Budgets {
	b := check.DefaultBudgets(false)
	quiet := b.Quiet
	b = b.Scale(0.1)
	b.Quiet = quiet
	return b
}

// mutant describes one wrong adapter.
func mutant(id, checkID string, code check.Code, note string, t twist, changes ...change) Mutant {
	id = "executor-" + id
	return Mutant{ID: id, Note: note, Check: checkID, Code: code, Subject: func() check.Subject { return subject(id, t, changes...) }}
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

// noGrace lets the adapter wait for ever for a runtime that was told to stop.
func noGrace(r *recipe) { r.options.Grace = time.Hour }
