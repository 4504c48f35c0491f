// Package hermes is a fake Hermes Agent: a real child process that reads the arguments
// of `hermes chat -q`, answers as the real one does, keeps a state.db, and misbehaves on
// demand.
//
//	rt, err := hermes.New(ctx, hermes.Options{})   // Endpoint().Command is the program
//	run, err := rt.Next(ctx)                       // the adapter started it
//	run.Emit(ctx, fakes.Final{Text: &hi}, fakes.End{Reason: fakes.EndOK})
//
// The process is the running binary itself, started again; the test binary needs
// one line for that, see [fakes.Main].
//
// There are two wires, and argv says which one a run has. Quiet (-Q) is silent until the
// end; then the answer, which is what was said after the last tool or else what was said
// last, is all of stdout, and the session id is a line on stderr. With --format stream-json, which only the newest
// version has, stdout is JSON lines. Under both lies state.db.
//
//	frame       stream-json            quiet                state.db
//	init        system/init            nothing              model and cwd of the session
//	delta       text                   with the answer      with its message
//	final       text, what is new      with the answer      with its message
//	think       nothing                nothing              reasoning of the message
//	call        tool_use               nothing              tool_calls of an assistant row
//	result      tool_result            nothing              a tool row
//	usage       tokens of the result   nothing              added to the session's totals
//	end ok      result                 answer, session id   the message, end of the session
//	end, err    result with the error  Error: on stderr     end of the session
//	error       fatal: the same        the same             the same
//	frame       a line                 nothing              nothing
//	cut         stdout is closed; exit code 0
//
// A failure after something was said prints that, as if it were the answer, and no error.
// An end by length is a turn that stopped partway: finish_reason "length". A refusal is a
// failure with a text. A session that Init names anew, or that "turn compact" compresses,
// goes on under another id, with the old one as its parent; before it was ever named, it
// just has that id.
//
// The output of a failed tool is a JSON object with the member error, in the line as in
// the row. input_tokens leaves out what came from the cache; the numbers and the estimated cost of
// a session are totals over all its processes, where those of a result line are of the
// process.
//
// Parts of calls, snapshots, places of deltas, details of results, approvals, mild errors
// and turn limits are [fakes.ErrUnplayable], and so is what names another run or a subagent.
//
// An end leaves the process: it exits when the frames of that Emit are out. An exit frame
// in the same Emit gives another code; silent in the same Emit keeps the process alive
// instead.
//
// state.db is in HERMES_HOME; without that variable it is with the fake, and a process
// that was started by hand keeps none. One that this fake did not make is never touched:
// the process says so and exits with code 2.
//
// Versions differ. 0.21.5 has both wires, tells every end by its exit code, and on a stop
// signal ends its tools, waits for HERMES_SIGTERM_GRACE (1.5 seconds) and exits with 130,
// the session id said. 0.15.2 is quiet alone, exits with 0 unless the turn failed, and dies
// by SIGINT after the grace. 0.4.0 exits with 0 also where it failed, which it does not
// tell, says the session id and what it resumes on stdout, and dies by the signal at once.
//
// One shape of state.db, that of schema version 30, serves all versions. The fake is not
// strict about credentials and knows no interactive mode, and a stream-json process that
// nobody reads ends, where the real one goes on unheard.
//
// The package imports fakes, fakes/child, fakes/wire and a SQLite in Go.
package hermes
