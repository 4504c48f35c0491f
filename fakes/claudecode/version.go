package claudecode

import (
	"fmt"
	"slices"
)

// shape is which members lines have, each with all of those before.
type shape int

const (
	v10 shape = iota
	v20
	v21197
	v21332
)

// version is what differs between versions of the CLI.
type version struct {
	name string // as options name it
	full string // as the CLI names itself
	// model is the default one.
	model string
	// shape is which members lines have.
	shape shape

	// budgetFlag: --max-budget-usd is known.
	budgetFlag bool
	// limitsFail: a turn or budget limit is an error and exit code 1.
	limitsFail bool
	// interruptResult: SIGINT ends the turn with a result, else the process without.
	interruptResult bool
	// interruptToolExit is the exit code after SIGINT while a tool runs.
	interruptToolExit int
	// interruptFails: an interrupted turn is an error and exit code 1.
	interruptFails bool
	// resumeResult: resuming an unknown session prints a result.
	resumeResult bool
	// skipsUnknown: lines of an unknown type on stdin are skipped, else fatal.
	skipsUnknown bool
	// hidesInput: a line that is no JSON is not repeated on stderr.
	hidesInput bool
	// answersUnknown: a control request of an unknown subtype is answered.
	answersUnknown bool
	// waitsBriefly: a stdin that stays open beside a prompt is given up.
	waitsBriefly bool
	// retryLines: api_retry is told.
	retryLines bool
	// classified: API errors are classified, else only 401 is.
	classified bool
	// abandons: messages that are given up are marked.
	abandons bool
	// totalsResume: a resumed session goes on with its totals.
	totalsResume bool
	// rawSeparators: U+2028 and U+2029 are not escaped.
	rawSeparators bool
	// thinkingTokens: estimates of thinking are told.
	thinkingTokens bool
}

var versions = []version{
	{
		name: "2.1.332", full: "2.1.332", model: "claude-opus-5-5", shape: v21332,
		budgetFlag: true, limitsFail: true, interruptResult: true, interruptFails: true, resumeResult: true, skipsUnknown: true, hidesInput: true,
		answersUnknown: true, waitsBriefly: true, retryLines: true, classified: true, abandons: true, totalsResume: true, thinkingTokens: true,
	},
	{
		name: "2.1.197", full: "2.1.197", model: "claude-opus-4-8[1m]", shape: v21197,
		budgetFlag: true, limitsFail: true, interruptResult: true, interruptToolExit: 1, interruptFails: true, resumeResult: true, skipsUnknown: true,
		answersUnknown: true, waitsBriefly: true, retryLines: true, classified: true, thinkingTokens: true,
	},
	{name: "2.0", full: "2.0.77", model: "claude-sonnet-4-5-20250929", shape: v20, budgetFlag: true},
	{name: "1.0", full: "1.0.128", model: "claude-sonnet-4-20250514", shape: v10, rawSeparators: true},
}

// Versions lists the versions that can be played, newest first.
func Versions() []string {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.name
	}
	return names
}

func versionOf(name string) (version, error) {
	if name == "" {
		return versions[0], nil
	}
	i := slices.IndexFunc(versions, func(v version) bool { return v.name == name || v.full == name })
	if i < 0 {
		return version{}, fmt.Errorf("fake claude-code: unknown version %q, want one of %q", name, Versions())
	}
	return versions[i], nil
}
