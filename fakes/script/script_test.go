package script_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

const head = "schema: adaptercheck-script-v1\nsteps:\n"

func p[T any](v T) *T { return &v }

func TestParseEveryForm(t *testing.T) {
	for _, c := range []struct {
		step string
		want fakes.Frame
	}{
		{`init`, fakes.Init{}},
		{`init:`, fakes.Init{}},
		{`init: {run: R1, session: N1, model: m, cwd: /x}`, fakes.Init{Run: "R1", Session: "N1", Model: "m", Dir: "/x"}},
		{`delta: "Hel"`, fakes.Delta{Text: "Hel"}},
		{`delta: {text: a, msg: m1, part: p1, at: 0, run: R0}`, fakes.Delta{Text: "a", Msg: "m1", Part: "p1", At: p(0), Run: "R0"}},
		{"delta: |\n      two\n      lines", fakes.Delta{Text: "two\nlines\n"}},
		{`think: hm`, fakes.Think{Text: "hm"}},
		{`snapshot: {part: p1, text: "ab"}`, fakes.Snapshot{Text: "ab", Part: "p1"}},
		{`final: "x"`, fakes.Final{Text: p("x")}},
		{`final: null`, fakes.Final{}},
		{`final: {text: null, msg: m}`, fakes.Final{Msg: "m"}},
		{`call: {id: t1, name: read, input: {p: a, n: 1.50, l: [1, true, null, "x"]}}`,
			fakes.ToolCall{ID: "t1", Name: "read", Input: `{"p":"a","n":1.50,"l":[1,true,null,"x"]}`}},
		{`call: {id: t1, name: read}`, fakes.ToolCall{ID: "t1", Name: "read"}},
		{`call: {id: t1, name: read, input: null}`, fakes.ToolCall{ID: "t1", Name: "read", Input: "null"}},
		{`call: {id: t1, name: read, json: '{ "p": 1e5 }'}`, fakes.ToolCall{ID: "t1", Name: "read", Input: `{ "p": 1e5 }`}},
		{`callpart: {idx: 1, id: t1, name: read, frag: '{"p'}`, fakes.CallPart{Index: 1, ID: "t1", Name: "read", Fragment: `{"p`}},
		{`result: {id: t1, out: "A", err: true}`, fakes.Result{ID: "t1", Out: "A", Error: true}},
		{`result: {id: t1, out: "5", details: {sum: 5}}`, fakes.Result{ID: "t1", Out: "5", Details: `{"sum":5}`}},
		{`usage: {in: 100, out: 12, cost: 0.5}`, fakes.Usage{Kind: fakes.UsageTurn, In: p(int64(100)), Out: p(int64(12)), CostUSD: p(0.5)}},
		{`usage: {kind: last, totalIn: 7, totalOut: 0, cacheRead: 3, reasoning: 1, model: m}`,
			fakes.Usage{Kind: fakes.UsageLast, TotalIn: p(int64(7)), TotalOut: p(int64(0)), CacheRead: p(int64(3)), Reasoning: p(int64(1)), Model: "m"}},
		{`end: ok`, fakes.End{Reason: fakes.EndOK}},
		{`end: {reason: max_turns, err: true, text: t, run: R}`, fakes.End{Reason: fakes.EndMaxTurns, Error: true, Text: "t", Run: "R"}},
		{`error: boom`, fakes.Failure{Message: "boom"}},
		{`error: {code: c, msg: m, fatal: true}`, fakes.Failure{Code: "c", Message: "m", Fatal: true}},
		{`turn: {state: retry, text: "again"}`, fakes.Turn{State: "retry", Text: "again"}},
		{`ask: {id: q1, tool: shell}`, fakes.Ask{ID: "q1", Tool: "shell"}},
		{`frame: {type: x.y, fields: {a: 1}}`, fakes.Native{Type: "x.y", Fields: `{"a":1}`}},
		{`frame: heartbeat`, fakes.Native{Type: "heartbeat"}},
		{`raw: {line: "not a frame", eol: crlf}`, fakes.Raw{Line: "not a frame", EOL: fakes.EOLCRLF}},
		{`raw: {base64: "/w==", eol: none}`, fakes.Raw{Line: "\xff", EOL: fakes.EOLNone}},
		{`raw: ""`, fakes.Raw{}},
		{`raw: {line: ab, piece: 1}`, fakes.Raw{Line: "ab", Piece: 1}},
		{`ack: {request: start, run: R9}`, fakes.Ack{Request: fakes.RequestStart, Run: "R9"}},
		{`ack: abort`, fakes.Ack{Request: fakes.RequestAbort}},
		{`reject: {request: resume, code: gone, msg: "no such session"}`, fakes.Reject{Request: fakes.RequestResume, Code: "gone", Message: "no such session"}},
		{`http: {attempt: 1, status: 200, event: error, error: overloaded}`, fakes.Attempt{Number: 1, Status: 200, Event: "error", Error: "overloaded"}},
		{`http: 2`, fakes.Attempt{Number: 2}},
		{`log: "turn limit 2 reached"`, fakes.Log{Text: "turn limit 2 reached"}},
		{`call: {id: t2, name: read, parent: t1}`, fakes.ToolCall{ID: "t2", Name: "read", Parent: "t1"}},
		{`end: refusal`, fakes.End{Reason: fakes.EndRefusal}},
		{`stderr: "oops\n"`, fakes.Stderr{Text: "oops\n"}},
		{`stderr: {n: 4096}`, fakes.Stderr{N: 4096}},
		{`exit: 3`, fakes.Exit{Code: 3}},
		{`exit: {signal: TERM}`, fakes.Exit{Signal: "TERM"}},
		{`cut`, fakes.Cut{}},
		{`silent:`, fakes.Silent{}},
		{`child: {ownSession: true}`, fakes.Child{OwnSession: true}},
		{`ignore: TERM`, fakes.Ignore{Signal: "TERM"}},
	} {
		s, err := script.Parse("s.yaml", []byte(head+"  - "+c.step+"\n"))
		if err != nil {
			t.Errorf("%s: %v", c.step, err)
			continue
		}
		if diff := cmp.Diff([]fakes.Frame{c.want}, s.Frames); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.step, diff)
		}
	}
}

