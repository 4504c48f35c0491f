package openclaw

import (
	"fmt"
	"slices"
)

// version is what differs between versions of the gateway.
type version struct {
	name string
	// protocol is the one it speaks, and probe the oldest that it names when it refuses
	// another; 0 where it names none.
	protocol, probe int
	// modern: the shape of 2026.9: statuses of a run, lifecycle phases model and
	// finishing, closed scopes in refusals, authorisation method, runs in flight.
	modern bool
	// deltaText: a chat delta says what is new beside the whole text.
	deltaText bool
	// join is what stands between the text before a tool and the text after it.
	join string
	// unreported: a failed run has no terminal chat event, and a replay of its key says
	// that it went well.
	unreported bool
	// files are the names of agent files that it allows.
	files []string
}

var versions = []version{
	{
		name: "2026.9.6", protocol: 4, probe: 3, modern: true, deltaText: true, join: "\n\n",
		files: []string{"AGENTS.md", "SOUL.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md"},
	},
	{
		name: "2026.5.28", protocol: 4, probe: 4, deltaText: true, unreported: true,
		files: []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"},
	},
	{
		name: "2026.4.29", protocol: 3, unreported: true,
		files: []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"},
	},
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
		return version{}, fmt.Errorf("fake openclaw: unknown version %q, want one of %q", name, Versions())
	}
	return versions[i], nil
}
