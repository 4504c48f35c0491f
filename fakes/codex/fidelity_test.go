package codex_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

const head = "schema: adaptercheck-script-v1\nsteps:\n  - init\n"

const oneCall = "  - usage: {in: 100, cacheRead: 30, out: 20, reasoning: 5}\n"

// recorded has, for each recording, the script that tells the same story.
var recorded = map[string]string{
	"text": head + `  - final: "Hello from the fake provider."
` + oneCall + `  - end: ok
`,
	"thinking": head + `  - think: "**Thinking** about this."
  - final: "Thought about it."
` + oneCall + `  - end: ok
`,
	"tool1": head + `  - final: "I will list the directory."
` + oneCall + `  - call: {id: t1, name: shell, input: {command: "/bin/bash -lc 'ls -1'"}}
  - result: {id: t1, out: "a.txt\nb.txt\nnew.txt\n"}
  - final: "The directory has two files."
` + oneCall + `  - end: ok
`,
	"parallel": head + `  - final: "Two at once."
` + oneCall + `  - call: {id: t1, name: exec, input: {cmd: [/bin/bash, -lc, "'echo one'"]}}
  - result: {id: t1, out: "one\n"}
  - call: {id: t2, name: exec, input: "/bin/bash -lc 'echo two'"}
  - result: {id: t2, out: "two\n"}
  - final: "Both done."
` + oneCall + `  - end: ok
`,
	"orphantool": head + `  - call: {id: t1, name: shell, input: {command: "/bin/bash -lc 'sleep 20; echo done'"}}
  - final: "Did not wait."
` + oneCall + oneCall + `  - end: ok
`,
	"err401": head + `  - turn: {state: retry, text: "Reconnecting... 1/1 (unexpected status 401 Unauthorized: Incorrect API key provided: dummy., url: http://127.0.0.1:<PORT>/s/err401/v1/responses, request id: a)"}
  - error: {fatal: true, msg: "unexpected status 401 Unauthorized: Incorrect API key provided: dummy., url: http://127.0.0.1:<PORT>/s/err401/v1/responses, request id: b"}
`,
	"cut": head + `  - turn: {state: retry, text: "Reconnecting... 1/1 (stream disconnected before completion: Transport error: network error: error decoding response body)"}
  - end: {reason: ok, err: true, text: "stream disconnected before completion: Transport error: network error: error decoding response body"}
`,
	"cutafteritem": head + `  - final: "A whole item, then cut."
  - turn: {state: retry, text: "Reconnecting... 1/1 (stream disconnected before completion: Transport error: network error: error decoding response body)"}
  - final: "A whole item, then cut."
  - error: {fatal: true, msg: "stream disconnected before completion: Transport error: network error: error decoding response body"}
`,
	"incomplete": head + `  - final: "This is cut by max tok"
  - end: length
`,
	"sigint-stream": head + `  - silent
`,
}

func play(t *testing.T, text string) []fakes.Frame {
	t.Helper()
	s, err := script.Parse(t.Name(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Frames
}

// What the fake prints is what the real CLI printed, placeholders apart.
func TestFidelity(t *testing.T) {
	for name, text := range recorded {
		t.Run(name, func(t *testing.T) {
			rec, err := fixtures.Load("codex-0.171.0", name)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out, errs bytes.Buffer
			stdout := io.Writer(&out)
			if len(rec.Actions) > 0 { // SIGINT, which is cancel for a fake in this process
				stdout = &trigger{&out, rec.Actions[0].On, cancel}
			}
			p := fakes.Play{Args: rec.Args, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: &errs}
			code := codex.PlayScript(ctx, play(t, text), p, codex.Options{Seed: 7})
			if rec.Exit == nil || code != *rec.Exit {
				t.Errorf("exit code %d, recorded %v", code, rec.Exit)
			}
			if diff := cmp.Diff(rec.Stderr, errs.String()); diff != "" {
				t.Errorf("stderr (-recorded +fake):\n%s", diff)
			}
			if problem := fidelity.Differ(rec.Lines(), bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")), nil); problem != "" {
				t.Error(problem)
			}
		})
	}
}

// trigger is a writer that acts when it sees a text.
type trigger struct {
	*bytes.Buffer
	on  string
	act func()
}

func (w *trigger) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.on)) {
		w.act()
	}
	return w.Buffer.Write(p)
}

// Fields come in the recorded order, too: for the ones without placeholders the
// bytes are the same.
func TestFidelityToTheByte(t *testing.T) {
	rec, err := fixtures.Load("codex-0.171.0", "tool1")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	codex.PlayScript(t.Context(), play(t, recorded["tool1"]), fakes.Play{Stdout: &out, Stderr: &out}, codex.Options{})
	want := bytes.SplitAfterN(rec.Stdout, []byte("\n"), 2)[1]
	got := bytes.SplitAfterN(out.Bytes(), []byte("\n"), 2)[1]
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-recorded +fake):\n%s", diff)
	}
}

