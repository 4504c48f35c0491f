// Package responses is an HTTP server on loopback that a real runtime takes for its
// provider: it receives the requests of the Responses API and leaves the answers to
// whoever plays it.
//
//	server, err := responses.New()
//	exchange, err := server.Next(ctx, "run-1")         // the runtime asked for an answer
//	exchange.Request.Prompt                             // what it was told to do
//	exchange.Send(ctx, responses.Message("m1", "hi"), responses.Completed("r1", responses.Usage{}))
//	exchange.End()
//
// It knows as much of the API as a client needs that runs a turn: events of the answer
// as they come, and answers that break off. It imports a strict JSON codec.
package responses
