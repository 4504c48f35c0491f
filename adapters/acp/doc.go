// Package acp is an executor adapter for any agent of the Agent Client Protocol,
// version 1, that is started as a process: one process per run, one session, one prompt.
//
//	adapter := acp.New(acp.Options{Command: []string{"opencode", "acp"}, Dir: worktree, Env: []string{"API_KEY=" + key}})
//	run, err := adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "hi"})
//	if err != nil {
//		return err
//	}
//	events := adapter.Events(run)
//
// A session goes on by session/load, or by session/resume where the agent has only that;
// the history that comes with it is not the run's. An agent that has neither begins a new
// session, and an error that is not fatal says so. A model is chosen among what the agent
// offers in its answer about the session; a run fails whose agent offers no choice, or
// refuses it. The protocol has no way to steer a turn, and none for a blocklist of tools:
// context that is written waits for the next run, and ChildToolBlocklist is
// undeliverable. A second start on a live session is refused with executor.ErrBusy.
//
// What an agent says on its own before the prompt, as a banner, is no answer. So that
// none of it is taken for one, the prompt follows the answer to a request that no agent
// knows: what was due before it has been said by then.
//
// The wire names no run; the adapter makes one id per run. It names the session. Tokens
// are those of the answer to the prompt, money is what the session's total has grown by.
// Of what an agent may ask, the adapter serves permissions and, if Options.Files says so,
// files in Options.Dir. It declares no terminals.
//
// Types, methods and codes are those of github.com/coder/acp-go-sdk. Its connection is
// not used: it ends with a line above 10 MiB and with 1,024 waiting notifications, hands
// requests out apart from the notifications before them, waits without a bound for an
// agent that does not read, and logs the text of lines that it cannot read.
//
// It imports contract/executor, internal packages, and that SDK.
package acp
