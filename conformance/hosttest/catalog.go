package hosttest

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// Checks is the catalogue, topic by topic. The caller owns the slice.
func Checks() []check.Check {
	return slices.Concat(
		surfaceChecks(), pageChecks(),
		healthcheckChecks(), probeChecks(),
		connectChecks(), slotChecks(), disconnectChecks(),
		runtimeChecks(), seedChecks(), runChecks(),
		secretChecks(),
	)
}

// codes makes a list of codes.
func codes(c ...check.Code) []check.Code { return c }
