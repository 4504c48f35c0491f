package script_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

type args = script.Args

func host(word string, a args) script.Action { return script.Host{Word: word, Args: a} }
func file(word string, a args) script.Action { return script.File{Word: word, Args: a} }

func TestCaseEveryForm(t *testing.T) {
	for _, c := range []struct {
		step string
		want script.Action
	}{
		{`delta: a`, script.Say{Frame: fakes.Delta{Text: "a"}}},
		{`host: {start: S1}`, host("start", args{"session": "S1"})},
		{`host: {start: {session: S1, msg: hi, as: A, model: m, idem: k, maxTurns: 2, attach: 3, allow: [PATH, HOME], approvals: none, mode: sandbox, declare: d, helper: h1}}`,
			host("start", args{"session": "S1", "msg": "hi", "as": "A", "model": "m", "idem": "k", "maxTurns": 2, "attach": 3, "allow": []string{"PATH", "HOME"},
				"approvals": "none", "mode": "sandbox", "declare": "d", "helper": "h1"})},
		{`host: {start: {session: S1, size: 1000000}}`, host("start", args{"session": "S1", "size": 1000000})},
		{`host: abort`, host("abort", args{})},
		{`host: {abort: A}`, host("abort", args{"run": "A"})},
		{`host: {setModel: m-b}`, host("setModel", args{"model": "m-b"})},
		{`host: {approve: {id: p1, allow: false}}`, host("approve", args{"id": "p1", "allow": false})},
		{`host: {resume: S1}`, host("resume", args{"session": "S1"})},
		{`host: dispose`, host("dispose", args{})},
		{`host: {shutdown: {parallel: 2}}`, host("shutdown", args{"parallel": 2})},
		{`host: restart`, host("restart", args{})},
		{`host: kill`, host("kill", args{})},
		{`host: {events: {run: A, late: after-end}}`, host("events", args{"run": "A", "late": "after-end"})},
		{`host: pause`, host("pause", args{})},
		{`host: continue`, host("continue", args{})},
		{`host: {subscribe: B}`, host("subscribe", args{"as": "B"})},
		{`host: {reconnect: {as: A, after: b}}`, host("reconnect", args{"as": "A", "after": "b"})},
		{`host: {wait: 5s}`, host("wait", args{"for": 5 * time.Second})},
		{`host: {wait: {until: bound}}`, host("wait", args{"until": "bound"})},
		{`host: {clock: -600s}`, host("clock", args{"by": -10 * time.Minute})},
		{`host: {open: {session: S1, as: A, root: /w, create: true, writers: 4}}`, host("open", args{"session": "S1", "as": "A", "root": "/w", "create": true, "writers": 4})},
		{`host: {append: {role: assistant, calls: [{id: t1, name: read}, {id: t2, name: list, input: {p: a}}]}}`,
			host("append", args{"role": "assistant", "calls": []fakes.ToolCall{{ID: "t1", Name: "read"}, {ID: "t2", Name: "list", Input: `{"p":"a"}`}}})},
		{`host: {append: {role: result, id: t1, out: x, err: true, synthetic: true, by: A}}`,
			host("append", args{"role": "result", "id": "t1", "out": "x", "err": true, "synthetic": true, "by": "A"})},
		{`host: {append: {repeat: 8, size: 200000, parallel: true}}`, host("append", args{"repeat": 8, "size": 200000, "parallel": true})},
		{`host: {append: {echo: V}}`, host("append", args{"echo": "V"})},
		{`host: {snapshot: {as: B, source: /w/a.txt}}`, host("snapshot", args{"as": "B", "source": "/w/a.txt"})},
		{`host: {compact: {id: C1, cut: "between(t1.call,t1.result)", keep: 4}}`, host("compact", args{"id": "C1", "cut": "between(t1.call,t1.result)", "keep": 4})},
		{`host: rebuild`, host("rebuild", args{})},
		{`host: {complete: {messages: V, error: "500"}}`, host("complete", args{"messages": "V", "error": "500"})},
		{`host: root`, host("root", args{})},
		{`host: {list: {root: /w/proj, fs: case-insensitive}}`, host("list", args{"root": "/w/proj", "fs": "case-insensitive"})},
		{`host: {caps: {has: [resume], lacks: [load]}}`, host("caps", args{"has": []string{"resume"}, "lacks": []string{"load"}})},
		{`host: capabilities`, host("capabilities", args{})},
		{`host: diagnostics`, host("diagnostics", args{})},
		{`host: {env: {vars: {PATH: /bin, LANG: C}}}`, host("env", args{"vars": map[string]string{"PATH": "/bin", "LANG": "C"}})},
		{`host: {cwd: /w}`, host("cwd", args{"path": "/w"})},
		{`host: {umask: "022"}`, host("umask", args{"mode": fs.FileMode(0o22)})},
		{`host: {mkdir: /w/a}`, host("mkdir", args{"path": "/w/a"})},
		{`host: {link: {path: /w/alias, to: /w/real}}`, host("link", args{"path": "/w/alias", "to": "/w/real"})},
		{`file: {write: {path: s.jsonl, lines: 3, tail: '{"role"', nul: 400, nulAfter: 2, record: x}}`,
			file("write", args{"path": "s.jsonl", "lines": 3, "tail": `{"role"`, "nul": 400, "nulAfter": 2, "record": "x"})},
		{`file: {write: {path: s.jsonl, base64: "/w=="}}`, file("write", args{"path": "s.jsonl", "base64": []byte{0xff}})},
		{`file: {expect: {dir: state, no: [PROBE-1]}}`, file("expect", args{"dir": "state", "no": []string{"PROBE-1"}})},
		{`file: {mode: {path: s.jsonl, is: "0600"}}`, file("mode", args{"path": "s.jsonl", "is": fs.FileMode(0o600)})},
		{`expect: {session: N1, resume: N1, cwd: /w, stdinEnd: 2s, stdinEOL: lf, question: p1, answer: cancel, envAbsent: [KEY], envPresent: [PATH], history: [t1.result]}`,
			script.Given{Args: args{"session": "N1", "resume": "N1", "cwd": "/w", "stdinEnd": 2 * time.Second, "stdinEOL": "lf", "question": "p1", "answer": "cancel",
				"envAbsent": []string{"KEY"}, "envPresent": []string{"PATH"}, "history": []string{"t1.result"}}}},
	} {
		got, err := script.Source{Name: "c.yaml", Data: []byte(head + "  - " + c.step + "\n")}.Case()
		if err != nil {
			t.Errorf("%s: %v", c.step, err)
			continue
		}
		if diff := cmp.Diff([]script.Step{{Line: 3, Col: 5, Do: c.want}}, got.Steps); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.step, diff)
		}
	}
}

