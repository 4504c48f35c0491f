package hermes

import (
	"fmt"
	"slices"
)

// version is what differs between versions of the program.
type version struct {
	name, date string
	// streamJSON: --format stream-json is known.
	streamJSON bool
	// stdoutNotes: what is said beside the answer, the session id too, is on stdout.
	stdoutNotes bool
	// tellsError: an error of a run that said nothing is on stderr.
	tellsError bool
	verdict    verdict
	onSignal   onSignal
}

// verdict is what an exit code tells of the run.
type verdict int

const (
	tellsNothing verdict = iota // 0 whatever happened
	tellsFailure                // 1 for a failure, 0 for a turn that stopped partway
	tellsAll                    // 1 for both, 130 for an interrupt
)

// onSignal is what a stop signal does.
type onSignal int

const (
	dies    onSignal = iota // at once, by the signal
	unwinds                 // after the grace, by SIGINT, as Python ends of an interrupt that nothing caught
	reports                 // after the grace, with its last words and exit code 130
)

var versions = []version{
	{name: "0.21.5", date: "2026.9.24", streamJSON: true, tellsError: true, verdict: tellsAll, onSignal: reports},
	{name: "0.15.2", date: "2026.5.29.2", tellsError: true, verdict: tellsFailure, onSignal: unwinds},
	{name: "0.4.0", date: "2026.3.23", stdoutNotes: true},
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
	i := slices.IndexFunc(versions, func(v version) bool { return v.name == name })
	if i < 0 {
		return version{}, fmt.Errorf("fake hermes: unknown version %q, want one of %q", name, Versions())
	}
	return versions[i], nil
}
