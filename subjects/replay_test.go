package subjects_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	adapter "github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// What the real Codex printed, through a real child process and the adapter: each
// recording has its right list of events.
func TestCodexRecordings(t *testing.T) {
	const list, ls = `{"command":"/bin/bash -lc 'ls -1'"}`, "a.txt\nb.txt\nnew.txt\n"
	for name, want := range map[string][]string{
		"text": {
			"status init", "status running", `text "Hello from the fake provider."`,
			"cost 70+30 in, 20 out, price unknown", `done success "Hello from the fake provider."`,
		},
		"tool1": {
			"status init", "status running", `text "I will list the directory."`,
			"call item_1 shell " + list, fmt.Sprintf("result item_1 shell %q", ls), `text "\n\nThe directory has two files."`,
			"cost 140+60 in, 40 out, price unknown", `done success "The directory has two files."`,
		},
		"parallel": {
			"status init", "status running", `text "Two at once."`,
			`call item_1 shell {"command":"/bin/bash -lc 'echo one'"}`, `result item_1 shell "one\n"`,
			`call item_2 shell {"command":"/bin/bash -lc 'echo two'"}`, `result item_2 shell "two\n"`,
			`text "\n\nBoth done."`, "cost 140+60 in, 40 out, price unknown", `done success "Both done."`,
		},
		"err401":        {"status init", "status running", "status running retry", "error runtime-error fatal", `done error ""`},
		"cut":           {"status init", "status running", "status running retry", "error runtime-error fatal", `done error ""`},
		"sigint-stream": {"status init", "status running", `done aborted ""`},
		"incomplete": {
			"status init", "status running", `text "This is cut by max tok"`, "error token-limit fatal", `done error "This is cut by max tok"`,
		},
		// The answer that comes again after a reconnect is said once.
		"cutafteritem": {
			"status init", "status running", `text "A whole item, then cut."`, "status running retry", "error runtime-error fatal", `done error "A whole item, then cut."`,
		},
		// A call that never ended is closed before the done.
		"orphantool": {
			"status init", "status running", `call item_0 shell {"command":"/bin/bash -lc 'sleep 20; echo done'"}`, `text "Did not wait."`,
			"cost 140+60 in, 40 out, price unknown", `result item_0 shell "the run ended before the tool did" failed`, `done success "Did not wait."`,
		},
		"toolfail": {
			"status init", "status running", `call item_0 shell {"command":"/bin/bash -lc 'ls /no/such/dir; exit 3'"}`,
			`result item_0 shell "ls: cannot access '/no/such/dir': No such file or directory\n" failed`, `text "It failed."`,
			"cost 140+60 in, 40 out, price unknown", `done success "It failed."`,
		},
		"thinking": {
			"status init", "status running", `think "**Thinking** about this."`, `text "Thought about it."`,
			"cost 70+30 in, 20 out, price unknown", `done success "Thought about it."`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recording, err := fixtures.Load("codex-0.171.0", name)
			if err != nil {
				t.Fatal(err)
			}
			events := replay(t, recording)
			for _, f := range verify.Whole(events) {
				t.Errorf("event %d: %s", f.Index, f.Code)
			}
			if diff := cmp.Diff(want, brief(events)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// replay runs the adapter on a child that prints the recording, and aborts where
// the recording was interrupted.
func replay(t *testing.T, r fixtures.Recording) []executor.Event {
	t.Helper()
	interrupted := slices.ContainsFunc(r.Actions, func(a fixtures.Action) bool { return a.Signal == "SIGINT" })
	o := codex.Options{Recording: r.Stdout, WaitSignal: interrupted}
	if r.Exit != nil {
		o.Exit = *r.Exit
	}
	runtime, err := codex.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.Close()
	at := runtime.Endpoint()
	a := adapter.New(adapter.Options{Command: at.Command, Env: at.Env, Home: at.Dir, Dir: t.TempDir(), Grace: 100 * time.Millisecond})
	defer a.Dispose(t.Context())
	handle, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "go"})
	if err != nil {
		t.Fatal(err)
	}
	var events []executor.Event
	for e, err := range executor.All(t.Context(), a.Events(handle)) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
		if s, ok := e.(executor.Status); ok && s.Phase == executor.PhaseRunning && interrupted {
			if err := a.Abort(t.Context(), handle); err != nil {
				t.Fatal(err)
			}
		}
	}
	return events
}

// brief writes each event down in a line.
func brief(events []executor.Event) []string {
	v := &lines{}
	for _, e := range events {
		e.Accept(v)
	}
	return v.out
}

type lines struct{ out []string }

func (l *lines) add(format string, args ...any) { l.out = append(l.out, fmt.Sprintf(format, args...)) }

func (l *lines) VisitTextDelta(e executor.TextDelta) {
	if e.OnReasoning() {
		l.add("think %q", e.Text)
		return
	}
	l.add("text %q", e.Text)
}

func (l *lines) VisitToolCall(e executor.ToolCall) { l.add("call %s %s %s", e.ID, e.Name, e.Input) }

func (l *lines) VisitToolResult(e executor.ToolResult) {
	failed := ""
	if e.IsError {
		failed = " failed"
	}
	l.add("result %s %s %q%s", e.ID, e.Name, e.Output, failed)
}

func (l *lines) VisitStatus(e executor.Status) {
	if e.Detail != "" {
		l.add("status %s %s", e.Phase, e.Detail)
		return
	}
	l.add("status %s", e.Phase)
}

func (l *lines) VisitCost(e executor.Cost) {
	cached := int64(0)
	if e.Usage.CachedInputTokens != nil {
		cached = *e.Usage.CachedInputTokens
	}
	price := "price unknown"
	if e.CostUSD != nil {
		price = fmt.Sprint(*e.CostUSD)
	}
	l.add("cost %d+%d in, %d out, %s", e.Usage.InputTokens, cached, e.Usage.OutputTokens, price)
}

func (l *lines) VisitDone(e executor.Done) { l.add("done %s %q", e.Reason, e.Summary) }

func (l *lines) VisitError(e executor.Error) {
	code, fatal := "-", ""
	if e.Code != nil {
		code = *e.Code
	}
	if e.Fatal {
		fatal = " fatal"
	}
	l.add("error %s%s", code, fatal)
}
