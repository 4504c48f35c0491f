package codex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fixtures"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

var runtimes = []string{"codex-0.171.0", "codex-0.144.6", "codex-0.125.0"}

// unasked says why the adapter never asks for the output of a recording; empty if it
// does.
func unasked(r fixtures.Recording) string {
	switch {
	case r.Args[0] == "app-server" && !bytes.Contains(r.Stdout, []byte(`"method":"turn/started"`)):
		return "the recorded client asks for no turn, the adapter always does"
	case r.Args[0] == "app-server", slices.Contains(r.Args, "--json"), slices.Contains(r.Args, "--experimental-json"):
		return ""
	}
	return "plain text"
}

// TestRecordings replays what the real program printed. testdata/recordings.golden
// says for each recording how the process ended, and what came of it.
func TestRecordings(t *testing.T) {
	var golden strings.Builder
	replayed := map[string]int{}
	for _, runtime := range runtimes {
		fmt.Fprintf(&golden, "# %s\n\n", runtime)
		for _, name := range fixtures.Names(runtime) {
			r := load(t, runtime, name)
			if why := unasked(r); why != "" {
				fmt.Fprintf(&golden, "%s\n  not replayed: %s\n\n", name, why)
				continue
			}
			replayed[r.Args[0]]++
			t.Run(runtime+"/"+name, func(t *testing.T) {
				replay, tell := replayExec, tellExec
				if r.Args[0] == "app-server" {
					replay, tell = replayServer, tellServer
				}
				events := enveloped(replay(t, r))
				judge(t, events)
				tell(r).judge(t, events)
				fmt.Fprintf(&golden, "%s\n  %s\n%s\n", name, ending(r).How, summarize(events))
			})
		}
	}
	if replayed["exec"] < 120 || replayed["app-server"] < 22 {
		t.Errorf("replayed %v", replayed)
	}
	goldie.New(t).Assert(t, "recordings", []byte(golden.String()))
}

