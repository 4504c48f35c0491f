// Package openclaw is a fake OpenClaw gateway: a real WebSocket server on the loopback
// that lets clients in as the real one does, says what it is told on both of the
// gateway's streams, and misbehaves on demand.
//
//	rt, err := openclaw.New(ctx, openclaw.Options{})   // Endpoint has the URL and the token
//	run, err := rt.Next(ctx)                           // a client sent chat.send, or agent
//	run.Emit(ctx, fakes.Init{}, fakes.Delta{Text: "hi"}, fakes.End{Reason: fakes.EndOK})
//
// Many clients may be connected, and each may have many runs. A run is told to every
// client that may read, in events that are numbered for each of them; it is nobody's own.
// It goes on when its client is gone, and what nobody hears is lost: clients that come
// back ask for it by chat.send with the same idempotency key, and by chat.history.
//
//	frame      agent stream                        chat stream
//	init       lifecycle start and model           status
//	delta      assistant: text of the message      delta: text of the run
//	snapshot   what is new; else replace, and all  the same
//	final      what is new of the message          the same
//	think      thinking                            nothing
//	call       item, tool                          nothing
//	result     tool, item, command_output          nothing
//	usage      usage: tokens of the run            nothing; whole in chat.history
//	ask        lifecycle waiting-approval          nothing; exec.approval.requested
//	error      lifecycle error; else run_status    error, twice; else nothing
//	turn       run_status                          status
//	end        lifecycle finishing, model, end     final; aborted
//	frame      an event of that name
//	raw        a message of that text, which is mended where it is no UTF-8
//	cut        all connections end, and no new one is taken
//
// The lifecycle ends before the chat does; after an abort it fails, although nothing is
// wrong. A retry (an error that is not fatal, or turn retry) throws the text of the message
// away. A tool that the configuration denies is answered at once, and what the script
// says of it is not. Tool events go to clients with the capability tool-events. Parts of
// calls, answers to requests, nested agents, limits of turns and money, refusals, and what
// only a process has are [fakes.ErrUnplayable]. A run's id is the idempotency key that its
// client chose; what Init calls it is a name for later frames of the script.
//
// A client must pass the handshake: challenge and nonce, closed sets of client ids and
// modes, protocol range, the signature of its device in version 2 or 3, origin, token. A
// request is judged by scope and by the shape of its parameters. Refusals are those of the
// real gateway, to the word. Of the methods that the real one lists the fake plays those
// that drive runs, sessions, agents and their files, configuration and approvals; others
// of the list are UNAVAILABLE, and what is not in it is unknown. What clients do against
// the protocol is in [Runtime.Breaches].
//
// Besides the faults of every fake there are those of connections, see [Kind]: each has a
// place among the frames of a connection, down to the byte.
//
// Versions differ. 2026.9.6 is told in full. 2026.5.28 has neither statuses nor the lifecycle
// phases model and finishing, joins the text around a tool by nothing, does not number tool
// events, and leaves a failed run without a terminal chat event. 2026.4.29, of which only the
// handshake was recorded, speaks protocol 3, and its chat deltas are whole texts only.
//
// Where nothing was recorded the fake decides: reasoning is the stream thinking, as public
// sources have it, usage of a total is what it grew by, a stop
// reason length is an end like others, a client that does not read is closed with 1008 when
// 50 MiB wait for it, and deltas that are said at once leave together where their text is
// long, as the real gateway's window would have it. It makes no events of its own but ticks
// (no health, no task), has none that are for webchat clients alone, and sends pings only to
// learn whether a client has read.
//
// The package imports fakes and github.com/coder/websocket.
package openclaw
