package claudecode_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// A script can be played without a child process, into any writer.
func ExamplePlayScript() {
	s, err := script.Parse("hello.yaml", []byte(`schema: adaptercheck-script-v1
steps:
  - init
  - delta: "Hel"
  - delta: "lo."
  - end: ok
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	args := []string{"-p", "say hello"} // the answer alone
	code := claudecode.PlayScript(context.Background(), s.Frames, fakes.Play{Args: args, Stdout: os.Stdout, Stderr: os.Stderr}, claudecode.Options{})
	fmt.Println("exit code", code)
	// Output:
	// Hello.
	// exit code 0
}

// The scripts that come with the module play on this fake.
func TestFixtureScriptsPlay(t *testing.T) {
	want := map[string]int{"hello.yaml": 0, "tool.yaml": 0, "error.yaml": 1, "cut.yaml": 0, "abort.yaml": 0, "text-then-tool.yaml": 0}
	for name, exit := range want {
		data, err := fs.ReadFile(fixtures.Scripts(), name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(name, data)
		if err != nil {
			t.Error(err)
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // only a script that waits takes notice
		var errs strings.Builder
		if code := claudecode.PlayScript(ctx, s.Frames, fakes.Play{Stdout: io.Discard, Stderr: &errs}, claudecode.Options{}); code != exit || errs.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d, stderr %q", name, code, exit, &errs)
		}
	}
}

// story is what a line says, in few words.
func story(t *testing.T, line string) string {
	t.Helper()
	var x struct {
		Type, Subtype, State, Result string
		Attempt                      int
		Status                       any `json:"error_status"`
		Error                        string
		Synthetic                    bool `json:"isSynthetic"`
		Message                      struct{ Content []map[string]any }
		Event                        struct {
			Type  string
			Index int
			Block struct{ Type string } `json:"content_block"`
			Delta struct {
				Text, Thinking string
				JSON           string `json:"partial_json"`
				Stop           string `json:"stop_reason"`
			}
		}
		Abandoned *struct {
			From int `json:"from_block_index"`
		} `json:"abandoned_blocks"`
	}
	if err := json.Unmarshal([]byte(line), &x, json.MatchCaseInsensitiveNames(true)); err != nil {
		return line
	}
	e := x.Event
	switch x.Type {
	case "system":
		switch x.Subtype {
		case "api_retry":
			return fmt.Sprint("retry ", x.Attempt, " ", x.Status, " ", x.Error)
		case "session_state_changed":
			return "state " + x.State
		}
		return x.Subtype
	case "result":
		return "result " + x.Result
	case "assistant", "user":
		c := x.Message.Content[0]
		said := fmt.Sprint(x.Type, " ", c["type"], " ", c[fmt.Sprint(c["type"])])
		if c["type"] == "tool_use" {
			said = fmt.Sprint(x.Type, " tool_use ", c["name"], " ", c["input"])
		}
		if x.Synthetic {
			said = "synthetic " + said
		}
		return said
	case "stream_event":
		switch e.Type {
		case "content_block_start":
			return fmt.Sprint("block ", e.Index, " ", e.Block.Type)
		case "content_block_delta":
			return fmt.Sprint("piece ", e.Index, " ", e.Delta.Text, e.Delta.Thinking, e.Delta.JSON)
		case "content_block_stop":
			return fmt.Sprint("stop ", e.Index)
		case "message_delta":
			return "delta " + e.Delta.Stop
		case "message_stop":
			if x.Abandoned != nil {
				return fmt.Sprint("abandoned from ", x.Abandoned.From)
			}
		}
		return e.Type
	}
	return line
}

// partial is how a client asks for all that there is.
var partial = []string{"-p", "go", "--output-format", "stream-json", "--verbose", "--include-partial-messages"}

func play(t *testing.T, steps string, o claudecode.Options, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = claudecode.PlayScript(t.Context(), frames(t, steps), fakes.Play{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}, o)
	return stdout.String(), stderr.String(), code
}

func TestWords(t *testing.T) {
	const end = "delta end_turn"
	message := func(lines ...string) []string {
		return append(append([]string{"status", "message_start"}, lines...), end, "message_stop")
	}
	for _, c := range []struct {
		name, steps, version string
		want                 [][]string // between init and result
		result               string
	}{
		{"a final ends the block that is open", deltas("Hel", "lo") + "  - final: \"Hello\"\n", "",
			[][]string{message("block 0 text", "piece 0 Hel", "piece 0 lo", "assistant text Hello", "stop 0")}, "Hello"},
		{"two finals are two messages", "  - final: a\n  - final: b\n", "",
			[][]string{message("block 0 text", "piece 0 a", "assistant text a", "stop 0"), message("block 0 text", "piece 0 b", "assistant text b", "stop 0")}, "b"},
		{"finals of one name are one message", "  - final: {text: a, msg: m}\n  - final: {text: b, msg: m}\n", "",
			[][]string{message("block 0 text", "piece 0 a", "assistant text a", "stop 0", "block 1 text", "piece 1 b", "assistant text b", "stop 1")}, "b"},
		{"deltas of two names are two messages", "  - delta: {text: a, msg: m}\n  - delta: {text: b, msg: n}\n", "",
			[][]string{message("block 0 text", "piece 0 a", "assistant text a", "stop 0"), message("block 0 text", "piece 0 b", "assistant text b", "stop 0")}, "b"},
		{"thinking is a block of its own", "  - think: hm\n  - think: so\n  - delta: a\n", "",
			[][]string{message("block 0 thinking", "thinking_tokens", "piece 0 hm", "thinking_tokens", "piece 0 so", "piece 0 ", "assistant thinking hmso", "stop 0",
				"block 1 text", "piece 1 a", "assistant text a", "stop 1")}, "a"},
		{"text-end ends a block", "  - delta: a\n  - turn: text-end\n  - delta: b\n", "",
			[][]string{message("block 0 text", "piece 0 a", "assistant text a", "stop 0", "block 1 text", "piece 1 b", "assistant text b", "stop 1")}, "b"},
		{"snapshots say what is new", "  - snapshot: a\n  - snapshot: ab\n  - snapshot: ab\n", "",
			[][]string{message("block 0 text", "piece 0 a", "piece 0 b", "assistant text ab", "stop 0")}, "ab"},
		{"a snapshot takes back", "  - snapshot: ab\n  - snapshot: ac\n", "",
			[][]string{{"status", "message_start", "block 0 text", "piece 0 ab", "stop 0", "abandoned from 0"},
				message("block 0 text", "piece 0 ac", "assistant text ac", "stop 0")}, "ac"},
		{"older versions take back without a word", "  - snapshot: ab\n  - snapshot: ac\n", "2.1.197",
			[][]string{{"status", "message_start", "block 0 text", "piece 0 ab"}, message("block 0 text", "piece 0 ac", "assistant text ac", "stop 0")}, "ac"},
		{"placed pieces say what is new", "  - delta: {text: ab, at: 0}\n  - delta: {text: b, at: 1}\n  - delta: {text: abc, at: 0}\n", "",
			[][]string{message("block 0 text", "piece 0 ab", "piece 0 c", "assistant text abc", "stop 0")}, "abc"},
		{"a lost stream is tried again", "  - delta: Hel\n  - turn: retry\n  - delta: Hello\n", "",
			[][]string{{"status", "message_start", "block 0 text", "piece 0 Hel", "stop 0", "abandoned from 0", "retry 1 <nil> unknown"},
				message("block 0 text", "piece 0 Hello", "assistant text Hello", "stop 0")[1:]}, "Hello"},
		{"what was whole is not taken back", "  - final: {text: a, msg: m}\n  - turn: retry\n  - final: {text: a, msg: m}\n", "",
			[][]string{{"status", "message_start", "block 0 text", "piece 0 a", "assistant text a", "stop 0", "abandoned from 1", "retry 1 <nil> unknown"},
				message("block 0 text", "piece 0 a", "assistant text a", "stop 0")[1:]}, "a"},
		{"a mild error leaves the message alone", "  - delta: Hel\n  - error: {code: \"503\", msg: again}\n  - delta: lo\n", "",
			[][]string{message("block 0 text", "piece 0 Hel", "retry 1 503 server_error", "piece 0 lo", "assistant text Hello", "stop 0")}, "Hello"},
		{"states of the turn", "  - turn: running\n  - turn: idle\n  - turn: compact\n  - turn: {state: running, text: go on}\n  - turn: {state: thinking, text: hm}\n", "",
			[][]string{{"status", "state idle", "compact_boundary", "synthetic user text go on", "thinking_tokens"}}, ""},
		{"a piece that never became a call", "  - callpart: {idx: 0, id: t, name: n, frag: '{\"a\"'}\n", "",
			[][]string{{"status", "message_start", "block 0 tool_use", "piece 0 ", `piece 0 {"a"`,
				`assistant tool_use n map[__unparsedToolInput:map[len:4 raw:{"a"]]`, "stop 0", "delta tool_use", "message_stop"}}, ""},
		{"pieces of two calls", "  - callpart: {idx: 0, id: t, name: n, frag: '{'}\n  - callpart: {idx: 1, id: u, name: m, frag: '{'}\n" +
			"  - callpart: {idx: 0, frag: '}'}\n  - callpart: {idx: 1, frag: '}'}\n", "",
			[][]string{{"status", "message_start", "block 0 tool_use", "piece 0 ", "piece 0 {", "block 1 tool_use", "piece 1 ", "piece 1 {", "piece 0 }", "piece 1 }",
				"assistant tool_use n map[]", "stop 0", "assistant tool_use m map[]", "stop 1", "delta tool_use", "message_stop"}}, ""},
		{"a place that another call takes", "  - callpart: {idx: 0, id: t, name: n, frag: '{}'}\n  - callpart: {idx: 0, id: u, name: m, frag: '{}'}\n", "",
			[][]string{{"status", "message_start", "block 0 tool_use", "piece 0 ", "piece 0 {}", "assistant tool_use n map[]", "stop 0",
				"block 1 tool_use", "piece 1 ", "piece 1 {}", "assistant tool_use m map[]", "stop 1", "delta tool_use", "message_stop"}}, ""},
		{"native and raw", "  - frame: {type: x, fields: {a: [1]}}\n  - raw: half\n", "", [][]string{{`{"type":"x","a":[1]}`, "half"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errs, code := play(t, head+c.steps+ok, claudecode.Options{Version: c.version}, partial...)
			if code != 0 || errs != "" {
				t.Errorf("exit code %d, stderr %q", code, errs)
			}
			var got []string
			for line := range strings.Lines(out) {
				got = append(got, story(t, strings.TrimSuffix(line, "\n")))
			}
			want := append(append([]string{"init"}, slices.Concat(c.want...)...), "result "+c.result)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where the versions differ, by the table of the facts.
func TestVersions(t *testing.T) {
	args := partial[:5]
	limit, broken := head+"  - end: max_turns\n", head+failure("429", "m")
	old, oldest := "2.0", "1.0"
	for _, c := range []struct {
		name, steps, version string
		args                 []string
		code                 int
		has, lacks           []string
	}{
		{"limit", limit, "", args, 1, []string{`"is_error":true`, `"errors":["Reached maximum number of turns (1)"]`, `"terminal_reason":"max_turns"`}, []string{`"result":`}},
		{"limit, old", limit, old, args, 0, []string{`"is_error":false`, `"errors":[`}, []string{"terminal_reason"}},
		{"limit, oldest", limit, oldest, args, 0, []string{`"is_error":false`, `"subtype":"error_max_turns"`}, []string{`"errors"`}},
		{"limit that was asked for", limit, "", append(args, "--max-turns", "7"), 1, []string{"(7)"}, nil},
		{"API error", broken, "", args, 1, []string{`"error":"rate_limit"`, `"api_error_type":"rate_limit_error"`, `"is_api_error_message":true`}, nil},
		{"API error, before", broken, "2.1.197", args, 1, []string{`"error":"rate_limit"`, `"api_error_status":429`}, []string{"is_api_error_message"}},
		{"API error, old", broken, old, args, 1, []string{`"error":"unknown"`}, []string{"api_error_status"}},
		{"401, old", head + failure("401", "m"), old, args, 1, []string{`"error":"authentication_failed"`}, nil},
		{"API error, oldest", broken, oldest, args, 1, []string{`<synthetic>`}, []string{`"error":`}},
		{"retries", head + retries("529") + ok, "2.1.197", args, 0, []string{`"attempt":2,"max_retries":10`, `"error":"overloaded"`}, nil},
		{"retries, old", head + retries("529") + ok, old, args, 0, nil, []string{"api_retry"}},
		{"separators", head + "  - final: \"a\\u2028b\"\n" + ok, "", args, 0, []string{`a\u2028b`}, []string{"\u2028"}},
		{"separators, oldest", head + "  - final: \"a\\u2028b\"\n" + ok, oldest, args, 0, []string{"a\u2028b"}, nil},
		{"tool results, old", head + bash("t", "ls", "x") + result("t", "a") + ok, old, args, 0, []string{`"tool_use_result":{"stdout":"a"`}, []string{"tool_result_meta"}},
		{"tool results, oldest", head + bash("t", "ls", "x") + result("t", "a") + ok, oldest, args, 0, nil, []string{"tool_use_result"}},
		{"first line, old", head + ok, old, args, 0, []string{`"claude_code_version":"2.0.77"`, `"skills":[],"plugins":[]`}, []string{"memory_paths"}},
		{"first line, oldest", head + ok, oldest, args, 0, []string{`"slash_commands":[`, `"agents":[`}, []string{"claude_code_version", "skills"}},
		{"budget, oldest", head + ok, oldest, append(args, "--max-budget-usd", "1"), 1, []string{"error: unknown option '--max-budget-usd'"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errs, code := play(t, c.steps, claudecode.Options{Version: c.version}, c.args...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, s := range c.has {
				if !strings.Contains(out+errs, s) {
					t.Errorf("no %s in %s", s, out+errs)
				}
			}
			for _, s := range c.lacks {
				if strings.Contains(out+errs, s) {
					t.Errorf("%s in %s", s, out+errs)
				}
			}
		})
	}
}

func TestPlayScriptRefuses(t *testing.T) {
	for _, c := range []struct {
		name, steps, version, want string
		code                       int
	}{
		{"unknown version", head, "3", "adaptercheck: fake claude-code: unknown version \"3\", want one of [\"2.1.332\" \"2.1.197\" \"2.0\" \"1.0\"]\n", 2},
		{"unplayable", head + "  - turn: turn-complete\n", "", "adaptercheck: frame 1 (turn): claude-code: turn state \"turn-complete\": unplayable: the fake's wire has no such thing\n", 2},
		{"a guess that cannot be called one", head + "  - usage: {in: 1, out: 1, model: foo}\n", "2.1.197", "adaptercheck: frame 1 (usage): claude-code: usage of model \"foo\" without its cost: unplayable: the fake's wire has no such thing\n", 2},
		{"a retry that nothing shows", head + "  - final: a\n  - turn: retry\n", "2.0", "adaptercheck: frame 2 (turn): claude-code: turn state \"retry\" where no open block is given up: unplayable: the fake's wire has no such thing\n", 2},
	} {
		out, errs, code := play(t, c.steps, claudecode.Options{Version: c.version})
		if out != "" || errs != c.want || code != c.code {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", c.name, code, out, errs)
		}
	}
}

func TestPlayRecording(t *testing.T) {
	rec, err := fixtures.Load("claude-code-2.1.332", "err401")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := claudecode.PlayRecording(t.Context(), rec.Stdout, *rec.Exit, fakes.Play{Stdout: &out, Stderr: &errs})
	if diff := cmp.Diff(string(rec.Stdout), out.String()); diff != "" || code != 1 || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q, stdout (-want +got):\n%s", code, &errs, diff)
	}
}

// Usage counts, in its three kinds, and money by the price list or as it is told.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		has         []string
	}{
		{"two calls", "  - usage: {in: 10, out: 1}\n  - usage: {in: 5, out: 2, cacheRead: 7}\n", []string{`"inputTokens":15,"outputTokens":3,"cacheReadInputTokens":7`, `"usage":{"input_tokens":15,"cache_creation_input_tokens":0,"cache_read_input_tokens":7,"output_tokens":3`}},
		{"totals", "  - usage: {kind: total, in: 10, out: 1}\n  - usage: {kind: total, in: 15, out: 3}\n", []string{`"inputTokens":15,"outputTokens":3`, `"usage":{"input_tokens":15`}},
		{"last beside a total", "  - usage: {kind: last, in: 10, out: 1, totalIn: 10, totalOut: 1}\n  - usage: {kind: last, in: 10, out: 1, totalIn: 20, totalOut: 2}\n", []string{`"inputTokens":20,"outputTokens":2`}},
		{"told money", "  - usage: {in: 10, out: 1, cost: 0.25}\n  - usage: {in: 10, out: 1, cost: 0.5}\n", []string{`"total_cost_usd":0.75`}},
		{"total money", "  - usage: {kind: total, in: 10, out: 1, cost: 0.25}\n  - usage: {kind: total, in: 20, out: 2, cost: 0.5}\n", []string{`"total_cost_usd":0.5`, `"costUSD":0.5`}},
		{"listed money", "  - usage: {in: 1000000, out: 100000}\n", []string{`"total_cost_usd":6,`}},
		{"another model", "  - usage: {in: 1000000, out: 0, model: claude-haiku-4-5}\n", []string{`"total_cost_usd":1,`, `"modelUsage":{"claude-haiku-4-5":{`}},
		{"unlisted model", "  - usage: {in: 10, out: 1, model: foo}\n", []string{`"modelUsage":{"foo":{`, `"costBasis":"unknown"`}},
		{"unlisted model, told money", "  - usage: {in: 10, out: 1, model: foo}\n  - usage: {in: 10, out: 1, cost: 0.25, model: foo}\n", []string{`"costBasis":"list"`}},
		{"thinking", "  - usage: {in: 1, out: 9, reasoning: 4}\n", []string{`"thinking_tokens":4`, `"thinkingTokens":4`}},
	} {
		out, _, _ := play(t, head+"  - final: x\n"+c.steps+ok, claudecode.Options{})
		for _, s := range c.has {
			if !strings.Contains(out, s) {
				t.Errorf("%s: no %s in %s", c.name, s, out)
			}
		}
	}
}

// Nobody skips permissions as root, but in a sandbox.
func TestRootNeedsASandbox(t *testing.T) {
	for _, env := range [][]string{nil, {"IS_SANDBOX=1"}} {
		want := 0
		if env == nil && os.Geteuid() == 0 {
			want = 1
		}
		var errs bytes.Buffer
		p := fakes.Play{Args: append(slices.Clone(partial), "--dangerously-skip-permissions"), Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, Env: env}
		code := claudecode.PlayScript(t.Context(), frames(t, hello), p, claudecode.Options{})
		if code != want || strings.Contains(errs.String(), "root/sudo") != (want == 1) {
			t.Errorf("env %v: exit code %d, stderr %q", env, code, &errs)
		}
	}
}
