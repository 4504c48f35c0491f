// Package claudecode is a fake Claude Code CLI: a real child process that reads the
// arguments of `claude -p`, prints stream-json, obeys the protocol on stdin, and
// misbehaves on demand.
//
//	rt, err := claudecode.New(ctx, claudecode.Options{})   // Endpoint().Command is the program
//	run, err := rt.Next(ctx)                               // the adapter started it
//	run.Emit(ctx, fakes.Init{}, fakes.Delta{Text: "hi"}, fakes.End{Reason: fakes.EndOK})
//
// The process is the running binary itself, started again; the test binary needs
// one line for that, see [fakes.Main].
//
// How frames look at this wire:
//
//	init        system/init, the first line of every turn; run and cwd have no form
//	delta       a text_delta, where partial messages were asked for; the block's
//	            assistant line comes when the block is over. One that names its place
//	            says only what is new
//	think       a thinking_delta and a thinking_tokens line, in the same way
//	snapshot    what is new of the block's text; where it takes text back, the message
//	            is abandoned and another one begins
//	final       the assistant line of a text block, which ends the open one. Another
//	            final is another message
//	call        the assistant line of a tool_use block
//	callpart    an input_json_delta
//	result      a user line with the tool_result; it ends the message of the call.
//	            Details are its tool_use_result. What StructuredOutput was called with
//	            is the answer of a turn that was asked for data
//	parent      lines of a subagent in the foreground of that call, which begins with
//	            the first of them; its text and thoughts only where that was asked
//	            for (--forward-subagent-text)
//	usage       what the message has spent. The lines of a message tell what it began
//	            with: usage is looked up among the frames that are known to follow
//	end         the result line: ok and tool_use are success, max_turns is
//	            error_max_turns, budget is error_max_budget_usd, aborted is the tail of
//	            an interrupt, length the API error of a spent output limit, refusal
//	            that of a message which safeguards stopped
//	end, err    a result that says success and is_error
//	error       fatal: the line of an API error and such a result, by the HTTP status
//	            or the error word that the code is; else an api_retry line, or for the
//	            code refusal the lines that ask the model once more
//	turn        thinking a thinking_tokens line, running a status line or, with a text,
//	            a synthetic user line, idle a session_state_changed line, compact a
//	            compact_boundary line, text-end the end of a text block, retry an
//	            api_retry line, which abandons the open message
//	ask         can_use_tool for the last call of that tool
//	log         a line on stderr
//
// Money that a usage frame does not name is what the CLI's own price list says. For a
// model that the list lacks it is a guess, and 2.1.332 says that it is one.
//
// A turn ends with its result. The process ends when its input has ended and no turn
// is left; a prompt in argv is the whole input. Messages on stdin during a turn wait
// for the next tool result, which merges them into the turn, or for the next turn. An
// interrupt, and the signal INT, end a turn as the CLI does; TERM and HUP end the
// process at once, with codes 143 and 129, and leave descendants behind. A process
// that ignores INT ignores interrupts, too.
//
// What arrives is heard as: cancel (interrupts, signals), set-model, answer, input
// (messages after the first), input-end, and breach, where the client breaks the
// protocol. The codes of a breach are in [Breach].
//
// It is not strict about two things that the real one checks: that a key is there,
// and that allowed tools are allowed.
//
// The package imports fakes, fakes/child and fakes/wire.
package claudecode
