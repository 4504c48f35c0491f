package codex_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
)

// said plays steps and returns the lines of stdout.
func said(t *testing.T, version, steps string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	codex.PlayScript(t.Context(), frames(t, steps), fakes.Play{Stdout: &out, Stderr: &errs}, codex.Options{Version: version})
	if text := logged.ReplaceAllString(errs.String(), ""); text != "" {
		t.Errorf("stderr %q", text)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestItems(t *testing.T) {
	started := func(fields string) string { return `{"type":"item.started","item":{"id":"item_0",` + fields + `}}` }
	completed := func(fields string) string { return `{"type":"item.completed","item":{"id":"item_0",` + fields + `}}` }
	todos := func(one, two string) string {
		return `"type":"todo_list","items":[{"text":"one","completed":` + one + `},{"text":"two","completed":` + two + `}]`
	}
	const pair = `{"type":"error","message":"no"}`
	for _, c := range []struct {
		name, version, steps string
		want                 []string
	}{
		{name: "an exit code", steps: "  - call: {id: t, name: bash, input: {command: x}}\n  - result: {id: t, out: o, details: {exit_code: 3}}\n",
			want: []string{started(`"type":"command_execution","command":"x","aggregated_output":"","exit_code":null,"status":"in_progress"`),
				completed(`"type":"command_execution","command":"x","aggregated_output":"o","exit_code":3,"status":"failed"`)}},
		{name: "a patch that failed", steps: "  - call: {id: t, name: apply_patch, input: {changes: [{path: /w/a, kind: update}, {path: /w/b, kind: delete}]}}\n  - result: {id: t, out: \"no\", err: true}\n",
			want: []string{started(`"type":"file_change","changes":[{"path":"/w/a","kind":"update"},{"path":"/w/b","kind":"delete"}],"status":"in_progress"`),
				completed(`"type":"file_change","changes":[{"path":"/w/a","kind":"update"},{"path":"/w/b","kind":"delete"}],"status":"failed"`)}},
		{name: "a search, which has two ids", steps: "  - call: {id: t, name: web_search, input: {query: go}}\n  - result: {id: t, out: \"\"}\n",
			want: []string{started(`"type":"web_search","id":"ws_0","query":"","action":{"type":"other"}`),
				completed(`"type":"web_search","id":"ws_0","query":"go","action":{"type":"search","query":"go"}`)}},
		{name: "a tool of a server", steps: "  - call: {id: t, name: mcp__notes__add_one, input: [1]}\n",
			want: []string{started(`"type":"mcp_tool_call","server":"notes","tool":"add_one","arguments":[1],"result":null,"error":null,"status":"in_progress"`)}},
		{name: "a list that ends with the turn", version: "0.144.6", steps: steps + "  - end: ok\n",
			want: []string{started(todos("false", "false")), `{"type":"item.updated","item":{"id":"item_0",` + todos("true", "false") + `}}`, completed(todos("true", "false")),
				`{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":60,"output_tokens":40,"reasoning_output_tokens":10}}`}},
		{name: "a list of a turn that failed", version: "0.98.0", steps: "  - call: {id: t, name: update_plan, input: {plan: []}}\n  - error: {fatal: true, msg: \"no\"}\n",
			want: []string{started(`"type":"todo_list","items":[]`), pair, completed(`"type":"todo_list","items":[]`), `{"type":"turn.failed","error":{"message":"no"}}`}},
		{name: "no list in the newest", steps: steps + "  - error: {fatal: true, msg: \"no\"}\n",
			want: []string{pair, `{"type":"turn.failed","error":{"message":"no"}}`}},
		{name: "results of unknown calls", steps: "  - result: {id: a, name: update_plan, out: \"\"}\n  - result: {id: b, name: apply_patch, out: \"\"}\n",
			want: []string{completed(`"type":"file_change","changes":[],"status":"completed"`)}},
		{name: "calls at once, the second one first", version: "0.98.0", steps: "  - call: {id: b, name: shell, input: two}\n  - call: {id: a, name: shell, input: one}\n  - result: {id: a, out: \"\"}\n",
			want: []string{started(`"type":"command_execution","command":"two","aggregated_output":"","exit_code":null,"status":"in_progress"`),
				`{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"one","aggregated_output":"","exit_code":null,"status":"in_progress"}}`,
				`{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"one","aggregated_output":"","exit_code":0,"status":"completed"}}`}},
		{name: "a warning in a turn", steps: "  - turn: running\n  - error: {code: warning, msg: w}\n",
			want: []string{`{"type":"turn.started"}`, completed(`"type":"error","message":"w"`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, said(t, c.version, c.steps)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A warning that comes before the turn comes in the thread of the turn.
func TestWarningsBeforeTheTurn(t *testing.T) {
	want := []string{`{"type":"thread.started","thread_id":"00000000-0000-7000-8000-000000000001"}`,
		`{"type":"item.completed","item":{"id":"item_0","type":"error","message":"w"}}`,
		`{"type":"item.completed","item":{"id":"item_1","type":"error","message":"w"}}`,
		`{"type":"turn.started"}`}
	got := said(t, "", warned("w")+warned("w")+"  - init: {session: 00000000-0000-7000-8000-000000000001}\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the provider said is in the error where the CLI repeats it, with the place that
// was asked and the id of the request.
func TestCauses(t *testing.T) {
	for _, c := range []struct{ version, error, want string }{
		{"", `{code: "418", fatal: true, msg: tea}`, "unexpected status 418 I'm a teapot: tea, url: https://api.openai.com/v1/responses, request id: req_"},
		{"", `{code: "504", fatal: true, msg: slow}`, "unexpected status 504 Gateway Timeout: slow, url: https://api.openai.com/v1/responses"},
		{"", `{code: "429", msg: slow}`, "Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests, request id: req_"},
		{"", `{code: max_output_tokens, fatal: true, msg: ""}`, "Incomplete response returned, reason: max_output_tokens"},
		{"0.98.0", `{code: max_output_tokens, fatal: true, msg: ""}`, "stream disconnected before completion: Incomplete response returned, reason: max_output_tokens"},
		{"", `{code: connection_failed, msg: ""}`, "Reconnecting... waiting for network (Connection failed: error sending request)"},
		{"0.144.6", `{code: connection_failed, msg: ""}`, "Reconnecting... 1/5 (stream disconnected before completion: error sending request for url (https://api.openai.com/v1/responses))"},
		{"", `{code: warning, fatal: true, msg: "not one"}`, "not one"},
		{"", `{code: odd, fatal: true, msg: "as it is"}`, "as it is"},
	} {
		if got := said(t, c.version, "  - error: "+c.error+"\n")[0]; !strings.HasPrefix(got, `{"type":"error","message":"`+c.want) {
			t.Errorf("%s %s: %s", c.version, c.error, got)
		}
	}
}
