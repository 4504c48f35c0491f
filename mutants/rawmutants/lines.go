package rawmutants

import (
	"context"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
)

// linesCheck is the id of [Lines].
const linesCheck = "executor.protocol.lines"

// Lines is the check for subjects that break the protocol and keep the contract. It is
// not in the catalogue: a report tells of such lines by themselves, under the same
// codes.
func Lines() check.Check {
	var codes []check.Code
	for _, b := range remote.Breaches() {
		codes = append(codes, check.Code(b))
	}
	return check.Check{
		ID: linesCheck, Case: "identity", Clause: "executor#identity", Level: check.Must, Provenance: check.Decided,
		Codes: codes,
		Title: "says nothing but the messages of the protocol",
		Run: func(ctx context.Context, c *check.C) {
			a := c.BuildExecutor(ctx).Adapter.(overheard)
			// What is said beside an answer is read before the answer of the next request.
			for range 2 {
				ask, cancel := context.WithTimeout(ctx, c.Budgets.Call)
				_, _ = a.Health(ask)
				cancel()
			}
			for code := range a.process.Breaches() {
				c.Note(check.Code(code))
			}
		},
	}
}
