// Package native is an executor adapter that is its own runtime: it holds the conversation
// with a provider of models itself, in this process, and calls the tools.
//
//	adapter := native.New(native.Options{Home: "/home/me/.clawboo", Keys: os.Getenv, Tools: tools})
//	run, err := adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{AgentID: "coder", SessionKey: "s1", Message: "hi"})
//	if err != nil {
//		return err
//	}
//	events := adapter.Events(run)
//
// Making an adapter, starting a run and asking for health connect to nothing. The first
// event of a run comes when its provider has begun to speak, or has failed.
//
// A run is turns: what the model says, the tools that it calls, and what it is told
// meanwhile, until it has said all. Each turn is billed to the provider that served it, by
// a table of prices. A second start on a live session is refused with executor.ErrBusy.
// Each run has a name of its own, native- and a UUID, under which its transcript is kept
// with all that was said in the session before.
//
// It imports contract/executor, internal packages, and the packages below it.
package native
