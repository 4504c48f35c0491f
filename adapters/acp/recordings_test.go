package acp

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sebdah/goldie/v2"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fixtures"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// desk is a wire at a desk instead of a process: what it writes is kept.
type desk struct {
	*wire
	stdin  *io.PipeReader
	hushed bool
}

func same(s string) string { return s }

func newDesk(o Options, r oneshot.Request[state]) *desk {
	o = o.withDefaults()
	o.Grace = time.Hour // no time passes at a desk
	in, out := io.Pipe()
	d := &desk{stdin: in, wire: newWire(o, same, r, "/srv/project")}
	d.talk.console = openConsole(out)
	d.talk.hush = func() { d.hushed = true; d.talk.console.lines.End() }
	d.talk.begin()
	return d
}

// hear gives lines to the wire.
func (d *desk) hear(lines ...string) []executor.Event {
	var out []executor.Event
	var kept state
	for i, line := range lines {
		out = append(out, d.Line(int64(i+1), []byte(line))...)
		d.Keep(&kept)
	}
	return out
}

// written ends stdin and returns what was written there, line by line.
func (d *desk) written(t *testing.T) []map[string]any {
	t.Helper()
	d.questions.settle()
	d.talk.over()
	all, err := io.ReadAll(d.stdin)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for line := range strings.Lines(string(all)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil || m["jsonrpc"] != "2.0" {
			t.Fatalf("%v in %q", err, line)
		}
		out = append(out, m)
	}
	return out
}

// passed is a message of a recording.
type passed struct {
	fixtures.Passed
	message
	outcome string // of an answer to a permission: an option, or cancelled
}

func exchange(t *testing.T, name string) []passed {
	t.Helper()
	recorded, err := fixtures.LoadExchange("acp", name)
	if err != nil {
		t.Fatal(err)
	}
	var all []passed
	for _, r := range recorded {
		p := passed{Passed: r}
		if err := p.message.read(r.Frame); err != nil {
			t.Fatal(err)
		}
		var given struct {
			Outcome struct{ Outcome, OptionId string }
		}
		if json.Unmarshal(p.Result, &given) == nil {
			p.outcome = given.Outcome.OptionId + strings.TrimPrefix(given.Outcome.Outcome, "selected")
		}
		all = append(all, p)
	}
	return all
}

// turn is one prompt of a recording, and what the agent said up to its answer.
type turn struct {
	prompt string
	steps  []passed
	told   bool // it was answered
}

// turns are those of a recording which can be told apart.
func turns(all []passed) []turn {
	var out []turn
	answered := -1
	for i, p := range all {
		if p.Dir != fixtures.FromClient || p.Method != "session/prompt" || !strings.Contains(string(p.Params), `"text"`) || strings.Contains(string(p.Params), "nosuch") {
			continue
		}
		var params struct{ Prompt []struct{ Text string } }
		_ = json.Unmarshal(p.Params, &params) // it was recorded
		t := turn{prompt: params.Prompt[0].Text}
		for j := max(i, answered) + 1; j < len(all) && !t.told; j++ {
			q := all[j]
			if q.Method == "session/load" {
				break // all of it is said again
			}
			if q.Dir == fixtures.FromClient && q.Method != "" && q.Method != "session/cancel" {
				continue // a prompt that waits, or what follows one that is never answered
			}
			if q.Dir == fixtures.FromServer && q.Method == "" && set(q.ID) {
				if string(q.ID) != string(p.ID) {
					continue // an answer to something else
				}
				t.told, answered = true, j
			}
			t.steps = append(t.steps, q)
		}
		out = append(out, t)
	}
	return out
}

// opens is what the agent says until it has a session, as to a client that counts as
// this one does; then the answer to the request before the prompt.
func opens(all []passed) []string {
	var lines []string
	for _, p := range all {
		if p.Method == "session/prompt" {
			break
		}
		if p.Dir == fixtures.FromServer {
			lines = append(lines, string(p.Frame))
		}
	}
	return append(lines, fenced)
}

const fenced = `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}`

var anyID = regexp.MustCompile(`"id": ?[0-9]+`)

var recordings = []string{"opencode-1.18.33", "opencode-1.18.33-permission", "claude-agent-acp-0.101.0", "pi-acp-0.0.34"}

