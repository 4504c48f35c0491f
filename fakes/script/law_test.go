package script_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

var (
	anyText = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "no", "1", "null", "~", "- a", "a: b", "#x", "\"", "'", "\\", "a\r\nb\n", "\u2028", "\x00\x7f", "é🦜", "{", "[", "&a", "*a", "!t", "|", ">", "%", "@", "\t", "0x1f", "1e3", ".5", "true", "a #b", "a:", "---", "..."}))
	anyID   = rapid.OneOf(rapid.StringMatching(`[a-z0-9_.-]{0,8}`), anyText)
	anyRaw  = rapid.Map(rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Map(anyText, func(s string) []byte { return []byte(s) })), func(b []byte) string { return string(b) })
	anyJSON = rapid.SampledFrom([]string{"", "null", "{}", "[]", "0", "-0", "1.50", "1e5", "1E+2", "123456789012345678901234567890", `"a\u0041b"`, `"\ud83e\udd9c"`, `{"a":1,"b":[true,false,null,{"c":"d e"}]}`, `{ "a" : 1 }`, `{"":""}`, `{"1":2}`, `{"null":null}`, `{"<<":1}`, `{"a: b":"c # d"}`, `["\n","\u2028","\\"]`})
	anyObj  = rapid.SampledFrom([]string{"", "{}", `{"a":1}`, `{"x":{"y":[1,2]}}`, `{ "a":1}`, `{"true":1.0}`})
)

func optional[T any](g *rapid.Generator[T]) *rapid.Generator[*T] {
	return rapid.Custom(func(t *rapid.T) *T {
		if rapid.Bool().Draw(t, "given") {
			return new(g.Draw(t, "value"))
		}
		return nil
	})
}

func drawFrame(t *rapid.T) fakes.Frame {
	text := func(name string) string { return anyText.Draw(t, name) }
	id := func(name string) string { return anyID.Draw(t, name) }
	count := func(name string) *int64 { return optional(rapid.Int64Min(0)).Draw(t, name) }
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	of := func(name string, words ...string) string { return rapid.SampledFrom(words).Draw(t, name) }
	request := func() fakes.Request { return fakes.Request(of("request", "start", "resume", "abort", "setModel")) }
	switch rapid.IntRange(0, 24).Draw(t, "kind") {
	case 0:
		return fakes.Init{Run: id("run"), Session: id("session"), Model: id("model"), Dir: text("dir")}
	case 1:
		return fakes.Delta{Text: text("text"), Msg: id("msg"), Part: id("part"), At: optional(rapid.IntRange(0, 1<<20)).Draw(t, "at"), Run: id("run"), Parent: id("parent")}
	case 2:
		return fakes.Think{Text: text("text"), Parent: id("parent")}
	case 3:
		return fakes.Snapshot{Text: text("text"), Part: id("part")}
	case 4:
		return fakes.Final{Text: optional(anyText).Draw(t, "text"), Msg: id("msg"), Parent: id("parent")}
	case 5:
		return fakes.ToolCall{ID: id("id"), Name: id("name"), Input: anyJSON.Draw(t, "input"), Parent: id("parent")}
	case 6:
		return fakes.CallPart{Index: rapid.IntRange(0, 9).Draw(t, "index"), ID: id("id"), Name: id("name"), Fragment: text("fragment")}
	case 7:
		return fakes.Result{ID: id("id"), Name: id("name"), Out: text("out"), Error: flag("error"), Run: id("run"), Parent: id("parent"), Details: anyJSON.Draw(t, "details")}
	case 8:
		return fakes.Usage{Kind: fakes.UsageKind(of("kind", "turn", "total", "last")), In: count("in"), Out: count("out"), CacheRead: count("cache"), CacheWrite: count("cache written"),
			Reasoning: count("reasoning"), TotalIn: count("totalIn"), TotalOut: count("totalOut"),
			CostUSD: optional(rapid.Float64Range(0, 1e6)).Draw(t, "cost"), Model: id("model")}
	case 9:
		return fakes.End{Reason: fakes.EndReason(of("reason", "ok", "max_turns", "aborted", "length", "tool_use", "refusal", "budget")), Error: flag("error"), Text: text("text"), Run: id("run")}
	case 10:
		return fakes.Failure{Code: id("code"), Message: text("message"), Fatal: flag("fatal"), Run: id("run")}
	case 11:
		return fakes.Turn{State: of("state", "thinking", "running", "turn-complete", "idle", "retry", "text-end", "compact"), Run: id("run"), Text: text("text")}
	case 12:
		return fakes.Ask{ID: id("id"), Tool: id("tool")}
	case 13:
		return fakes.Native{Type: id("type"), Fields: anyObj.Draw(t, "fields")}
	case 14:
		return fakes.Raw{Line: anyRaw.Draw(t, "line"), EOL: fakes.EOL(of("eol", "", "crlf", "none")), Piece: rapid.IntRange(0, 3).Draw(t, "piece")}
	case 15:
		if n := rapid.IntRange(0, 9).Draw(t, "n"); n > 0 {
			return fakes.Stderr{N: n}
		}
		return fakes.Stderr{Text: anyRaw.Draw(t, "text")}
	case 16:
		if flag("by signal") {
			return fakes.Exit{Signal: of("signal", "INT", "TERM", "KILL")}
		}
		return fakes.Exit{Code: rapid.IntRange(0, 255).Draw(t, "code")}
	case 17:
		return fakes.Cut{}
	case 18:
		return fakes.Silent{}
	case 19:
		return fakes.Child{OwnSession: flag("own")}
	case 20:
		return fakes.Ack{Request: request(), Run: id("run")}
	case 21:
		return fakes.Reject{Request: request(), Code: id("code"), Message: text("message")}
	case 22:
		return fakes.Attempt{Number: rapid.IntRange(0, 9).Draw(t, "number"), Status: rapid.IntRange(0, 599).Draw(t, "status"), Event: id("event"), Error: id("error"), Text: text("text")}
	case 23:
		return fakes.Log{Text: text("text")}
	}
	return fakes.Ignore{Signal: of("signal", "INT", "TERM", "HUP")}
}

