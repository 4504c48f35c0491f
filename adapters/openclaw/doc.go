// Package openclaw is an executor adapter for the OpenClaw gateway: one WebSocket that
// carries the runs of all sessions, over protocol 3 or 4.
//
//	adapter := openclaw.New(openclaw.Options{URL: "ws://127.0.0.1:18789", Token: token, IdentityDir: dir})
//	run, err := adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "agent:main:chat", Message: "hi"})
//	if err != nil {
//		return err
//	}
//	events := adapter.Events(run)
//
// The gateway tells of a run twice, in chat events and in agent events. Text is taken
// from the first alone, as the whole text so far that each of them has; tools, reasoning
// and progress from the second. How a run ended is the chat's word; the lifecycle counts
// where the chat stays silent. What a run cost stands in no event: it is read from the
// session's history before done, and its prices are the gateway's own estimates.
//
// A stream belongs to a session: it begins with the run of its handle and goes on with
// the later runs that this adapter starts, until its consumer closes it. Runs that others
// start in the session are not shown. A second start on a live session is refused with
// executor.ErrBusy.
//
// A connection that is lost is made again, and live runs are taken up: from the history,
// and by sending the same message under the same key, which the gateway answers with how
// that run stands. The observer is told by one error that is not fatal. Beyond
// Options.ReconnectBudget, and where the gateway was restarted and has forgotten the run,
// the run ends in an error and its streams end.
//
// It imports contract/executor, internal packages, a strict JSON codec and a WebSocket
// library.
package openclaw
