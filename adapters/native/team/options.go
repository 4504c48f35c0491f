package team

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

// Options says who a run is of and what it may use.
type Options struct {
	// Store is where the team's things are. It is the caller's to close, after the run.
	Store *store.Store
	// AgentID is the agent of the run; everything that it does is in its name.
	AgentID string
	// SessionKey is the run's. One of a team, which is agent:ID:team:TEAM and what may
	// follow after a colon, gives the run delegate and, unless TeamID says so, its team.
	SessionKey string
	// TeamID is the team; empty is that of the session key, or none.
	TeamID string
	// Dir is the working directory, for tools that need one; empty is none.
	Dir string

	// Tasks says how far the agent may go with tasks; the zero value has no tools.
	Tasks server.Access
	// Memory, Tools and TeamChat give the run the tools of these servers. TeamChat needs
	// a team; a run without one does not get it.
	Memory, Tools, TeamChat bool

	// Approve is asked before a tool of Tools deletes or reaches outside, and
	// ApprovalTime bounds its answer, two minutes if 0. Nil denies such calls.
	Approve      server.Approve
	ApprovalTime time.Duration
	// Env resolves variables for tools that need them, as the key of the search
	// provider; nil knows none.
	Env func(name string) string
	// SearchURL and HTTPClient stand for the address of the search provider and for the
	// client that reaches it.
	SearchURL  string
	HTTPClient *http.Client
}

// teamOf is the team that a session key names, and whether it is the key of a team.
func teamOf(sessionKey string) (team string, is bool) {
	rest, ok := strings.CutPrefix(sessionKey, "agent:")
	if !ok {
		return "", false
	}
	agent, rest, ok := strings.Cut(rest, ":")
	if !ok || agent == "" {
		return "", false
	}
	rest, ok = strings.CutPrefix(rest, "team:")
	team, _, _ = strings.Cut(rest, ":")
	return team, ok && team != ""
}

// run is who acts, and whether it is a run of a team.
func (o Options) run() (run server.Run, ofTeam bool, err error) {
	if o.Store == nil {
		return server.Run{}, false, errors.New("team: no store")
	}
	if o.AgentID == "" {
		return server.Run{}, false, errors.New("team: a run has an agent")
	}
	switch o.Tasks {
	case server.None, server.ReadOnly, server.Full:
	default:
		return server.Run{}, false, fmt.Errorf("team: unknown access %q to tasks, expected %q, %q or none", o.Tasks, server.ReadOnly, server.Full)
	}
	team, ofTeam := teamOf(o.SessionKey)
	if o.TeamID != "" {
		team = o.TeamID
	}
	return server.Run{AgentID: o.AgentID, TeamID: team}, ofTeam, nil
}