func drawFrames(t *rapid.T) []fakes.Frame {
	var frames []fakes.Frame
	for range rapid.IntRange(0, 8).Draw(t, "frames") {
		frames = append(frames, drawFrame(t))
	}
	return frames
}

// What Format writes, Parse reads back, whatever the texts are.
func TestParseUndoesFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := script.Script{Frames: drawFrames(t)}
		for range rapid.IntRange(0, 2).Draw(t, "expectations") {
			if rapid.Bool().Draw(t, "text") {
				s.Expect = append(s.Expect, script.ExpectText{Run: anyID.Draw(t, "run"), Assistant: optional(anyText).Draw(t, "assistant"), Reasoning: optional(anyText).Draw(t, "reasoning")})
			} else {
				s.Expect = append(s.Expect, script.ExpectDone{Run: anyID.Draw(t, "run"), Reason: rapid.SampledFrom([]string{"success", "max_turns", "aborted", "error"}).Draw(t, "reason")})
			}
		}
		text := script.Format(s)
		got, err := script.Parse("s.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, text)
		}
		if diff := cmp.Diff(string(text), string(script.Format(got))); diff != "" {
			t.Fatalf("second format (-first +second):\n%s", diff)
		}
	})
}

// Frames cross the control connection as they are.
func TestDecodeUndoesEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := drawFrames(t)
		data, err := script.EncodeFrames(frames...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := script.DecodeFrames(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(frames, got); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, data)
		}
	})
}

// No input makes the parser panic, and what it takes it can write again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "  - init: {run: R1}\n  - delta: \"x\"\n  - call: {id: a, name: b, input: {c: [1]}}\n  - end: ok\n"))
	f.Add([]byte("schema: [\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := script.Parse("f.yaml", data)
		if err != nil {
			return
		}
		if _, err := script.Parse("again.yaml", script.Format(s)); err != nil {
			t.Fatalf("%v\n%s", err, script.Format(s))
		}
	})
}

// What can be read can be formatted, once and for all.
func FuzzFormat(f *testing.F) {
	f.Add([]byte("# a\n" + head + "  - init: {run: R1} # b\n\n  # c\n  - delta: |\n      # d\n  - call:\n      id: a # e\n      name: b\n"))
	f.Add([]byte(head + "  - host: {start: {session: a}} # b\n  # c\nexpect: # d\n  - done: error\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := script.Source{Name: "f.yaml", Data: data}
		if _, err := s.Case(); err != nil {
			return
		}
		once, err := s.Format()
		if err != nil {
			t.Fatal(err)
		}
		s.Data = once
		if twice, err := s.Format(); err != nil || string(twice) != string(once) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}