func load(t *testing.T, runtime, name string) fixtures.Recording {
	t.Helper()
	r, err := fixtures.Load(runtime, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ending is how the recorded process ended.
func ending(r fixtures.Recording) oneshot.Ending {
	e := oneshot.Ending{Stderr: strings.TrimSpace(noise.Replace(r.Stderr))}
	if r.Signal != nil {
		e.How, e.Failed = "signal "+*r.Signal, true
		return e
	}
	e.How, e.Failed = fmt.Sprintf("exit code %d", *r.Exit), *r.Exit != 0
	return e
}

func replayExec(t *testing.T, r fixtures.Recording) []executor.Event {
	t.Helper()
	w := &execWire{execMapper: plain(), grace: 1}
	var out []executor.Event
	for i, line := range r.Lines() {
		out = append(out, w.Line(int64(i+1), line)...)
	}
	if told := bytes.Contains(r.Stdout, []byte(`{"type":"turn.completed"`)) || bytes.Contains(r.Stdout, []byte(`{"type":"turn.failed"`)); (w.Rest() > 0) != told {
		t.Errorf("rest %v, told=%v", w.Rest(), told)
	}
	return append(out, w.Finish(ending(r))...)
}

// desk is a server's wire at a desk instead of a process: what it writes is kept.
type desk struct {
	*serverWire
	stdin  *io.PipeReader
	hushed bool
}

func newDesk(o Options, e errand, s state) *desk {
	in, out := io.Pipe()
	d := &desk{stdin: in, serverWire: &serverWire{serverMapper: newServerMapper(newStory(same, s)), talk: talk{errand: e}, options: o.withDefaults()}}
	d.talk.console = openConsole(out)
	d.talk.hush = func() { d.hushed = true; d.talk.console.lines.End() }
	d.talk.begin()
	return d
}

// written ends stdin and returns what was written there, line by line.
func (d *desk) written(t *testing.T) []map[string]any {
	t.Helper()
	d.questions.settle()
	d.talk.console.lines.End()
	all, err := io.ReadAll(d.stdin)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for line := range strings.Lines(string(all)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		out = append(out, m)
	}
	return out
}

// replayServer gives the lines to a wire that does what the recorded client did, and
// holds what it writes against what that one wrote.
func replayServer(t *testing.T, r fixtures.Recording) []executor.Event {
	t.Helper()
	var want []map[string]any
	sent := r.Stdin
	for _, a := range r.Actions {
		sent += a.Send + "\n"
	}
	for line := range strings.Lines(sent) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil {
			want = append(want, m)
		}
	}
	d := newDesk(Options{Mode: ModeAppServer}, errand{prompt: "go"}, state{})
	asked, aborted := "", false
	var out []executor.Event
	actions := slices.Clone(r.Actions)
	for i, line := range r.Lines() {
		events := d.Line(int64(i+1), line)
		for _, e := range events {
			if s, is := e.(executor.Status); is && strings.HasPrefix(s.Detail, executor.DetailApproval+":") {
				asked = strings.TrimPrefix(s.Detail, executor.DetailApproval+":")
			}
		}
		out = append(out, events...)
		if len(actions) == 0 || !bytes.Contains(line, []byte(actions[0].On)) {
			continue
		}
		switch a := actions[0]; {
		case strings.Contains(a.Send, methodInterrupt):
			aborted = true
			d.interrupt()
		case strings.Contains(a.Send, methodSteer):
			if !d.talk.write("more", func() error { t.Error("the context was not taken"); return nil }) {
				t.Error("no context is taken")
			}
		case asked != "" && a.Send != "":
			if err := d.answer(asked, strings.Contains(a.Send, `"accept"`)); err != nil {
				t.Error(err)
			}
			asked = ""
		}
		actions = actions[1:]
	}
	if told := bytes.Contains(r.Stdout, []byte("turn/completed")); d.hushed != told {
		t.Errorf("stdin ended: %v, the turn: %v", d.hushed, told)
	}
	e := ending(r)
	e.Aborted = aborted
	out = append(out, d.Finish(e)...)

	got := d.written(t)
	for _, list := range [][]map[string]any{got, want} {
		for _, m := range list {
			params, _ := m["params"].(map[string]any)
			for _, differs := range []string{"clientInfo", "cwd", "sandbox", "approvalPolicy"} {
				delete(params, differs)
			}
			// Codex takes a refusal and an answer that ends the turn too; the adapter gives
			// neither.
			if answer, _ := m["result"].(map[string]any); m["error"] != nil || answer["decision"] == "cancel" {
				delete(m, "error")
				m["result"] = map[string]any{"decision": "decline"}
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("written (-want +got):\n%s", d)
	}
	return out
}

// enveloped numbers events as a stream does, so that they can be judged by the rules
// of the contract.
func enveloped(events []executor.Event) []executor.Event {
	out := make([]executor.Event, len(events))
	for i, e := range events {
		out[i] = e.WithHead(executor.Envelope{RunID: "r", TS: 1, Seq: int64(i + 1)})
	}
	return out
}

// judge holds the events against the rules of the contract.
func judge(t *testing.T, events []executor.Event) {
	t.Helper()
	for name, rule := range map[string]func([]executor.Event) []verify.Finding{
		"whole": verify.Whole, "announced": verify.Announced, "input text": verify.InputText,
	} {
		if found := rule(events); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	if done := events[len(events)-1].(executor.Done); done.Summary == "" && verify.Words(events, "", executor.Assistant) != "" {
		t.Error("text and no summary")
	}
}

// summarize is a run in a few lines: the kinds of its events, its cost, its errors and
// its end.
func summarize(events []executor.Event) string {
	var kinds []string
	count := 0
	for _, e := range events {
		word := string(e.Kind())
		switch e := e.(type) {
		case executor.Status:
			word = strings.Trim(string(e.Phase)+" "+e.Detail, " ")
			if id, ok := strings.CutPrefix(e.Detail, executor.DetailApproval+":"); ok {
				word = "asks " + id
			}
		case executor.TextDelta:
			word = "text"
			if e.OnReasoning() {
				word = "reasoning"
			}
		case executor.ToolCall:
			word = "call " + e.Name
		case executor.ToolResult:
			word = "result"
			if e.IsError {
				word = "failed result"
			}
		}
		last := len(kinds) - 1
		if count++; last < 0 || kinds[last] != word && kinds[last] != fmt.Sprintf("%s x%d", word, count-1) {
			kinds, count = append(kinds, word), 1
			continue
		}
		kinds[last] = fmt.Sprintf("%s x%d", word, count)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "  %s\n", strings.Join(kinds, ", "))
	if used, _ := verify.Spend(events, ""); used != (executor.Usage{}) {
		fmt.Fprintf(&out, "  cost %s\n", showUsage(&used))
	}
	for _, e := range events {
		if e, is := e.(executor.Error); is {
			fmt.Fprintf(&out, "  %s\n", short(show(e)))
		}
	}
	fmt.Fprintf(&out, "  %s\n", short(show(events[len(events)-1])))
	return out.String()
}

func short(s string) string {
	if r := []rune(s); len(r) > 140 {
		return string(r[:140]) + "…"
	}
	return s
}

// told is what a recording says, read by somebody who knows nothing of the mappers.
type told struct {
	reason executor.Reason
	texts  []string
	ids    []string // of the texts
	calls  []string
	tokens int
}

// say adds or replaces a message.
func (w *told) say(id, text string) {
	if i := slices.Index(w.ids, id); i >= 0 {
		w.texts[i] = text
		return
	}
	w.ids, w.texts = append(w.ids, id), append(w.texts, text)
}

func (w *told) call(id string) {
	if !slices.Contains(w.calls, id) {
		w.calls = append(w.calls, id)
	}
}

// tellExec reads a recording of codex exec with another decoder and fewer rules.
func tellExec(r fixtures.Recording) told {
	out := told{reason: executor.ReasonError}
	retried := false
	for _, raw := range r.Lines() {
		var l struct {
			Type, Message string
			Item          struct{ ID, Type, Text string }
			Usage         struct {
				In  int `json:"input_tokens"`
				Out int `json:"output_tokens"`
			}
		}
		if json.Unmarshal(raw, &l) != nil {
			continue
		}
		switch {
		case l.Type == "turn.completed":
			out.reason, out.tokens = executor.ReasonSuccess, l.Usage.In+l.Usage.Out
		case l.Type == "error":
			retried = strings.HasPrefix(l.Message, "Reconnecting...")
		case l.Item.Type == "agent_message":
			if n := len(out.texts); !retried || n == 0 || out.texts[n-1] != l.Item.Text {
				out.say(l.Item.ID, l.Item.Text)
			}
		case l.Item.Type == "command_execution", l.Item.Type == "file_change", l.Item.Type == "mcp_tool_call":
			out.call(l.Item.ID)
		}
	}
	return out
}

// tellServer reads a recording of codex app-server likewise.
func tellServer(r fixtures.Recording) told {
	out := told{reason: executor.ReasonError}
	open := ""
	for _, raw := range r.Lines() {
		var l struct {
			Method string
			Params struct {
				ItemID, Delta string
				Item          struct{ ID, Type, Text string }
				Turn          struct{ Status string }
				TokenUsage    struct{ Total struct{ TotalTokens int } }
			}
		}
		if json.Unmarshal(raw, &l) != nil {
			continue
		}
		p := l.Params
		switch l.Method {
		case "item/started":
			if p.Item.Type != "agentMessage" {
				break
			}
			if i := slices.Index(out.ids, open); i >= 0 { // it was never completed
				out.ids, out.texts = slices.Delete(out.ids, i, i+1), slices.Delete(out.texts, i, i+1)
			}
			open = p.Item.ID
		case "item/agentMessage/delta":
			text := ""
			if i := slices.Index(out.ids, p.ItemID); i >= 0 {
				text = out.texts[i]
			}
			out.say(p.ItemID, text+p.Delta)
		case "item/completed":
			if p.Item.Type == "agentMessage" {
				out.say(p.Item.ID, p.Item.Text)
				open = ""
			}
		case "thread/tokenUsage/updated":
			out.tokens = p.TokenUsage.Total.TotalTokens
		case "turn/completed":
			out.reason = map[string]executor.Reason{"completed": executor.ReasonSuccess, "interrupted": executor.ReasonAborted, "failed": executor.ReasonError}[p.Turn.Status]
		}
		if strings.HasPrefix(l.Method, "item/") && (p.Item.Type == "commandExecution" || p.Item.Type == "fileChange") {
			out.call(p.Item.ID)
		}
	}
	return out
}

// judge holds the events against what was told.
func (w told) judge(t *testing.T, events []executor.Event) {
	t.Helper()
	done := events[len(events)-1].(executor.Done)
	if done.Reason != w.reason {
		t.Errorf("reason %s, want %s", done.Reason, w.reason)
	}
	// What an observer believes in is what follows the last restart.
	restart := 0
	var calls []string
	for i, e := range events {
		switch e := e.(type) {
		case executor.Status:
			if e.Detail == executor.DetailTextRestarted {
				restart = i
			}
		case executor.ToolCall:
			calls = append(calls, e.ID)
		}
	}
	want := strings.Join(strings.Fields(strings.Join(w.texts, " ")), " ")
	if got := verify.Words(events[restart:], "", executor.Assistant); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if d := cmp.Diff(w.calls, calls); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	used, _ := verify.Spend(events, "")
	sum := used.InputTokens + used.OutputTokens
	if used.CachedInputTokens != nil {
		sum += *used.CachedInputTokens
	}
	if int(sum) != w.tokens {
		t.Errorf("%d tokens, want %d", sum, w.tokens)
	}
}

// A thread that is gone on with is billed for each run once.
func TestCostsOfResumedRecordings(t *testing.T) {
	for runtime, names := range map[string][]string{
		"codex-0.171.0": {"resume-1-first", "resume-2-last", "resume-5-id", "resume-6-sdkorder", "resume-7-jsonafter"},
		"codex-0.144.6": {"resume-1-first", "resume-2-last"},
		"codex-0.125.0": {"resume-1-first", "resume-2-last"},
	} {
		t.Run(runtime, func(t *testing.T) {
			kept := state{}
			for _, name := range names {
				m := &execMapper{story: newStory(same, kept)}
				var events []executor.Event
				for i, line := range load(t, runtime, name).Lines() {
					events = append(events, m.line(int64(i+1), line)...)
				}
				used, _ := verify.Spend(enveloped(events), "")
				if got := showUsage(&used); got != usage1 {
					t.Errorf("%s: %s, want %s", name, got, usage1)
				}
				// The recordings name their threads by placeholders.
				kept = state{Thread: m.thread, Totals: m.before}
			}
		})
	}
}
