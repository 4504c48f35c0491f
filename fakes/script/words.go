package script

import (
	"github.com/adaptercheck/adaptercheck/fakes"
)

// word is one word of the language: its fields and what it builds.
type word struct {
	name string
	// scalar is the field that a plain value stands for; empty is none.
	scalar string
	// bare words may stand without fields.
	bare   bool
	fields []field
	// oneOf: exactly one of these fields is given.
	oneOf []string
	// atMostOne: these fields exclude each other.
	atMostOne []string
	build     func(values) any
}

type field struct {
	name     string
	is       fieldKind
	required bool
	words    []string // of a fieldWord
}

// fieldKind is the type of a field.
type fieldKind int

const (
	fieldText     fieldKind = iota // string
	fieldNullable                  // string or null
	fieldWord                      // one of a closed set of words
	fieldFlag                      // bool
	fieldInt                       // int
	fieldCount                     // int64
	fieldAmount                    // float64
	fieldJSON                      // any value, as JSON text
	fieldObject                    // a map, as JSON text
	fieldJSONText                  // JSON text written out in a string
	fieldBase64                    // bytes
)

// values are the fields that a step has, each of its kind's Go type.
type values map[string]any

func get[T any](v values, name string) T {
	x, _ := v[name].(T)
	return x
}

func opt[T any](v values, name string) *T {
	if x, ok := v[name].(T); ok {
		return &x
	}
	return nil
}

// text returns a string field, or the bytes written in base64.
func (v values) text(name string) string {
	if raw, ok := v["base64"].([]byte); ok {
		return string(raw)
	}
	return get[string](v, name)
}

// json returns a JSON value under either of its two spellings.
func (v values) json(name string) string {
	if s, ok := v["json"].(string); ok {
		return s
	}
	return get[string](v, name)
}

var (
	signals    = []string{"INT", "TERM", "HUP", "KILL", "QUIT", "ABRT", "SEGV", "PIPE"}
	deafTo     = []string{"INT", "TERM", "HUP"}
	turnStates = []string{"thinking", "running", "turn-complete", "idle", "retry", "text-end", "compact"}
	endReasons = []string{string(fakes.EndOK), string(fakes.EndMaxTurns), string(fakes.EndAborted), string(fakes.EndLength), string(fakes.EndToolUse)}
	usageKinds = []string{string(fakes.UsageTurn), string(fakes.UsageTotal), string(fakes.UsageLast)}
	lineEnds   = []string{"lf", string(fakes.EOLCRLF), string(fakes.EOLNone)}
	doneWords  = []string{"success", "max_turns", "aborted", "error"}
)

func text(name string) field { return field{name: name, is: fieldText} }
func must(f field) field     { f.required = true; return f }