func TestPlayRecording(t *testing.T) {
	rec, err := fixtures.Load("codex-0.171.0", "err401")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := codex.PlayRecording(t.Context(), rec.Stdout, *rec.Exit, fakes.Play{Stdout: &out, Stderr: &errs})
	if diff := cmp.Diff(string(rec.Stdout), out.String()); diff != "" || code != 1 || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q, stdout (-want +got):\n%s", code, &errs, diff)
	}
}

func TestPlayScriptStandsAlone(t *testing.T) {
	usage := "  - usage: {in: 1, out: 2, reasoning: 1}\n"
	for _, c := range []struct {
		name, steps, version string
		args                 []string
		stdin                string
		code                 int
		stdout, stderr       string
	}{
		{name: "version", args: []string{"--version"}, stdout: "codex-cli 0.171.0\n"},
		{name: "old version", args: []string{"-V"}, version: "0.98.0", stdout: "codex-cli 0.98.0\n"},
		{name: "unknown version", version: "0.1", code: 2, stderr: "fake codex: unknown version \"0.1\", want one of [\"0.171.0\" \"0.144.6\" \"0.98.0\"]\n"},
		{name: "three fields of usage", version: "0.98.0", steps: usage + "  - end: ok\n",
			stdout: `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}` + "\n"},
		{name: "four fields of usage", version: "0.144.6", steps: usage + "  - end: ok\n",
			stdout: `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2,"reasoning_output_tokens":1}}` + "\n"},
		{name: "no prompt", args: []string{"exec", "--json"}, code: 1, stderr: "Reading prompt from stdin...\nNo prompt provided via stdin.\n"},
		{name: "five fields of usage", steps: "  - usage: {in: 1, out: 2, cacheRead: 3, cacheWrite: 4, reasoning: 1}\n  - end: ok\n",
			stdout: `{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":3,"cache_write_input_tokens":4,"output_tokens":2,"reasoning_output_tokens":1}}` + "\n"},
		{name: "cut", steps: "  - cut\n"},
		{name: "the script ends", steps: "  - turn: running\n", stdout: `{"type":"turn.started"}` + "\n"},
		{name: "exit code", steps: "  - exit: 9\n", code: 9},
		{name: "exit after the end", steps: "  - end: length\n  - exit: 0\n",
			stdout: `{"type":"error","message":"Incomplete response returned, reason: max_output_tokens"}` + "\n" +
				`{"type":"turn.failed","error":{"message":"Incomplete response returned, reason: max_output_tokens"}}` + "\n"},
		{name: "retries count", steps: "  - error: a\n  - turn: retry\n",
			stdout: `{"type":"error","message":"Reconnecting... 1/5 (a)"}` + "\n" + `{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion)"}` + "\n"},
		{name: "other tools", steps: "  - call: {id: t, name: read, input: {p: a}}\n  - result: {id: t, out: \"no\", err: true}\n",
			stdout: `{"type":"item.started","item":{"id":"item_0","type":"mcp_tool_call","server":"fake","tool":"read","arguments":{"p":"a"},"result":null,"error":null,"status":"in_progress"}}` + "\n" +
				`{"type":"item.completed","item":{"id":"item_0","type":"mcp_tool_call","server":"fake","tool":"read","arguments":{"p":"a"},"result":{"content":[{"type":"text","text":"no"}],"structured_content":null},"error":null,"status":"failed"}}` + "\n"},
		{name: "native, raw, stderr", steps: "  - frame: {type: x, fields: {a: [1]}}\n  - raw: {line: \"{\", eol: crlf}\n  - raw: {base64: \"/w==\", eol: none}\n  - stderr: \"warn\\n\"\n",
			stdout: "{\"type\":\"x\",\"a\":[1]}\n{\r\n\xff", stderr: "warn\n"},
		{name: "raw line separators", steps: "  - final: \"a\\u2028b<&>\"\n",
			stdout: `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"a` + "\u2028" + `b<&>"}}` + "\n"},
		{name: "null text", steps: "  - final: null\n", stdout: `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":null}}` + "\n"},
		{name: "without json", args: []string{"exec", "go"}, steps: "  - init\n  - final: \"hi\"\n  - end: ok\n", stdout: "hi\n", stderr: "Reading additional input from stdin...\n"},
		{name: "unplayable", steps: "  - init\n  - delta: a\n", code: 2,
			stderr: "adaptercheck: frame 1 (delta): codex: text comes whole, not in deltas: unplayable: the fake's wire has no such thing\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			var frames []fakes.Frame
			if c.steps != "" {
				frames = play(t, "schema: adaptercheck-script-v1\nsteps:\n"+c.steps)
			}
			code := codex.PlayScript(t.Context(), frames, fakes.Play{Args: c.args, Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: &errs}, codex.Options{Version: c.version})
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if diff := cmp.Diff(c.stdout, out.String()); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.stderr, errs.String()); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}