// TestRecordings replays what real agents said, prompt by prompt, each as a run of its
// own. testdata/recordings.golden says what came of it.
func TestRecordings(t *testing.T) {
	var golden strings.Builder
	replayed := 0
	for _, name := range recordings {
		all := exchange(t, name)
		kept := state{}
		fmt.Fprintf(&golden, "# %s\n\n", name)
		sum := 0.0
		for i, turn := range turns(all) {
			if name == "opencode-1.18.33-permission" && i >= 5 && i <= 6 {
				fmt.Fprintf(&golden, "%s\n  not replayed: this agent mixed two prompts that were open at once\n\n", turn.prompt)
				continue
			}
			replayed++
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				events := enveloped(replay(t, all, turn, &kept))
				judge(t, events)
				_, usd := verify.Spend(events, "")
				if usd != nil {
					sum += *usd
				}
				fmt.Fprintf(&golden, "%s\n%s\n", turn.prompt, summarize(events))
			})
		}
		if kept.Cost != nil && math.Abs(sum-*kept.Cost) > 1e-12 {
			t.Errorf("%s: %v in all, the agent told %v", name, sum, *kept.Cost)
		}
	}
	if replayed < 20 {
		t.Errorf("%d prompts were replayed", replayed)
	}
	goldie.New(t).Assert(t, "recordings", []byte(golden.String()))
}

// replay gives a turn to a wire that does what the recorded client did, and holds what it
// writes against what that one wrote.
func replay(t *testing.T, all []passed, turn turn, kept *state) []executor.Event {
	t.Helper()
	d := newDesk(Options{}, oneshot.Request[state]{Prompt: turn.prompt})
	d.bill.before = kept.Cost // the recorded session went on
	out := d.hear(opens(all)...)
	if len(out) > 0 {
		t.Errorf("told before the prompt: %v", out)
	}
	want := []string{"initialize", "session/new /srv/project", methodFence, "session/prompt " + turn.prompt}
	e := oneshot.Ending{How: "exit code 0"}
	for _, p := range turn.steps {
		switch {
		case p.Dir == fixtures.FromServer && p.Method == "" && set(p.ID):
			out = append(out, d.hear(anyID.ReplaceAllString(string(p.Frame), `"id":3`))...)
		case p.Dir == fixtures.FromServer:
			out = append(out, d.hear(string(p.Frame))...)
		case p.Method == "session/cancel":
			e.Aborted = true
			want = append(want, p.Method)
			d.interrupt()
		case p.outcome == "cancelled": // the interrupt has answered it
			want = append(want, "outcome cancelled")
		default:
			want = append(want, "outcome "+p.outcome)
			if err := d.answer("call_fake1", p.outcome == "once"); err != nil {
				t.Error(err)
			}
		}
	}
	if d.hushed != turn.told {
		t.Errorf("stdin ended: %v, the prompt was answered: %v", d.hushed, turn.told)
	}
	e.Aborted = e.Aborted || !turn.told
	out = append(out, d.Finish(e)...)
	d.Keep(kept)
	if diff := cmp.Diff(want, brief(d.written(t))); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	return out
}

// brief names what was written.
func brief(lines []map[string]any) []string {
	var all []string
	for _, m := range lines {
		method, _ := m["method"].(string)
		params, _ := m["params"].(map[string]any)
		result, _ := m["result"].(map[string]any)
		switch {
		case method == "session/new":
			method += fmt.Sprint(" ", params["cwd"])
		case method == "session/load", method == "session/resume":
			method += fmt.Sprint(" ", params["sessionId"])
		case method == "session/prompt":
			method += fmt.Sprint(" ", params["prompt"].([]any)[0].(map[string]any)["text"])
		case result["outcome"] != nil:
			o := result["outcome"].(map[string]any)
			method = fmt.Sprint("outcome ", o["outcome"])
			if o["optionId"] != nil {
				method = fmt.Sprint("outcome ", o["optionId"])
			}
		case m["error"] != nil:
			method = fmt.Sprint("refused ", m["error"].(map[string]any)["code"])
		case m["result"] != nil:
			method = fmt.Sprint("answered ", m["result"])
		}
		all = append(all, method)
	}
	return all
}

