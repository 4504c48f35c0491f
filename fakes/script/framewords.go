package script

import (
	"github.com/adaptercheck/adaptercheck/fakes"
)

var (
	signals    = []string{"INT", "TERM", "HUP", "KILL", "QUIT", "ABRT", "SEGV", "PIPE"}
	deafTo     = []string{"INT", "TERM", "HUP"}
	turnStates = []string{"thinking", "running", "turn-complete", "idle", "retry", "text-end", "compact"}
	endReasons = []string{string(fakes.EndOK), string(fakes.EndMaxTurns), string(fakes.EndAborted), string(fakes.EndLength), string(fakes.EndToolUse),
		string(fakes.EndRefusal), string(fakes.EndBudget)}
	usageKinds = []string{string(fakes.UsageTurn), string(fakes.UsageTotal), string(fakes.UsageLast)}
	requests   = []string{string(fakes.RequestStart), string(fakes.RequestResume), string(fakes.RequestAbort), string(fakes.RequestSetModel)}
	lineEnds   = []string{"lf", string(fakes.EOLCRLF), string(fakes.EOLNone)}
)

// frameWords are the words of fakes, in the order of the frames.
var frameWords = []word{
	{name: "init", doc: "The first life sign of a run: its ids are known from here on.", bare: true,
		fields: []field{text("run"), text("session"), text("model"), text("cwd")},
		build: func(v values) any {
			return fakes.Init{Run: get[string](v, "run"), Session: get[string](v, "session"), Model: get[string](v, "model"), Dir: get[string](v, "cwd")}
		}},
	{name: "delta", doc: "A piece of the answer.", scalar: "text",
		fields: []field{must(text("text")), text("msg"), text("part"), typed(fieldInt, "at"), text("run"), text("parent")},
		build: func(v values) any {
			return fakes.Delta{Text: get[string](v, "text"), Msg: get[string](v, "msg"), Part: get[string](v, "part"), At: opt[int](v, "at"),
				Run: get[string](v, "run"), Parent: get[string](v, "parent")}
		}},
	{name: "think", doc: "A piece of reasoning.", scalar: "text", fields: []field{must(text("text")), text("parent")},
		build: func(v values) any { return fakes.Think{Text: get[string](v, "text"), Parent: get[string](v, "parent")} }},
	{name: "snapshot", doc: "The whole text of a part so far.", scalar: "text", fields: []field{must(text("text")), text("part")},
		build: func(v values) any {
			return fakes.Snapshot{Text: get[string](v, "text"), Part: get[string](v, "part")}
		}},
	{name: "final", doc: "A whole message.", scalar: "text", fields: []field{must(typed(fieldNullable, "text")), text("msg"), text("parent")},
		build: func(v values) any {
			return fakes.Final{Text: opt[string](v, "text"), Msg: get[string](v, "msg"), Parent: get[string](v, "parent")}
		}},
	{name: "call", doc: "A tool call with its whole input.",
		fields:    []field{must(text("id")), must(text("name")), typed(fieldJSON, "input"), typed(fieldJSONText, "json"), text("parent")},
		atMostOne: []string{"input", "json"},
		build:     func(v values) any { return toolCall(v) }},
	{name: "callpart", doc: "A piece of a streamed tool input.",
		fields: []field{must(typed(fieldInt, "idx")), text("id"), text("name"), must(text("frag"))},
		build: func(v values) any {
			return fakes.CallPart{Index: get[int](v, "idx"), ID: get[string](v, "id"), Name: get[string](v, "name"), Fragment: get[string](v, "frag")}
		}},
	{name: "result", doc: "The answer to a tool call.",
		fields: []field{must(text("id")), text("name"), must(text("out")), typed(fieldFlag, "err"), typed(fieldJSON, "details"), typed(fieldJSONText, "json"),
			text("run"), text("parent")},
		atMostOne: []string{"details", "json"},
		build: func(v values) any {
			return fakes.Result{ID: get[string](v, "id"), Name: get[string](v, "name"), Out: get[string](v, "out"), Error: get[bool](v, "err"),
				Details: v.json("details"), Run: get[string](v, "run"), Parent: get[string](v, "parent")}
		}},
	{name: "usage", doc: "Tokens and money.",
		fields: []field{oneWord("kind", usageKinds), typed(fieldCount, "in"), typed(fieldCount, "out"), typed(fieldCount, "cacheRead"), typed(fieldCount, "cacheWrite"),
			typed(fieldCount, "reasoning"), typed(fieldCount, "totalIn"), typed(fieldCount, "totalOut"), typed(fieldAmount, "cost"), text("model")},
		build: func(v values) any {
			kind := fakes.UsageKind(get[string](v, "kind"))
			if kind == "" {
				kind = fakes.UsageTurn
			}
			return fakes.Usage{Kind: kind, In: opt[int64](v, "in"), Out: opt[int64](v, "out"), CacheRead: opt[int64](v, "cacheRead"),
				CacheWrite: opt[int64](v, "cacheWrite"), Reasoning: opt[int64](v, "reasoning"), TotalIn: opt[int64](v, "totalIn"), TotalOut: opt[int64](v, "totalOut"),
				CostUSD: opt[float64](v, "cost"), Model: get[string](v, "model")}
		}},
	{name: "end", doc: "The terminal frame.", scalar: "reason",
		fields: []field{must(oneWord("reason", endReasons)), typed(fieldFlag, "err"), text("text"), text("run")},
		build: func(v values) any {
			return fakes.End{Reason: fakes.EndReason(get[string](v, "reason")), Error: get[bool](v, "err"), Text: get[string](v, "text"), Run: get[string](v, "run")}
		}},
	{name: "error", doc: "An error frame.", scalar: "msg", fields: []field{text("code"), must(text("msg")), typed(fieldFlag, "fatal"), text("run")},
		build: func(v values) any {
			return fakes.Failure{Code: get[string](v, "code"), Message: get[string](v, "msg"), Fatal: get[bool](v, "fatal"), Run: get[string](v, "run")}
		}},
	{name: "turn", doc: "How the turn stands.", scalar: "state", fields: []field{must(oneWord("state", turnStates)), text("text"), text("run")},
		build: func(v values) any {
			return fakes.Turn{State: get[string](v, "state"), Text: get[string](v, "text"), Run: get[string](v, "run")}
		}},
	{name: "ask", doc: "An approval question.", fields: []field{must(text("id")), text("tool")},
		build: func(v values) any { return fakes.Ask{ID: get[string](v, "id"), Tool: get[string](v, "tool")} }},
	{name: "ack", doc: "A request of the host is accepted.", scalar: "request", fields: []field{must(oneWord("request", requests)), text("run")},
		build: func(v values) any {
			return fakes.Ack{Request: fakes.Request(get[string](v, "request")), Run: get[string](v, "run")}
		}},
	{name: "reject", doc: "A request of the host is refused.", scalar: "request",
		fields: []field{must(oneWord("request", requests)), text("code"), text("msg")},
		build: func(v values) any {
			return fakes.Reject{Request: fakes.Request(get[string](v, "request")), Code: get[string](v, "code"), Message: get[string](v, "msg")}
		}},
	{name: "http", doc: "What the provider answers to one attempt of a runtime that calls it itself.", scalar: "attempt",
		fields: []field{must(typed(fieldInt, "attempt")), typed(fieldInt, "status"), text("event"), text("error"), text("text")},
		build: func(v values) any {
			return fakes.Attempt{Number: get[int](v, "attempt"), Status: get[int](v, "status"), Event: get[string](v, "event"), Error: get[string](v, "error"), Text: get[string](v, "text")}
		}},
	{name: "frame", doc: "A native frame of a type that no word covers.", scalar: "type",
		fields:    []field{must(text("type")), typed(fieldObject, "fields"), typed(fieldJSONText, "json")},
		atMostOne: []string{"fields", "json"},
		build: func(v values) any {
			return fakes.Native{Type: get[string](v, "type"), Fields: v.json("fields")}
		}},
	{name: "log", doc: "A line of the runtime's own log, beside the conversation.", scalar: "text", fields: []field{must(text("text"))},
		build: func(v values) any { return fakes.Log{Text: get[string](v, "text")} }},
	{name: "raw", doc: "Bytes as they are.", scalar: "line",
		fields: []field{text("line"), typed(fieldBase64, "base64"), typed(fieldFile, "file"), oneWord("eol", lineEnds), typed(fieldInt, "piece")},
		oneOf:  []string{"line", "base64", "file"}, atMostOne: []string{"file", "eol"},
		build: func(v values) any {
			eol := fakes.EOL(get[string](v, "eol"))
			switch _, fromFile := v["file"]; {
			case fromFile:
				eol = fakes.EOLNone
			case eol == "lf":
				eol = fakes.EOLLF
			}
			return fakes.Raw{Line: v.text("line"), EOL: eol, Piece: get[int](v, "piece")}
		}},
	{name: "stderr", doc: "Text on the second channel.", scalar: "text", fields: []field{text("text"), typed(fieldBase64, "base64"), typed(fieldInt, "n")},
		oneOf: []string{"text", "base64", "n"},
		build: func(v values) any { return fakes.Stderr{Text: v.text("text"), N: get[int](v, "n")} }},
	{name: "exit", doc: "The process ends.", scalar: "code", fields: []field{typed(fieldInt, "code"), oneWord("signal", signals)},
		oneOf: []string{"code", "signal"},
		build: func(v values) any {
			return fakes.Exit{Code: get[int](v, "code"), Signal: get[string](v, "signal")}
		}},
	{name: "cut", doc: "The stream ends without a terminal frame.", bare: true, build: func(values) any { return fakes.Cut{} }},
	{name: "silent", doc: "Nothing more comes.", bare: true, build: func(values) any { return fakes.Silent{} }},
	{name: "child", doc: "A descendant process that outlives its parent unless it is ended.", bare: true, fields: []field{typed(fieldFlag, "ownSession")},
		build: func(v values) any { return fakes.Child{OwnSession: get[bool](v, "ownSession")} }},
	{name: "ignore", doc: "A signal is ignored from now on.", scalar: "signal", fields: []field{must(oneWord("signal", deafTo))},
		build: func(v values) any { return fakes.Ignore{Signal: get[string](v, "signal")} }},
}

func toolCall(v values) fakes.ToolCall {
	return fakes.ToolCall{ID: get[string](v, "id"), Name: get[string](v, "name"), Input: v.json("input"), Parent: get[string](v, "parent")}
}
