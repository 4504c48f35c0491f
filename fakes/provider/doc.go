// Package provider is a fake provider of models: one HTTP server that speaks Anthropic
// Messages, OpenAI Chat Completions and OpenAI Responses, streamed and whole, lists its
// models as both do and as Ollama does, refuses what they refuse in their own words, and
// misbehaves on demand.
//
//	s, err := provider.New(ctx, provider.Options{})
//	defer s.Close()
//	err = s.Answer(provider.When{Turn: 1}, fakes.ToolCall{ID: "t1", Name: "read", Input: `{"path": "a"}`})
//	err = s.Answer(provider.When{Result: "t1"}, fakes.Delta{Text: "An "}, fakes.Delta{Text: "A."}, fakes.Usage{In: &in, Out: &out})
//	client := anthropic.NewClient(option.WithBaseURL(s.URL()), option.WithAPIKey("any"))
//	…
//	s.Journal() // what was asked, and what became of it
//
// An answer is [fakes.Frame] values, the words of the scenario language:
//
//	init        the id of the answer and its model, where they shall not be made up
//	delta       a piece of text, one event
//	think       a piece of reasoning; reasoning_content in Chat Completions
//	snapshot    what a text has beyond its pieces so far
//	final       the same, and the block of text ends
//	call        a tool call, its input in one piece; a custom tool's gets it as text
//	callpart    a piece of a call's input
//	usage       tokens as the wire counts them; what is not said is 0
//	end         how the answer stops: ok, length, tool_use, refusal; with err an error
//	error       an error: an HTTP status before anything else, then an event. Its code is
//	            a status or a type
//	http        an attempt: a status, an error event, or a text
//	turn        text-end ends a block of text
//	frame       an event of that type
//	raw         bytes in the stream
//	cut         the connection is closed in the middle of the answer
//	silent      nothing more comes
//
// Everything else is [fakes.ErrUnplayable]. An answer that its frames do not end ends by
// itself.
//
// A [Rule] says to which requests an answer belongs ([When]), and can pace it, hold it at
// a [Gate], or spoil it ([Fault]). A request that no rule is for gets an error that names
// the nearest rule and the difference, never a likely answer. With Live a test answers
// itself, piece by piece: [Space.Next]. Tests that share a server have a [Space] each.
// Rules can stand in a file, see [Open]; [Record] makes such a file of what a real
// provider answers, and [Drift] compares what two of them look like.
//
// Answers are rendered when a rule is first used, and what is due together leaves in one
// write, under a deadline: a client that does not read costs next to nothing. Equal seeds
// give equal bytes to the n-th request of a space.
//
// The package imports fakes, fakes/script, fakes/wire, internal/nearest, internal/redact,
// internal/yamltree and a JSON parser.
package provider
