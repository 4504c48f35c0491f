package historytest

import (
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// generated replaces the messages by a conversation that the seed makes up: every
// kind of block, calls alone and in batches, results in any order and any company,
// calls that nobody has answered yet, marks, repetitions, and texts in many scripts.
func generated(t *T, f *check.Fixture) {
	g := &generator{T: t, f: f}
	f.Messages = nil
	// What careless code damages is there under every seed.
	var texts []history.Block
	for _, text := range samples {
		texts = append(texts, history.Text{Text: text})
	}
	g.add(history.User, texts...)
	g.exchange(1, g.call("\uFFFF", forms[0]), g.call("\U00010000", forms[0])) // whose order depends on what is compared
	var calls []history.ToolCall
	for _, form := range forms {
		calls = append(calls, g.call("", form))
	}
	g.exchange(len(calls), calls...)

	for range 12 + t.Rand.IntN(12) {
		if t.Rand.IntN(3) > 0 {
			g.say()
			continue
		}
		calls := make([]history.ToolCall, 1+t.Rand.IntN(4))
		for i := range calls {
			calls[i] = g.call("", one(t, forms...))
		}
		g.exchange(len(calls)-t.Rand.IntN(2), calls...)
	}
	g.say()
	f.Messages = append(f.Messages, g.again())
}

type generator struct {
	*T
	f *check.Fixture
	n int // ids given so far
}

// one picks an item.
func one[V any](t *T, items ...V) V { return items[t.Rand.IntN(len(items))] }

// samples are texts that careless code damages.
var samples = []string{
	"plain", " outer space ", "tab\tand\r\nline\n", "", "\u00e9 e\u0301 \u212b", "日本語のテキスト", "שלום \u202eabc\u202c", "العربية",
	"👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈", "a\u0000b", "\u0001\u001b[31m\u007f\u0085", "\ufeffmark", "\ufffd", "\uffff\U0010ffff\ue000",
	"\u2028\u2029", `"quotes" \ \\ \u0041 \n`, "<script>&amp;</script>", "{\"json\": [1, null]}", "```go\nfunc main() {}\n```", "\u1e9e\u0130\u017f",
}

// phrase is a text with a word of its own.
func (g *generator) phrase() string { return one(g.T, samples...) + g.word() + one(g.T, samples...) }

// forms are JSON values around a word.
var forms = []string{`{"a":%s,"b":{"c":null,"d":[1e21,-0.5,true]}}`, `%s`, `[%s,[],{}]`, `{"":%s}`, `[null,false,0,%s]`, `{"x y":[[[%s]]]}`}

// json is a JSON value with a word of its own.
func (g *generator) json(form string) history.JSON {
	return history.JSON(fmt.Sprintf(form, `"`+g.word()+`"`))
}

// id is a new id with something of its own before the number.
func (g *generator) id(kind, own string) string {
	g.n++
	return fmt.Sprintf("%s-%s%d", kind, own, g.n)
}

// add adds a message with some of the fields that a message may have.
func (g *generator) add(role history.Role, blocks ...history.Block) {
	m := message(*g.f, g.id("entry", one(g.T, "", "", "é", "日本-", "🦜", "_.~")), role, blocks...)
	maybe := func(p *history.Optional[bool]) {
		if g.Rand.IntN(4) == 0 {
			*p = history.Some(g.Rand.IntN(3) > 0)
		}
	}
	maybe(&m.Flags.Pinned)
	maybe(&m.Flags.Atomic)
	maybe(&m.Flags.LocalOnly)
	maybe(&m.Flags.Synthetic)
	m.CreatedAt = history.Some(float64(1_600_000_000_000 + g.Rand.Int64N(1_000_000_000)))
	if g.Rand.IntN(2) == 0 {
		m.TokenEstimate = history.Some(float64(g.Rand.IntN(10_000)))
	}
	if role == history.Assistant && g.Rand.IntN(2) == 0 {
		m.Provider, m.Model = history.Some("writer-"+g.word()), history.Some("model-"+g.word())
	}
	if g.Rand.IntN(4) == 0 {
		m.Extra = history.Members{{Name: "x-" + g.word(), Value: g.json(one(g.T, forms...))}}
	}
	g.f.Messages = append(g.f.Messages, m)
}

// block is one of any kind that is no call and no result.
func (g *generator) block() history.Block {
	switch g.Rand.IntN(9) {
	case 0:
		return history.Thinking{Thinking: g.phrase()}
	case 1:
		return history.Image{MimeType: history.Some("image/png"), Data: history.Some(strings.Repeat("aGVs", 1+g.Rand.IntN(50)))}
	case 2:
		return history.FileReference{Path: "docs/" + g.word() + one(g.T, ".md", "/é.txt", "/with space", "")}
	case 3:
		return history.ArtifactReference{ArtifactID: "artifact-" + g.word()}
	case 4:
		return history.SummaryReference{SummaryID: "summary-" + g.word()}
	case 5:
		kind := "type-" + g.word()
		return history.OpaqueProvider{OriginalType: history.Some(kind), Value: history.JSON(fmt.Sprintf(`{"type":%q,"data":%s}`, kind, g.json(one(g.T, forms...))))}
	default:
		return history.Text{Text: g.phrase()}
	}
}

// say adds a message without tools.
func (g *generator) say() {
	blocks := make([]history.Block, 1+g.Rand.IntN(4))
	for i := range blocks {
		blocks[i] = g.block()
	}
	g.add(one(g.T, history.System, history.User, history.Assistant, history.Custom), blocks...)
}

// again is the last message once more, as a message of its own.
func (g *generator) again() history.Message {
	last := g.f.Messages[len(g.f.Messages)-1].Clone()
	m := message(*g.f, g.id("entry", ""), last.Role, last.Blocks...)
	m.CreatedAt = last.CreatedAt
	return m
}

// call is a call whose id has something of its own and whose arguments have a form.
func (g *generator) call(own, form string) history.ToolCall {
	return history.ToolCall{ID: g.id("call", own), Name: "tool-" + g.word(), Arguments: g.json(form)}
}

// exchange adds a message with calls, and as many of their results as were answered.
func (g *generator) exchange(answered int, calls ...history.ToolCall) {
	var blocks, results []history.Block
	if g.Rand.IntN(2) == 0 {
		blocks = append(blocks, history.Text{Text: g.phrase()})
	}
	for _, c := range calls {
		blocks = append(blocks, c)
		results = append(results, history.ToolResult{ToolCallID: c.ID, ToolName: c.Name, Content: g.phrase(), IsError: g.Rand.IntN(3) == 0})
	}
	g.add(history.Assistant, blocks...)
	g.Rand.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	for results = results[:answered]; len(results) > 0; {
		if g.Rand.IntN(3) == 0 {
			g.say()
		}
		n := 1 + g.Rand.IntN(len(results))
		g.add(history.Tool, results[:n:n]...)
		results = results[n:]
	}
}