func TestParseExpectations(t *testing.T) {
	s, err := script.Parse("s.yaml", []byte(head+"  - cut\nexpect:\n  - text: {run: R1, assistant: Hel}\n  - text: all\n  - done: {run: R1, reason: success}\n  - done: aborted\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []script.Expectation{script.ExpectText{Run: "R1", Assistant: p("Hel")}, script.ExpectText{Assistant: p("all")},
		script.ExpectDone{Run: "R1", Reason: "success"}, script.ExpectDone{Reason: "aborted"}}
	if diff := cmp.Diff(want, s.Expect); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"unknown word", head + "  - init\n  - emitt: 1\n", `s.yaml:4:5: unknown step "emitt"`},
		{"near word", head + "  - delat: x\n", `s.yaml:3:5: unknown step "delat", did you mean "delta"?`},
		{"near word alone", head + "  - silnt\n", `s.yaml:3:5: unknown step "silnt", did you mean "silent"?`},
		{"unknown field", head + "  - result: {id: t1, outt: a}\n", `s.yaml:3:22: result: unknown field "outt", did you mean "out"?`},
		{"wrong type", head + "  - delta: 5\n", `s.yaml:3:12: delta: field "text": found a number 5, want text in quotes`},
		{"wrong type of a field", head + "  - usage:\n      in: many\n", `s.yaml:4:11: usage: field "in": found text, want a whole number from 0 up`},
		{"negative", head + "  - usage: {in: -1}\n", `s.yaml:3:17: usage: field "in": found a number -1, want a whole number from 0 up`},
		{"missing field", head + "  - call: {id: t1}\n", `s.yaml:3:5: call: missing field "name"`},
		{"missing value", head + "  - delta:\n", `s.yaml:3:5: delta: needs a value`},
		{"word needs a value", head + "  - delta\n", `s.yaml:3:5: delta: needs a value, as "delta: …"`},
		{"unknown value", head + "  - end: okay\n", `s.yaml:3:10: end: field "reason": unknown value "okay", want one of ok, max_turns, aborted, length, tool_use`},
		{"both spellings", head + "  - call: {id: t1, name: n, input: 1, json: '1'}\n", `s.yaml:3:5: call: want only one of the fields input, json`},
		{"broken json", head + "  - call: {id: t1, name: n, json: '{'}\n", `s.yaml:3:35: call: field "json": found text, want JSON in a text, and this is none`},
		{"no object", head + "  - frame: {type: x, json: '1'}\n", `s.yaml:3:28: frame: field "json": found text, want a JSON object in a text`},
		{"two words", head + "  - cut:\n    silent:\n", `s.yaml:4:5: second word "silent" in one step, begin a new one with "- "`},
		{"no map", head + "  - [a]\n", `s.yaml:3:5: found a list, want a step: a map of one word`},
		{"field of nothing", head + "  - cut: 1\n", `s.yaml:3:10: cut: found a number, want nothing`},
		{"neither", head + "  - exit: {}\n", `s.yaml:3:5: exit: want one of the fields code, signal`},
		{"host step", head + "  - host: {start: s1}\n", `s.yaml:3:5: step "host" is for cases, not for scripts that a fake plays`},
		{"file step", head + "  - file: {write: x}\n", `s.yaml:3:5: step "file" is for cases, not for scripts that a fake plays`},
		{"empty", "", `s.yaml:1:1: empty script, want a line "schema: adaptercheck-script-v1" and a list of steps`},
		{"only a comment", "# nothing\n", `s.yaml:1:1: empty script, want a line "schema: adaptercheck-script-v1" and a list of steps`},
		{"no schema", "steps: []\n", `s.yaml:1:1: missing schema, want a line "schema: adaptercheck-script-v1"`},
		{"unknown schema", "schema: adaptercheck-script-v2\nsteps: []\n", `s.yaml:1:9: unknown schema "adaptercheck-script-v2", want "adaptercheck-script-v1"`},
		{"no steps", "schema: adaptercheck-script-v1\n", `s.yaml:1:1: missing steps`},
		{"unknown key", head + "  - cut\nstep: 1\n", `s.yaml:4:1: unknown key "step", did you mean "steps"?`},
		{"duplicate key", head + "  - init: {run: a, run: b}\n", `s.yaml:3:20: mapping key "run" already defined at [3:12]`},
		{"duplicate top key", head + "  - cut\nsteps: []\n", `s.yaml:4:1: mapping key "steps" already defined at [2:1]`},
		{"broken yaml", head + "  - init: {run: a\n", `s.yaml:3:`},
		{"anchor", head + "  - delta: &x a\n", `s.yaml:3:12: anchors and aliases are not part of the language`},
		{"tag", head + "  - delta: !!str a\n", `s.yaml:3:12: tags are not part of the language`},
		{"two documents", head + "  - cut\n---\nschema: x\n", `s.yaml:5:1: second document, want one per file`},
		{"not UTF-8", "schema: \xff\n", `s.yaml:1:9: not UTF-8`},
		{"a list", "- 1\n", `s.yaml:1:1: found a list, want a map with schema and steps`},
		{"steps no list", "schema: adaptercheck-script-v1\nsteps: {a: 1}\n", `s.yaml:2:8: steps: found a map, want a list`},
		{"expect", head + "  - cut\nexpect:\n  - dnoe: success\n", `s.yaml:5:5: unknown expectation "dnoe", did you mean "done"?`},
	} {
		_, err := script.Parse("s.yaml", []byte(c.src))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
			continue
		}
		var e *script.Error
		if !errors.As(err, &e) || strings.Contains(e.Msg, "\n") {
			t.Errorf("%s: not one line with a place: %#v", c.name, err)
		}
	}
}