// The history of a session that goes on is none of the run's, and neither is what it has
// cost.
func TestLoadedRecordings(t *testing.T) {
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			all := exchange(t, name)
			session := ""
			var lines []string
			loading := false
			for i, p := range all {
				if i == 1 {
					lines = append(lines, string(p.Frame)) // the answer to initialize
				}
				if p.Method == "session/load" {
					loading = true
					var params struct{ SessionId string }
					_ = json.Unmarshal(p.Params, &params) // it was recorded
					session = params.SessionId
				}
				if loading && p.Dir == fixtures.FromServer {
					lines = append(lines, anyID.ReplaceAllString(string(p.Frame), `"id":1`))
				}
			}
			first := turns(all)[0]
			for _, p := range first.steps {
				if p.Method == "" {
					lines = append(lines, fenced, anyID.ReplaceAllString(string(p.Frame), `"id":3`))
					break
				}
			}
			spent := 1.5
			d := newDesk(Options{}, oneshot.Request[state]{Prompt: "go", State: state{Session: session, Cost: &spent}})
			events := enveloped(append(d.hear(lines...), d.Finish(oneshot.Ending{})...))
			judge(t, events)
			if text := verify.Text(events, "", executor.Assistant); text != "" {
				t.Errorf("the history is told: %q", text)
			}
			if done := events[len(events)-1].(executor.Done); done.Reason != executor.ReasonSuccess {
				t.Errorf("%+v", done)
			}
			if _, usd := verify.Spend(events, ""); usd != nil {
				t.Errorf("the history is billed: %v", *usd)
			}
			if diff := cmp.Diff([]string{"initialize", "session/load " + session, methodFence, "session/prompt go"}, brief(d.written(t))); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
		})
	}
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
		"whole": verify.Whole, "announced": verify.Announced, "input text": verify.InputText, "open": verify.OpenCalls,
	} {
		if found := rule(events); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// summarize is a run in a few lines: its events and what they say.
func summarize(events []executor.Event) string {
	var out strings.Builder
	for _, line := range showAll(events) {
		if r := []rune(line); len(r) > 160 {
			line = string(r[:160]) + "…"
		}
		fmt.Fprintf(&out, "  %s\n", line)
	}
	return out.String()
}

// showAll shows events, increments of text that follow each other as one.
func showAll(events []executor.Event) []string {
	var out []string
	said := ""
	flush := func() {
		if said != "" {
			out = append(out, fmt.Sprintf("text %q", said))
		}
		said = ""
	}
	for _, e := range events {
		if d, is := e.(executor.TextDelta); is && !d.OnReasoning() {
			said += d.Text
			continue
		}
		flush()
		out = append(out, show(e))
	}
	flush()
	return out
}

func show(e executor.Event) string {
	amount := func(usd *float64) string {
		if usd == nil {
			return "null"
		}
		return fmt.Sprintf("%.7f", *usd)
	}
	tokens := func(u executor.Usage) string {
		s := fmt.Sprintf("%d/%d", u.InputTokens, u.OutputTokens)
		if u.CachedInputTokens != nil {
			s += fmt.Sprintf(" cached %d", *u.CachedInputTokens)
		}
		return s
	}
	switch e := e.(type) {
	case executor.TextDelta:
		return fmt.Sprintf("thought %q", e.Text)
	case executor.ToolCall:
		return fmt.Sprintf("call %s %s %s", e.ID, e.Name, e.Input)
	case executor.ToolResult:
		word := "result"
		if e.IsError {
			word = "failed"
		}
		return fmt.Sprintf("%s %s %q", word, e.ID, e.Output)
	case executor.Status:
		return strings.TrimSpace(fmt.Sprintf("status %s %s %s", e.Phase, e.Model, e.Detail))
	case executor.Cost:
		return "cost " + amount(e.CostUSD) + " " + tokens(e.Usage)
	case executor.Error:
		return fmt.Sprintf("error %s fatal=%v %s", *e.Code, e.Fatal, e.Message)
	case executor.Done:
		s := fmt.Sprintf("done %s %q", e.Reason, e.Summary)
		if e.Usage != nil {
			s += " " + tokens(*e.Usage)
		}
		if usd, known := e.CostUSD.Get(); known {
			s += " " + amount(&usd)
		}
		return s
	}
	return "?"
}
