// Package executortest holds the checks of the executor contract as data, one
// file per topic. [Checks] lists them.
//
// Each check gets a fresh adapter and a fresh runtime that it plays itself; it
// depends on no other check. The clause that it enforces stands above it in the
// words of docs/contract/executor.md.
//
// It imports contract, fakes and conformance/check.
package executortest

import "github.com/adaptercheck/adaptercheck/conformance/check"

// Checks returns the catalogue of the executor profile, in the order of its nine
// cases.
func Checks() []check.Check {
	var all []check.Check
	for _, topic := range [][]check.Check{
		identity(), capabilities(), honesty(), health(), start(),
		envelope(), status(), text(), cumulative(), tools(), toolPairs(), ownTools(), cost(), costForms(),
		terminal(), processes(), lives(), framing(), pipes(), stream(), lateObservers(), connected(), reconnect(), queues(), secondStart(), sessions(),
		binding(), abort(), abortEdges(), approval(), setModel(), writeContext(),
		codec(), restored(), rotations(), secrets(), residue(), dispose(),
	} {
		all = append(all, topic...)
	}
	return all
}
