package historytest

import (
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// Checks is the catalogue, topic by topic. The caller owns the slice.
func Checks() []check.Check {
	return slices.Concat(
		identityChecks(), modelChecks(),
		declarationChecks(), negotiationChecks(), embeddingChecks(),
		snapshotChecks(), contentChecks(), groupChecks(), extremeChecks(), revisionChecks(), refusalChecks(),
		rebuildChecks(),
		privacyChecks(), markerChecks(), transportPrivacyChecks(), hostileChecks(),
		completionChecks(), fallbackChecks(),
		kvUseChecks(), kvPayloadChecks(), kvKeyChecks(), kvReuseChecks(), kvReplayChecks(), kvCounterChecks(), kvHandleChecks(), kvLifecycleChecks(),
		lifecycleChecks(), closedChecks(), factoryChecks(),
		diagnosticsChecks(),
	)
}

// codes makes a list of codes.
func codes(c ...check.Code) []check.Code { return c }