// frameWords are the words under steps, in the order of the frames.
var frameWords = []word{
	{name: "init", bare: true, fields: []field{text("run"), text("session"), text("model"), text("cwd")},
		build: func(v values) any {
			return fakes.Init{Run: get[string](v, "run"), Session: get[string](v, "session"), Model: get[string](v, "model"), Dir: get[string](v, "cwd")}
		}},
	{name: "delta", scalar: "text", fields: []field{must(text("text")), text("msg"), text("part"), {name: "at", is: fieldInt}, text("run")},
		build: func(v values) any {
			return fakes.Delta{Text: get[string](v, "text"), Msg: get[string](v, "msg"), Part: get[string](v, "part"), At: opt[int](v, "at"), Run: get[string](v, "run")}
		}},
	{name: "think", scalar: "text", fields: []field{must(text("text"))},
		build: func(v values) any { return fakes.Think{Text: get[string](v, "text")} }},
	{name: "snapshot", scalar: "text", fields: []field{must(text("text")), text("part")},
		build: func(v values) any {
			return fakes.Snapshot{Text: get[string](v, "text"), Part: get[string](v, "part")}
		}},
	{name: "final", scalar: "text", fields: []field{{name: "text", is: fieldNullable, required: true}, text("msg")},
		build: func(v values) any {
			return fakes.Final{Text: opt[string](v, "text"), Msg: get[string](v, "msg")}
		}},
	{name: "call", fields: []field{must(text("id")), must(text("name")), {name: "input", is: fieldJSON}, {name: "json", is: fieldJSONText}},
		atMostOne: []string{"input", "json"},
		build: func(v values) any {
			return fakes.ToolCall{ID: get[string](v, "id"), Name: get[string](v, "name"), Input: v.json("input")}
		}},
	{name: "callpart", fields: []field{{name: "idx", is: fieldInt, required: true}, text("id"), text("name"), must(text("frag"))},
		build: func(v values) any {
			return fakes.CallPart{Index: get[int](v, "idx"), ID: get[string](v, "id"), Name: get[string](v, "name"), Fragment: get[string](v, "frag")}
		}},
	{name: "result", fields: []field{must(text("id")), text("name"), must(text("out")), {name: "err", is: fieldFlag}, text("run")},
		build: func(v values) any {
			return fakes.Result{ID: get[string](v, "id"), Name: get[string](v, "name"), Out: get[string](v, "out"), Error: get[bool](v, "err"), Run: get[string](v, "run")}
		}},
	{name: "usage", fields: []field{{name: "kind", is: fieldWord, words: usageKinds},
		{name: "in", is: fieldCount}, {name: "out", is: fieldCount}, {name: "cacheRead", is: fieldCount}, {name: "cacheWrite", is: fieldCount}, {name: "reasoning", is: fieldCount},
		{name: "totalIn", is: fieldCount}, {name: "totalOut", is: fieldCount}, {name: "cost", is: fieldAmount}, text("model")},
		build: func(v values) any {
			kind := fakes.UsageKind(get[string](v, "kind"))
			if kind == "" {
				kind = fakes.UsageTurn
			}
			return fakes.Usage{Kind: kind, In: opt[int64](v, "in"), Out: opt[int64](v, "out"), CacheRead: opt[int64](v, "cacheRead"),
				CacheWrite: opt[int64](v, "cacheWrite"), Reasoning: opt[int64](v, "reasoning"), TotalIn: opt[int64](v, "totalIn"), TotalOut: opt[int64](v, "totalOut"),
				CostUSD: opt[float64](v, "cost"), Model: get[string](v, "model")}
		}},
	{name: "end", scalar: "reason", fields: []field{{name: "reason", is: fieldWord, required: true, words: endReasons}, {name: "err", is: fieldFlag}, text("text"), text("run")},
		build: func(v values) any {
			return fakes.End{Reason: fakes.EndReason(get[string](v, "reason")), Error: get[bool](v, "err"), Text: get[string](v, "text"), Run: get[string](v, "run")}
		}},
	{name: "error", scalar: "msg", fields: []field{text("code"), must(text("msg")), {name: "fatal", is: fieldFlag}, text("run")},
		build: func(v values) any {
			return fakes.Failure{Code: get[string](v, "code"), Message: get[string](v, "msg"), Fatal: get[bool](v, "fatal"), Run: get[string](v, "run")}
		}},
	{name: "turn", scalar: "state", fields: []field{{name: "state", is: fieldWord, required: true, words: turnStates}, text("text"), text("run")},
		build: func(v values) any {
			return fakes.Turn{State: get[string](v, "state"), Text: get[string](v, "text"), Run: get[string](v, "run")}
		}},
	{name: "ask", fields: []field{must(text("id")), text("tool")},
		build: func(v values) any { return fakes.Ask{ID: get[string](v, "id"), Tool: get[string](v, "tool")} }},
	{name: "frame", scalar: "type", fields: []field{must(text("type")), {name: "fields", is: fieldObject}, {name: "json", is: fieldJSONText}},
		atMostOne: []string{"fields", "json"},
		build: func(v values) any {
			return fakes.Native{Type: get[string](v, "type"), Fields: v.json("fields")}
		}},
	{name: "raw", scalar: "line", fields: []field{text("line"), {name: "base64", is: fieldBase64}, {name: "eol", is: fieldWord, words: lineEnds}},
		oneOf: []string{"line", "base64"},
		build: func(v values) any {
			eol := fakes.EOL(get[string](v, "eol"))
			if eol == "lf" {
				eol = fakes.EOLLF
			}
			return fakes.Raw{Line: v.text("line"), EOL: eol}
		}},
	{name: "stderr", scalar: "text", fields: []field{text("text"), {name: "base64", is: fieldBase64}, {name: "n", is: fieldInt}},
		oneOf: []string{"text", "base64", "n"},
		build: func(v values) any { return fakes.Stderr{Text: v.text("text"), N: get[int](v, "n")} }},
	{name: "exit", scalar: "code", fields: []field{{name: "code", is: fieldInt}, {name: "signal", is: fieldWord, words: signals}},
		oneOf: []string{"code", "signal"},
		build: func(v values) any {
			return fakes.Exit{Code: get[int](v, "code"), Signal: get[string](v, "signal")}
		}},
	{name: "cut", bare: true, build: func(values) any { return fakes.Cut{} }},
	{name: "silent", bare: true, build: func(values) any { return fakes.Silent{} }},
	{name: "child", bare: true, fields: []field{{name: "ownSession", is: fieldFlag}},
		build: func(v values) any { return fakes.Child{OwnSession: get[bool](v, "ownSession")} }},
	{name: "ignore", scalar: "signal", fields: []field{{name: "signal", is: fieldWord, required: true, words: deafTo}},
		build: func(v values) any { return fakes.Ignore{Signal: get[string](v, "signal")} }},
}

// expectWords are the words under expect.
var expectWords = []word{
	{name: "text", scalar: "assistant", fields: []field{text("run"), text("assistant"), text("reasoning")},
		build: func(v values) any {
			return ExpectText{Run: get[string](v, "run"), Assistant: opt[string](v, "assistant"), Reasoning: opt[string](v, "reasoning")}
		}},
	{name: "done", scalar: "reason", fields: []field{text("run"), {name: "reason", is: fieldWord, required: true, words: doneWords}},
		build: func(v values) any {
			return ExpectDone{Run: get[string](v, "run"), Reason: get[string](v, "reason")}
		}},
}

// caseWords are steps that only a case may have.
var caseWords = []string{"host", "file", "files"}

// Words maps each word of the language to the names of its fields.
func Words() map[string][]string {
	out := make(map[string][]string, len(frameWords))
	for _, w := range frameWords {
		out[w.name] = w.fieldNames()
	}
	return out
}

func (w word) fieldNames() []string {
	names := []string{}
	for _, f := range w.fields {
		names = append(names, f.name)
	}
	return names
}

func (w word) field(name string) (field, bool) {
	for _, f := range w.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
