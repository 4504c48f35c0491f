package acp

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed profiles/*.json
var profiles embed.FS

// agent is one of the recorded agents, in what it does otherwise than the others.
type agent struct {
	name, version string
	// bills: the answer to a prompt counts tokens, and updates tell money.
	bills bool
	// window is how many tokens the model takes.
	window int64
	ids    func(*ids) string // makes one of a session
	// messages: chunks name their message.
	messages bool
	tools    toolStyle
	profile  func() (profile, error)
}

// profile is what an agent says of itself and of a session.
type profile struct {
	Initialize jsontext.Value `json:"initialize"`
	Notices    []notice       `json:"notices"` // said before the answer to session/new
	New        object         `json:"new"`     // that answer, but for the session
	Load       object         `json:"load"`
	Banner     []any          `json:"banner"`   // updates that follow it
	Commands   any            `json:"commands"` // and the last of them
}

type notice struct {
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
}

const (
	openCode = "opencode"
	claude   = "claude-agent-acp"
	pi       = "pi-acp"
)

// agents are those that can be played.
func agents() []agent {
	word := func(m *ids) string { return m.word("ses") }
	all := []agent{
		{name: openCode, version: "1.18.33", bills: true, window: 128_000, ids: word, messages: true, tools: openCodeTools{}},
		{name: claude, version: "0.101.0", bills: true, window: 1_000_000, ids: (*ids).uuid, messages: true, tools: claudeTools{}},
		{name: pi, version: "0.0.34", window: 128_000, ids: (*ids).uuid, tools: piTools{}},
	}
	for i := range all {
		all[i].profile = func() (p profile, err error) {
			data, err := profiles.ReadFile("profiles/" + all[i].String() + ".json")
			if err == nil {
				err = json.Unmarshal(data, &p)
			}
			if err != nil {
				return p, fmt.Errorf("fake %s: profile of %s: %w", Name, all[i], err)
			}
			return p, nil
		}
	}
	return all
}

func (a agent) String() string { return a.name + "-" + a.version }

// Versions lists the agents that can be played, each with its version.
func Versions() []string {
	var names []string
	for _, a := range agents() {
		names = append(names, a.String())
	}
	return names
}

func agentOf(name string) (agent, error) {
	all := agents()
	if name == "" {
		return all[0], nil
	}
	i := slices.IndexFunc(all, func(a agent) bool { return a.String() == name })
	if i < 0 {
		return agent{}, fmt.Errorf("fake %s: unknown version %q, want one of %q", Name, name, Versions())
	}
	return all[i], nil
}

// kindOf is what the protocol calls tools of that name.
func kindOf(name string) string {
	switch strings.ToLower(name) {
	case "bash", "shell", "exec":
		return "execute"
	case "read":
		return "read"
	case "edit", "write":
		return "edit"
	case "glob", "grep", "list":
		return "search"
	case "fetch", "webfetch":
		return "fetch"
	}
	return "other"
}
