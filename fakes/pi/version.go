package pi

import (
	"fmt"
	"slices"
)

// version is what differs between versions of Pi.
type version struct {
	name string
	// slim: updates of a message tell what is new and what was spent, else the whole
	// message so far, twice.
	slim bool
	// settles: agent_end tells whether a retry follows, and agent_settled is the end.
	settles bool
	// system: what the model is told about itself is a message, too.
	system bool
	// disposition: an accepted prompt is told whether it was begun or queued.
	disposition bool
	// echoes: a command that is not known gets its id back.
	echoes bool
	// detailed: messages and results tell more, such as how long they took.
	detailed bool
	// excludes: --exclude-tools is known.
	excludes bool
	// parsing follows the place of a mistake in a command.
	parsing string
	// stopped is why a model that was never asked gave no answer.
	stopped string
}

var versions = []version{
	{
		name: "1.6.0", slim: true, settles: true, system: true, disposition: true, echoes: true, detailed: true, excludes: true,
		parsing: " (line 1 column 2)", stopped: "This operation was aborted",
	},
	{name: "0.73.1", stopped: "Request was aborted."},
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
		return version{}, fmt.Errorf("fake pi: unknown version %q, want one of %q", name, Versions())
	}
	return versions[i], nil
}
