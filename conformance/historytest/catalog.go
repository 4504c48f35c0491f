package historytest

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// Checks is the catalogue, topic by topic. The caller owns the slice.
func Checks() []check.Check {
	return slices.Concat(
		identityChecks(), modelChecks(),
		declarationChecks(), negotiationChecks(), portChecks(),
		snapshotChecks(), contentChecks(), groupChecks(), revisionChecks(), refusalChecks(),
		rebuildChecks(),
		privacyChecks(), markerChecks(), transportPrivacyChecks(), hostileChecks(),
		completionChecks(), fallbackChecks(),
		lifecycleChecks(), closedChecks(),
		diagnosticsChecks(),
	)
}

// codes makes a list of codes.
func codes(c ...check.Code) []check.Code { return c }
