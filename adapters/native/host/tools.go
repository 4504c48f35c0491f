package host

import (
	"context"
	"slices"

	"github.com/adaptercheck/adaptercheck/adapters/native"
	"github.com/adaptercheck/adaptercheck/adapters/native/files"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/adapters/native/team"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
)

// tools are those of a run: files where it works, and what its agent has of the team.
func (h *Host) tools(ctx context.Context, of native.RunInfo) (native.Toolbox, error) {
	tasks, err := h.team()
	if err != nil {
		return native.Toolbox{}, err
	}
	dir := h.places.dir(of.SessionKey)
	access := map[state.TaskTools]server.Access{state.TasksRead: server.ReadOnly, state.TasksFull: server.Full}[of.Config.Tools.Tasks]
	attached, err := team.Attach(ctx, team.Options{
		Store: tasks, AgentID: of.AgentID, SessionKey: of.SessionKey, TeamID: of.TeamID, Dir: dir,
		Tasks: access, Memory: of.Config.Tools.Memory, Tools: of.Config.Tools.Tools, TeamChat: of.Config.Tools.TeamChat, Env: h.key,
	})
	if err != nil {
		return native.Toolbox{}, err
	}
	return native.Toolbox{
		Tools: slices.Concat(files.Tools(dir), attached.Tools()), Inbox: attached.Inbox, Close: attached.Close,
	}, nil
}
