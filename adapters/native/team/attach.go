package team

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/bridge"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/reference/embedding"
)

// Attachment is what a run has of its team, until it is closed.
type Attachment struct {
	tools    []tool.Tool
	inbox    *inbox
	sessions []*bridge.Session
}

// Attach makes the servers of a run and connects to them. The context bounds the call.
func Attach(ctx context.Context, o Options) (*Attachment, error) {
	run, ofTeam, err := o.run()
	if err != nil {
		return nil, err
	}
	a := &Attachment{inbox: newInbox(o, run, ofTeam)}
	if err := a.inbox.start(ctx); err != nil {
		return nil, err
	}
	var lists [][]tool.Tool
	if ofTeam {
		lists = append(lists, []tool.Tool{delegate{o.Store, run}})
	}
	for _, srv := range o.servers(run) {
		session, err := bridge.Connect(ctx, srv)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.sessions = append(a.sessions, session)
		list, err := session.Tools(ctx)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		lists = append(lists, list)
	}
	a.tools = bridge.Merge(lists...)
	return a, nil
}

// servers are those of a run, in the order in which a tool's name is looked for.
func (o Options) servers(run server.Run) []*mcp.Server {
	var all []*mcp.Server
	if o.Tasks != server.None {
		all = append(all, server.NewTasks(o.Store, run, o.Tasks))
	}
	if o.Memory {
		all = append(all, server.NewMemory(o.Store.Memory(embedding.Port{}), run))
	}
	if o.Tools {
		all = append(all, server.NewTools(server.ToolsOptions{
			Store: o.Store, Run: run, Dir: o.Dir, Approve: o.Approve, ApprovalTime: o.ApprovalTime,
			Env: o.Env, SearchURL: o.SearchURL, HTTPClient: o.HTTPClient,
		}))
	}
	if o.TeamChat && run.TeamID != "" {
		all = append(all, server.NewTeamChat(o.Store, run))
	}
	return all
}

// Tools are the run's. The caller owns the slice.
func (a *Attachment) Tools() []tool.Tool { return append([]tool.Tool(nil), a.tools...) }

// Close ends the servers. Calls that are under way end first. The tools then answer
// with errors.
func (a *Attachment) Close() error {
	var errs []error
	for _, session := range a.sessions {
		errs = append(errs, session.Close())
	}
	return errors.Join(errs...)
}
