package appserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// A script can be played without a child process, into any writer.
func ExamplePlayScript() {
	s, err := script.Parse("hello.yaml", []byte(`schema: adaptercheck-script-v1
steps:
  - init
  - delta: "Hello."
  - end: ok
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var out bytes.Buffer
	code := appserver.PlayScript(context.Background(), s.Frames, fakes.Play{Stdout: &out, Stderr: os.Stderr}, appserver.Options{})
	for line := range strings.Lines(out.String()) {
		method, _, _ := strings.Cut(strings.TrimPrefix(line, `{"method":"`), `"`)
		fmt.Println(method)
	}
	fmt.Println("exit code", code)
	// Output:
	// thread/status/changed
	// turn/started
	// item/started
	// item/agentMessage/delta
	// item/completed
	// thread/status/changed
	// turn/completed
	// exit code 0
}

// plain leaves out of lines what all have, and what differs from run to run.
var plain = strings.NewReplacer(`"threadId":"T",`, "", `"turnId":"T",`, "", `,"threadId":"T"`, "", `,"turnId":"T"`, "", `,"emittedAtMs":0`, "", `,"startedAtMs":0`, "", `,"completedAtMs":0`, "",
	`,"completedAtMs":null`, "", `,"contentTokenCount":null`, "")

var (
	uuids   = regexp.MustCompile(`"[0-9a-f]{8}-[0-9a-f-]{27}"`)
	madeIDs = regexp.MustCompile(`"(msg|rs|call)_[0-9a-f]{32}"`)
	moments = regexp.MustCompile(`"(emittedAtMs|startedAtMs|completedAtMs|startedAt|completedAt|durationMs)":[0-9]+`)
)

// alone plays steps at once and returns the lines, made plain.
func alone(t *testing.T, steps string, o appserver.Options) (out, errs string, code int) {
	t.Helper()
	s, err := script.Parse(t.Name(), []byte("schema: adaptercheck-script-v1\nsteps:\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // only a script that waits takes notice
	var stdout, stderr bytes.Buffer
	code = appserver.PlayScript(ctx, s.Frames, fakes.Play{Stdout: &stdout, Stderr: &stderr}, o)
	out = moments.ReplaceAllString(stdout.String(), `"$1":0`)
	out = madeIDs.ReplaceAllString(uuids.ReplaceAllString(out, `"T"`), `"${1}"`)
	return plain.Replace(out), stderr.String(), code
}

func TestPlayScriptStandsAlone(t *testing.T) {
	message := func(text string) string {
		return `{"type":"agentMessage","moderation":null,"id":"msg","text":` + text + `,"phase":null,"memoryCitation":null,"delivery":null,"questions":null}`
	}
	started := func(item string) string { return `{"method":"item/started","params":{"item":` + item + "}}\n" }
	completed := func(item string) string { return `{"method":"item/completed","params":{"item":` + item + "}}\n" }
	said := func(text string) string { return started(message(text)) + completed(message(text)) }
	delta := func(text string) string {
		return `{"method":"item/agentMessage/delta","params":{"itemId":"msg","delta":"` + text + `"}}` + "\n"
	}
	command := func(line, process, status, actions, output string) string {
		return `{"type":"commandExecution","id":"t","pluginId":null,"scriptPath":null,"command":"` + line + `","cwd":"DIR","processId":` + process +
			`,"source":"unifiedExecStartup","status":"` + status + `","commandActions":[` + actions + `],"aggregatedOutput":` + output + `}`
	}
	const limits = `{"method":"account/rateLimits/updated","params":{"rateLimits":{"limitId":"codex","limitName":null,"normalModelSlug":null,"primary":null,"secondary":null,"credits":null,` +
		`"individualLimit":null,"spendControlReached":null,"planType":null,"rateLimitReachedType":null}}}` + "\n"
	notice := func(message, info, details, retry string) string {
		return `{"method":"error","params":{"error":{"message":"` + message + `","codexErrorInfo":` + info + `,"additionalDetails":` + details + `,"misalignment":null},"willRetry":` + retry + "}}\n"
	}
	failed := func(message, info string) string {
		return `{"method":"thread/status/changed","params":{"status":{"type":"systemError"}}}` + "\n" + notice(message, info, "null", "false") +
			`{"method":"turn/completed","params":{"turn":{"id":"T","rootTurnId":"T","items":[],"itemsView":"notLoaded","status":"failed","error":{"message":"` + message + `","codexErrorInfo":` + info +
			`,"additionalDetails":null,"misalignment":null},"startedAt":0,"completedAt":0,"durationMs":0}}}` + "\n"
	}
	ended := func(status string) string {
		view := map[string]string{"completed": "summary", "interrupted": "notLoaded"}[status]
		return `{"method":"thread/status/changed","params":{"status":{"type":"idle"}}}` + "\n" +
			`{"method":"turn/completed","params":{"turn":{"id":"T","rootTurnId":"T","items":[],"itemsView":"` + view + `","status":"` + status + `","error":null,"startedAt":0,"completedAt":0,"durationMs":0}}}` + "\n"
	}
	unknown := `{"responseStreamDisconnected":{"httpStatusCode":null}}`
	for _, c := range []struct {
		name, steps string
		code        int
		out, errs   string
	}{
		{name: "a message without pieces", steps: "  - final: \"a\\u2028b<&>\"\n", out: said(`"a` + "\u2028" + `b<&>"`)},
		{name: "a message that is null", steps: "  - final: null\n", out: said("null")},
		{name: "another text at the end", steps: "  - delta: a\n  - final: b\n", out: started(message(`""`)) + delta("a") + completed(message(`"b"`))},
		{name: "no text at the end", steps: "  - delta: a\n  - final: \"\"\n", out: started(message(`""`)) + delta("a") + completed(message(`""`))},
		{name: "two messages", steps: "  - delta: {text: a, msg: m1}\n  - delta: {text: b, msg: m2}\n  - turn: text-end\n",
			out: started(message(`""`)) + delta("a") + completed(message(`"a"`)) + started(message(`""`)) + delta("b") + completed(message(`"b"`))},
		{name: "pieces that overlap", steps: "  - delta: {text: ab, at: 0}\n  - delta: {text: b, at: 1}\n  - delta: {text: bc, at: 1}\n", out: started(message(`""`)) + delta("ab") + delta("c")},
		{name: "a piece too far", steps: "  - delta: {text: ab, at: 3}\n", code: 0, out: started(message(`""`))},
		{name: "the whole so far", steps: "  - snapshot: a\n  - snapshot: ab\n  - snapshot: ab\n", out: started(message(`""`)) + delta("a") + delta("b")},
		{name: "text taken back", steps: "  - snapshot: ab\n  - snapshot: ac\n",
			out: started(message(`""`)) + delta("ab") + limits + notice("Reconnecting... 1/5", unknown, `"stream disconnected before completion"`, "true") + started(message(`""`)) + delta("ac")},
		{name: "ls", steps: "  - call: {id: t, name: exec_command, input: {cmd: [ls, -l, sub]}}\n  - result: {id: t, out: x, details: {exit_code: 2}}\n",
			out: started(command("ls -l sub", `"1000"`, "inProgress", `{"type":"listFiles","command":"ls -l sub","path":"sub"}`, `null,"exitCode":null,"durationMs":null`)) +
				completed(command("ls -l sub", `"1000"`, "failed", `{"type":"listFiles","command":"ls -l sub","path":"sub"}`, `"x","exitCode":2,"durationMs":0`))},
		{name: "a command whose start was not told", steps: "  - result: {id: t, name: bash, out: x, err: true}\n",
			out: completed(command("", "null", "failed", `{"type":"unknown","command":""}`, `"x","exitCode":1,"durationMs":0`))},
		{name: "a tool of a server", steps: "  - call: {id: t, name: mcp__calc__add, input: {a: 1}}\n  - result: {id: t, out: \"5\", err: true, details: {sum: 5}}\n",
			out: started(`{"type":"mcpToolCall","id":"t","server":"calc","tool":"add","status":"inProgress","arguments":{"a":1},"appContext":null,"pluginId":null,"result":null,"error":null,"durationMs":null}`) +
				completed(`{"type":"mcpToolCall","id":"t","server":"calc","tool":"add","status":"failed","arguments":{"a":1},"appContext":null,"pluginId":null,"result":{"content":[{"type":"text","text":"5"}],"structuredContent":{"sum":5},"_meta":null},"error":null,"durationMs":0}`)},
		{name: "a search", steps: "  - call: {id: t, name: web_search, input: {query: q}}\n  - result: {id: t, out: x}\n",
			out: started(`{"type":"webSearch","id":"t","query":"","action":{"type":"other"}}`) + completed(`{"type":"webSearch","id":"t","query":"q","action":{"type":"search","query":"q"}}`)},
		{name: "changed files", steps: "  - call: {id: t, name: apply_patch, input: {changes: [{path: /a, kind: update, diff: d}, {path: b, kind: delete}]}}\n  - result: {id: t, out: x, err: true}\n",
			out: started(`{"type":"fileChange","id":"t","changes":[{"path":"/a","kind":{"type":"update","move_path":null},"diff":"d"},{"path":"DIR/b","kind":{"type":"delete"},"diff":""}],"status":"inProgress"}`) +
				completed(`{"type":"fileChange","id":"t","changes":[{"path":"/a","kind":{"type":"update","move_path":null},"diff":"d"},{"path":"DIR/b","kind":{"type":"delete"},"diff":""}],"status":"failed"}`)},
		{name: "errors that are tried again", steps: "  - error: a\n  - turn: retry\n  - error: {code: \"503\", msg: \"Reconnecting... waiting for network (b (c))\"}\n",
			out: notice("Reconnecting... 1/5", unknown, `"a"`, "true") + notice("Reconnecting... 2/5", unknown, `"stream disconnected before completion"`, "true") +
				notice("Reconnecting... waiting for network", `{"responseStreamDisconnected":{"httpStatusCode":503}}`, `"b (c)"`, "true")},
		{name: "a warning", steps: "  - error: {code: warning, msg: careful}\n", out: `{"method":"warning","params":{"message":"careful"}}` + "\n"},
		{name: "an error of a status", steps: "  - error: {code: \"401\", msg: m, fatal: true}\n", out: failed("m", `{"httpConnectionFailed":{"httpStatusCode":401}}`)},
		{name: "an error of a word", steps: "  - error: {code: usageLimitExceeded, msg: m, fatal: true}\n", out: failed("m", `"usageLimitExceeded"`)},
		{name: "an error of a word with a status", steps: "  - error: {code: responseTooManyFailedAttempts, msg: m, fatal: true}\n", out: failed("m", `{"responseTooManyFailedAttempts":{"httpStatusCode":null}}`)},
		{name: "a quota", steps: "  - error: {code: quota, msg: m, fatal: true}\n", out: failed("m", `"usageLimitExceeded"`)},
		{name: "no room", steps: "  - error: {code: prompt_too_long, msg: m, fatal: true}\n", out: failed("m", `"contextWindowExceeded"`)},
		{name: "an error of no known code", steps: "  - end: {reason: ok, err: true, text: m}\n", out: failed("m", `"other"`)},
		{name: "out of tokens", steps: "  - end: length\n", out: failed("Incomplete response returned, reason: max_output_tokens", `"other"`)},
		{name: "nothing said", steps: "  - end: ok\n", out: ended("completed")},
		{name: "stopped", steps: "  - end: aborted\n", out: ended("interrupted")},
		{name: "compacted", steps: "  - turn: compact\n  - turn: idle\n", out: started(`{"type":"contextCompaction","id":"T"}`) + completed(`{"type":"contextCompaction","id":"T"}`) +
			`{"method":"thread/status/changed","params":{"status":{"type":"idle"}}}` + "\n"},
		{name: "native, raw, stderr", steps: "  - frame: {type: x, fields: {a: [1]}}\n  - raw: {line: \"{\", eol: crlf}\n  - raw: {base64: \"/w==\", eol: none}\n  - stderr: \"warn\\n\"\n",
			out: "{\"method\":\"x\",\"params\":{\"a\":[1]}}\n{\r\n\xff", errs: "warn\n"},
		{name: "exit code", steps: "  - exit: 9\n", code: 9},
		{name: "cut", steps: "  - cut\n  - delta: a\n"},
		{name: "silent", steps: "  - silent\n  - delta: a\n", code: 130},
		{name: "a question that nobody answers", steps: "  - ask: {id: q, tool: apply_patch}\n  - delta: a\n", code: 130,
			out: `{"method":"thread/status/changed","params":{"status":{"type":"active","activeFlags":["waitingOnApproval"]}}}` + "\n" +
				`{"method":"item/fileChange/requestApproval","id":0,"params":{"itemId":"q","reason":null,"grantRoot":null}}` + "\n"},
		{name: "unplayable", steps: "  - init\n  - end: budget\n", code: 2,
			errs: "adaptercheck: frame 1 (end): codex-app-server: an end by budget: unplayable: the fake's wire has no such thing\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			dir, err := os.Getwd()
			if err != nil {
				t.Fatal(err)
			}
			out, errs, code := alone(t, c.steps, appserver.Options{})
			if c.name == "a piece too far" { // known only when it is played
				if !strings.Contains(errs, "a piece at 3 of a text of 0 bytes") || code == 0 {
					t.Errorf("exit code %d, stderr %q", code, errs)
				}
				return
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if diff := cmp.Diff(c.out, strings.ReplaceAll(out, dir, "DIR")); diff != "" {
				t.Errorf("stdout (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.errs, errs); diff != "" {
				t.Errorf("stderr (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownVersion(t *testing.T) {
	_, errs, code := alone(t, "  - end: ok\n", appserver.Options{Version: "0.1"})
	if code != 2 || !strings.Contains(errs, `unknown version "0.1"`) {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

// The scripts that come with the module play on this fake, but for what it has no form
// for.
func TestFixtureScriptsPlay(t *testing.T) {
	want := map[string]int{"hello.yaml": 0, "tool.yaml": 0, "text-then-tool.yaml": 0, "error.yaml": 0, "cut.yaml": 0, "abort.yaml": 130, "budget.yaml": 2, "refusal.yaml": 2, "subagent.yaml": 2}
	for name, exit := range want {
		data, err := fs.ReadFile(fixtures.Scripts(), name)
		if err != nil {
			t.Fatal(err)
		}
		_, steps, _ := strings.Cut(string(data), "steps:\n")
		steps, _, _ = strings.Cut(steps, "expect:\n")
		if _, errs, code := alone(t, steps, appserver.Options{}); code != exit || (errs == "") == (exit == 2) {
			t.Errorf("%s: exit code %d, want %d, stderr %q", name, code, exit, errs)
		}
	}
}

// By hand a recording is printed at once, or in step with a client.
func TestPlayRecording(t *testing.T) {
	rec, err := fixtures.Load("codex-0.171.0", "app-approve-eof")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := appserver.PlayRecording(t.Context(), rec.Stdout, 3, fakes.Play{Stdout: &out, Stderr: &out})
	if diff := cmp.Diff(string(rec.Stdout), out.String()); diff != "" || code != 3 {
		t.Errorf("exit code %d (-want +got):\n%s", code, diff)
	}
	out.Reset()
	in, stdin := io.Pipe()
	go func() {
		fmt.Fprintln(stdin, `{"id":7,"method":"initialize","params":{}}`)
		fmt.Fprintln(stdin, `{"id":8,"method":"thread/start","params":{}}`)
		fmt.Fprintln(stdin, `{"id":9,"method":"turn/start","params":{"threadId":"x","input":[]}}`)
		stdin.Close()
	}()
	code = appserver.PlayRecording(t.Context(), rec.Stdout, 3, fakes.Play{Args: []string{"app-server"}, Stdin: in, Stdout: &out, Stderr: &out})
	for _, id := range []string{"7", "8", "9"} {
		if !strings.Contains(out.String(), `{"id":`+id+`,"result":`) {
			t.Errorf("no answer to %s", id)
		}
	}
	if got, want := strings.Count(out.String(), "\n"), len(rec.Lines()); got != want || code != 3 {
		t.Errorf("exit code %d, %d lines, want %d", code, got, want)
	}
}