func TestFixturesParse(t *testing.T) {
	found, err := fs.Glob(fixtures.Scripts(), "*.yaml")
	if err != nil || len(found) < 5 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, name := range found {
		data, err := fs.ReadFile(fixtures.Scripts(), name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		if text, err := (script.Source{Name: name, Data: data}).Format(); err != nil || string(text) != string(data) {
			t.Errorf("%s is not formatted: %v\n%s", name, err, text)
		}
		again, err := script.Parse("formatted "+name, script.Format(s))
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFormatIsCanonical(t *testing.T) {
	got := script.Format(script.Script{
		Frames: []fakes.Frame{fakes.Init{Run: "R1", Session: "no"}, fakes.Delta{Text: "a\u2028\"b\""}, fakes.Final{},
			fakes.ToolCall{ID: "t1", Name: "read", Input: `{"p":[1,2.0],"q":"x y"}`}, fakes.ToolCall{ID: "t2", Name: "read", Input: `{ }`},
			fakes.Usage{In: p(int64(1))}, fakes.Raw{Line: "\xff", EOL: fakes.EOLNone}, fakes.Child{}, fakes.Exit{}, fakes.Silent{}},
		Expect: []script.Expectation{script.ExpectDone{Reason: "error"}},
	})
	want := `schema: adaptercheck-script-v1
steps:
  - init: {run: R1, session: "no"}
  - delta: "a\u2028\"b\""
  - final: null
  - call: {id: t1, name: read, input: {p: [1, 2.0], q: "x y"}}
  - call: {id: t2, name: read, json: "{ }"}
  - usage: {kind: turn, in: 1}
  - raw: {base64: "/w==", eol: none}
  - child
  - exit: 0
  - silent
expect:
  - done: error
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The words of the language are those of the frames, as the source has them.
func TestWordsAreTheFrames(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../frame.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.Name != "Word" {
			continue
		}
		lit := f.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit)
		word, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, word)
	}
	var got []string
	for _, w := range script.Words() {
		if w.Under == "steps" && w.Name != "host" && w.Name != "file" && w.Name != "expect" {
			got = append(got, w.Name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("(-frames +language):\n%s", diff)
	}
}

func TestDecodeFramesIsStrict(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"nothing", ``, `frames:1:1: not JSON`},
		{"half", `[{"delta":`, `frames:1:`},
		{"duplicate", `[{"init":{"run":"a","run":"b"}}]`, `duplicate`},
		{"unknown", "[\n{\"emitt\":1}]", `frames:2:9: unknown step "emitt"`},
		{"more", `[] []`, `text after the list`},
		{"no list", `{}`, `want a list`},
		{"deep", `[{"call":{"id":"a","name":"b","input":` + strings.Repeat("[", 300), `nested deeper than`},
	} {
		if _, err := script.DecodeFrames([]byte(c.src)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