func TestCaseRefuses(t *testing.T) {
	for _, c := range []struct{ name, step, want string }{
		{"unknown host step", `host: {strat: S1}`, `c.yaml:3:12: unknown host step "strat", did you mean "start"?`},
		{"unknown file step", `file: {wirte: x}`, `c.yaml:3:12: unknown file step "wirte", did you mean "write"?`},
		{"host alone", `host`, `c.yaml:3:5: host: needs a value, as "host: …"`},
		{"host of two", `host: {abort: A, kill: }`, `c.yaml:3:22: second word "kill" in one host step`},
		{"unknown field", `host: {start: {session: S1, mgs: x}}`, `c.yaml:3:33: start: unknown field "mgs", did you mean "msg"?`},
		{"no time", `host: {wait: 5}`, `c.yaml:3:18: wait: field "for": found a number 5, want a time with its unit`},
		{"negative time", `host: {wait: -5s}`, `c.yaml:3:18: wait: field "for": found text, want a time with its unit`},
		{"no mode", `host: {umask: 022}`, `c.yaml:3:19: umask: field "mode": found a number`},
		{"mode too wide", `host: {umask: "7777"}`, `c.yaml:3:19: umask: field "mode": found text, want permissions in octal`},
		{"no list", `host: {caps: {has: resume}}`, `c.yaml:3:24: caps: field "has": found text, want a list of texts`},
		{"no text in a list", `host: {caps: {has: [1]}}`, `c.yaml:3:25: caps: field "has": found a number 1, want text in quotes`},
		{"no map", `host: {env: {vars: [A]}}`, `c.yaml:3:24: env: field "vars": found a list, want a map of texts`},
		{"a call without a name", `host: {append: {calls: [{id: t1}]}}`, `c.yaml:3:29: call: missing field "name"`},
		{"the only value", `host: {start: {session: S1, approvals: all}}`, `c.yaml:3:44: start: field "approvals": unknown value "all", want none`},
		{"neither", `file: {expect: {no: [a]}}`, `c.yaml:3:12: expect: want one of the fields path, dir`},
	} {
		_, err := script.Source{Name: "c.yaml", Data: []byte(head + "  - " + c.step + "\n")}.Case()
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Every mistake is told, in the order of the text.
func TestErrorsAreAll(t *testing.T) {
	_, err := script.Parse("s.yaml", []byte("expect:\n  - dnoe: success\nschema: adaptercheck-script-v1\nsteps:\n  - emitt\n  - usage: {in: -1, otu: 2, kind: all}\n  - call: {id: 1}\n  - cut\n  - host: kill\nmore: 1\n"))
	want := []string{
		`s.yaml:2:5: unknown expectation "dnoe", did you mean "done"?`,
		`s.yaml:5:5: unknown step "emitt"`,
		`s.yaml:6:17: usage: field "in": found a number -1, want a whole number from 0 up`,
		`s.yaml:6:21: usage: unknown field "otu", did you mean "out"?`,
		`s.yaml:6:35: usage: field "kind": unknown value "all", want one of turn, total, last`,
		`s.yaml:7:16: call: field "id": found a number 1, want text in quotes`,
		`s.yaml:9:5: step "host" is for cases, not for scripts that a fake plays`,
		`s.yaml:10:1: unknown key "more"`,
	}
	var all script.Errors
	if !errors.As(err, &all) || len(all) != len(want) {
		t.Fatalf("%v", err)
	}
	for i, e := range all {
		if !strings.HasPrefix(e.Error(), want[i]) {
			t.Errorf("\n got %v\nwant %s", e, want[i])
		}
	}
}

func TestArg(t *testing.T) {
	a := args{"for": 5 * time.Second}
	if d, given := script.Arg[time.Duration](a, "for"); !given || d != 5*time.Second {
		t.Errorf("%v, %v", d, given)
	}
	if _, given := script.Arg[string](a, "for"); given {
		t.Error("a time was taken for text")
	}
	if _, given := script.Arg[string](a, "until"); given {
		t.Error("what is not there was given")
	}
}
