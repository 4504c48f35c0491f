package historytest

import (
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// four is the fixture of the seed's own suite with fresh words in it: a question,
// a tool call, its result, an answer.
func (t *T) four(root, dir string) check.Fixture {
	f := check.Fixture{
		RuntimeID: "conformance-runtime",
		SessionID: "runtime-adapter-conformance-session-" + t.word(),
		Root:      root,
		Dir:       dir,
		Model: history.Model{
			Provider:      "conformance-remote-" + t.word(),
			ID:            "conformance-model-" + t.word(),
			ContextWindow: float64(32768 + 1024*t.Rand.IntN(64)),
			MaxTokens:     history.Some(float64(4096 + 256*t.Rand.IntN(16))),
			Reasoning:     history.Some(t.Rand.IntN(2) == 1),
			Input:         [][]string{{"text"}, {"text", "image"}, {"text", "audio"}}[t.Rand.IntN(3)],
			Cost: &history.ModelCost{
				Input: float64(1+t.Rand.IntN(40)) / 4, Output: float64(41+t.Rand.IntN(80)) / 4,
				CacheRead: float64(1+t.Rand.IntN(8)) / 16, CacheWrite: float64(9+t.Rand.IntN(8)) / 16,
			},
		},
	}
	if id := t.Subject.Format.RuntimeID; id != "" {
		f.RuntimeID = id
	}
	call := "tool-call-" + t.word()
	add := func(name string, role history.Role, tokens float64, b history.Block) {
		m := message(f, "entry-"+name, role, b)
		m.TokenEstimate = history.Some(tokens)
		if role == history.Tool || name == "call" {
			m.Flags.Atomic = history.Some(true)
		}
		f.Messages = append(f.Messages, m)
	}
	add("user", history.User, 8, history.Text{Text: "Please read the file about " + t.word() + "."})
	add("call", history.Assistant, 12, history.ToolCall{
		ID: call, Name: "read",
		Arguments: history.JSON(fmt.Sprintf(`{"path":"src/%s.ts","lines":[1,20],"deep":{"flag":true,"none":null}}`, t.word())),
	})
	add("result", history.Tool, 10, history.ToolResult{ToolCallID: call, ToolName: "read", Content: "export const name = \"" + t.word() + "\";\n"})
	add("assistant", history.Assistant, 7, history.Text{Text: "The file exports " + t.word() + "."})
	return f
}

// message makes a message of the fixture's session.
func message(f check.Fixture, entry string, role history.Role, blocks ...history.Block) history.Message {
	return history.Message{
		ID: f.SessionID + ":" + entry, SourceEntryID: entry, Role: role, Blocks: blocks,
		Provenance: history.Provenance{
			Source: history.RuntimeSession, SessionID: f.SessionID, EntryID: entry,
			RuntimeID: history.Some(f.RuntimeID),
		},
	}
}

// rich replaces the messages by some that hold every kind of block, every role and
// every field.
func rich(t *T, f *check.Fixture) {
	a, b := "call-"+t.word(), "call-"+t.word()
	f.Messages = []history.Message{
		message(*f, "entry-system", history.System, history.Text{Text: "You know " + t.word() + "."}),
		message(*f, "entry-question", history.User,
			history.Text{Text: "  \"Quotes\", <tags> & é e\u0301 🦜\u2028 " + t.word() + "\r\n\ttabs \\u0041 "},
			history.Image{MimeType: history.Some("image/png"), Data: history.Some("aGVsbG8=")},
			history.FileReference{Path: "docs/" + t.word() + ".md"}),
		message(*f, "entry-thought", history.Assistant,
			history.Thinking{Thinking: "I wonder about " + t.word()},
			history.OpaqueProvider{OriginalType: history.Some("redacted_thinking"), Value: history.JSON(fmt.Sprintf(`{"type":"redacted_thinking","data":[%q,1.5,null,{"x":false}]}`, t.word()))},
			history.ToolCall{ID: a, Name: "read", Arguments: history.JSON(fmt.Sprintf(`{"path":%q}`, t.word()))},
			history.ToolCall{ID: b, Name: "run", Arguments: `[1,"two",{"three":[]}]`}),
		message(*f, "entry-read", history.Tool, history.ToolResult{ToolCallID: a, ToolName: "read", Content: "line\n" + t.word()}),
		message(*f, "entry-run", history.Tool, history.ToolResult{ToolCallID: b, ToolName: "run", Content: "exit 1: " + t.word(), IsError: true}),
		message(*f, "entry-summary", history.Custom,
			history.ArtifactReference{ArtifactID: "artifact-" + t.word()},
			history.SummaryReference{SummaryID: "summary-" + t.word()}),
		message(*f, "entry-answer", history.Assistant, history.Text{Text: ""}, history.Text{Text: "Done with " + t.word()}),
	}
	for i := range f.Messages {
		m := &f.Messages[i]
		m.CreatedAt = history.Some(float64(1_700_000_000_000 + 1000*i))
		m.TokenEstimate = history.Some(float64(3 + i))
		if m.Role == history.Assistant {
			m.Provider, m.Model = history.Some("writer-"+t.word()), history.Some("model-"+t.word())
		}
	}
	f.Messages[0].Flags.Pinned = history.Some(true)
	f.Messages[1].Flags.LocalOnly = history.Some(true)
	f.Messages[4].Flags.Atomic = history.Some(true)
	f.Messages[5].Flags.Synthetic = history.Some(true)
	f.Messages[5].Provenance.OriginalRole = history.Some("branchSummary")
}

// unknown adds fields that the contract does not know.
func unknown(t *T, f *check.Fixture) {
	m := &f.Messages[0]
	extra := func(name string) history.Members {
		return history.Members{{Name: name, Value: history.JSON(fmt.Sprintf(`{"kept":[%q,1]}`, t.word()))}}
	}
	m.Extra, m.Provenance.Extra, m.Flags.Extra = extra("x-message"), extra("x-provenance"), extra("x-flags")
	text := m.Blocks[0].(history.Text)
	text.Extra = extra("x-block")
	m.Blocks[0] = text
}

// parallel adds a batch of three calls in one message, answered by two messages,
// one of them with two results.
func parallel(t *T, f *check.Fixture) {
	a, b, c := "call-"+t.word(), "call-"+t.word(), "call-"+t.word()
	result := func(id string) history.Block {
		return history.ToolResult{ToolCallID: id, ToolName: "read", Content: t.word()}
	}
	call := func(id string) history.Block { return history.ToolCall{ID: id, Name: "read", Arguments: `{}`} }
	f.Messages = append(f.Messages,
		message(*f, "entry-batch", history.Assistant, call(a), call(b), call(c)),
		message(*f, "entry-batch-1", history.Tool, result(b)),
		message(*f, "entry-between", history.User, history.Text{Text: t.word()}),
		message(*f, "entry-batch-2", history.Tool, result(c), result(a)),
	)
}

// live adds a call that has no result yet.
func live(t *T, f *check.Fixture) {
	f.Messages = append(f.Messages,
		message(*f, "entry-live", history.Assistant, history.ToolCall{ID: "call-" + t.word(), Name: "read", Arguments: `{}`}))
}

// long adds many messages, and one that is large.
func long(t *T, f *check.Fixture) {
	for i := range 250 {
		f.Messages = append(f.Messages, message(*f, fmt.Sprintf("entry-%d", i), history.User, history.Text{Text: fmt.Sprintf("%d: %s", i, t.word())}))
	}
	f.Messages[200].Blocks = []history.Block{history.Text{Text: strings.Repeat("a long story, ", 20_000) + t.word()}}
}

// plainly leaves the fixture of four messages as it is.
func plainly(*T, *check.Fixture) {}

// empty has no messages yet.
func empty(_ *T, f *check.Fixture) { f.Messages = []history.Message{} }

// modelless selects no model.
func modelless(_ *T, f *check.Fixture) { f.Model = history.Model{} }

// like lays a second fixture over the root and the identities of the first.
func like(o check.Fixture) shape {
	return func(_ *T, f *check.Fixture) {
		dir := f.Dir
		*f = clone(o)
		f.Dir = dir
	}
}
