// Package acp is a fake agent of the Agent Client Protocol, version 1: a real child
// process that speaks JSON-RPC 2.0 on stdin and stdout, one message a line, as one of
// three recorded agents does, and misbehaves on demand.
//
//	rt, err := acp.New(ctx, acp.Options{})   // Endpoint().Command is the program
//	run, err := rt.Next(ctx)                 // the adapter sent a prompt
//	run.Emit(ctx, fakes.Delta{Text: "hi"}, fakes.End{Reason: fakes.EndOK})
//
// The process is the running binary itself, started again; the test binary needs
// one line for that, see [fakes.Main].
//
// The process obeys its client by itself: initialize, authenticate, session/new,
// session/load, session/resume, session/prompt, session/set_model,
// session/set_config_option, session/set_mode, session/close, session/cancel. It is one
// run, which begins with the first session/prompt; a further one is heard as a call start
// and is answered after those before it. Any model is taken.
//
// How frames look at this wire:
//
//	init        nothing is said: a turn begins with its request. A script waits for it
//	delta       agent_message_chunk; a place in the text has no form
//	think       agent_thought_chunk
//	final       what the chunks of the message have not said, as one
//	call        tool_call, pending, and what the agent says of it when it begins
//	result      tool_call_update, completed or failed. Details are what the agent keeps
//	            for programs; pi-acp has no place for them
//	usage       usage_update, at once or with the end of the turn, and usage in the
//	            answer to the prompt. Money is that of the session so far. pi-acp, which
//	            tells neither, has no form for it
//	ask         session/request_permission, about the last open call of the tool, else
//	            about a call of the question's name
//	end         the answer to the prompt: ok, max_turns, length, refusal and aborted are
//	            its stop reasons
//	end, err    a JSON-RPC error in answer to the prompt
//	error       the same, if it is fatal; a code that is a number is that of the error
//	turn        text-end ends a message
//	frame       a request to the client, if the type is the method of one; a notification
//	            of that method, if the type has a slash or begins with an underscore; else
//	            a session/update of that kind. The fields are what it has beside the session
//	cut         stdout is closed; exit code 0
//	log         a line on stderr
//
// What frames say when no turn goes on are updates of the last one's session, and an end
// answers its prompt once more. A session has the id that the process made; a receipt
// names it. Sessions are remembered for all processes of the fake's home: session/load
// says their history before its answer, and money goes on.
//
// A question is a request of the agent, under the next number from 0; its answer is heard
// under the name that the ask has. A denied call fails, and its result is not told.
//
// session/cancel fails the open calls and answers the prompts with cancelled, when the
// client has answered what it was asked. A process that ignores INT ignores it. The
// process ends in order when its input ends and at TERM; INT and HUP kill it, and leave
// descendants behind.
//
// What arrives is heard as: cancel (session/cancel, signals), start (further prompts),
// set-model (after the first prompt), answer, input-end, and breach, where the client
// breaks the protocol. The codes of a breach begin with [BreachInput].
//
// The package imports fakes, fakes/child and fakes/wire.
package acp
