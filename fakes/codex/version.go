package codex

import (
	"fmt"
	"slices"
)

// version is what differs between versions of the CLI.
type version struct {
	name string
	// cacheWrite, reasoning: the fields of usage that newer versions have.
	cacheWrite, reasoning bool
	// onInterrupt is the exit code after SIGINT.
	onInterrupt int
	// drains: stdin is read to its end although the prompt is an argument.
	drains bool
	// knowsThreads: an unknown thread is an error, not a new thread. The error names
	// the code of the request that failed where tellsCode.
	knowsThreads, tellsCode bool
	// plans: the model is offered a to-do list.
	plans bool
	// retriesLength: a response that ran out of tokens counts as a stream that broke.
	retriesLength bool
	// waitsForNetwork: a provider that cannot be reached is waited for.
	waitsForNetwork bool
}

var versions = []version{
	{name: "0.171.0", cacheWrite: true, reasoning: true, onInterrupt: 1, drains: true, knowsThreads: true, tellsCode: true, waitsForNetwork: true},
	{name: "0.144.6", reasoning: true, onInterrupt: 1, drains: true, knowsThreads: true, tellsCode: true, plans: true, retriesLength: true},
	{name: "0.125.0", reasoning: true, onInterrupt: 1, drains: true, knowsThreads: true, plans: true, retriesLength: true},
	{name: "0.98.0", plans: true, retriesLength: true},
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
		return version{}, fmt.Errorf("fake codex: unknown version %q, want one of %q", name, Versions())
	}
	return versions[i], nil
}
