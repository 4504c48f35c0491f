//go:build unix

package hermes

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

const (
	native = "20260101_101112_abcdef"
	other  = "20260101_101113_fedcba"
	hello  = "say Hello."
	exit   = "err session_id: " + native
)

func TestAQuietRunFromStartToEnd(t *testing.T) {
	s := newStage(t, "hold main", hello, "err ", exit)
	run := s.start(executor.StartOpts{Message: "the message", Context: "the context", Model: "m-1"})
	if id, bound := run.ID(); bound {
		t.Errorf("bound to %q by start", id)
	}
	if run.AdapterID() != "hermes" || run.SessionKey() != "s1" {
		t.Errorf("handle of %q, session %q", run.AdapterID(), run.SessionKey())
	}
	stream := s.adapter.Events(run)
	s.Held("main")
	k := newKeeper(t, s.options.Home, schema)
	k.session(native, "", 100, 5, 30, 20, 0.5, priceEstimated)
	k.user(native, "the message")
	k.assistant(native, "", listing, "tool_calls")
	k.tool(native, "c1", "terminal", "a")
	k.assistant(native, "Hello.", "", "stop")
	s.LetGo("main")
	events := s.Rest(stream)
	id, bound := run.ID()
	if !bound || id == "" {
		t.Errorf("bound=%v to %q", bound, id)
	}
	session, model, cached, price := native, "m-1", int64(30), 0.5
	head := func(seq int64) executor.Envelope {
		return executor.Envelope{RunID: id, SessionID: &session, TS: 1234, Seq: seq}
	}
	usage := executor.Usage{InputTokens: 105, OutputTokens: 20, CachedInputTokens: &cached}
	want := []executor.Event{
		executor.ToolCall{Envelope: head(1), ID: "c1", Name: "terminal", Input: `{"command":"ls"}`},
		executor.ToolResult{Envelope: head(2), ID: "c1", Name: "terminal", Output: "a"},
		executor.TextDelta{Envelope: head(3), Text: "Hello.", Channel: executor.Assistant},
		executor.Cost{Envelope: head(4), Usage: usage, CostUSD: &price, Estimated: true, Model: &model},
		executor.Done{Envelope: head(5), Reason: executor.ReasonSuccess, Summary: "Hello.", Usage: &usage, CostUSD: executor.Value(0.5)},
	}
	if d := cmp.Diff(want, events, nullable); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	c := s.Calls()[0]
	if d := cmp.Diff([]string{"chat", "-q", "the context\n\nthe message", "-Q", "-m", "m-1"}, c.Args); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	if c.Stdin != "" || !c.Ended {
		t.Errorf("stdin %q, ended %v", c.Stdin, c.Ended)
	}
	if slices.Contains(c.Env, "HOST_SECRET") || !slices.Contains(c.Env, "API_KEY") || !slices.Contains(c.Env, "PATH") || !slices.Contains(c.Env, homeVariable) {
		t.Errorf("environment %v", c.Env)
	}
	if want, _ := filepath.EvalSymlinks(s.options.Dir); c.Dir != want {
		t.Errorf("directory %q, want %q", c.Dir, want)
	}
}

func TestAStreamFromStartToEnd(t *testing.T) {
	s := newStage(t)
	s.options.Format = FormatStream
	s.fresh("say "+initial, `say {"type":"text","text":"Hel"}`, "hold main", `say {"type":"text","text":"lo."}`,
		`say {"type":"result","session_id":"s2","exit_code":0,"text":"Hello.","tokens":{"input":1,"output":1}}`, "err session_id: s2")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	first := s.Next(stream)
	if status, is := first.(executor.Status); !is || status.Phase != executor.PhaseInit || *status.SessionID != "s1" {
		t.Errorf("first %+v", first)
	}
	s.Next(stream)
	s.Held("main")
	k := newKeeper(t, s.options.Home, schema)
	k.session("s1", "", 100, 0, 0, 20, 0.5, priceEstimated)
	k.assistant("s1", "", listing, "tool_calls") // the stream tells of tools; the books do not again
	k.compress("s1")
	k.session("s2", "s1", 10, 0, 0, 2, 0.25, priceEstimated)
	s.LetGo("main")
	events := s.Rest(stream)
	if d := cmp.Diff([]executor.Kind{"text-delta", "cost", "done"}, double.Kinds(events)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	for _, e := range events {
		if *e.Head().SessionID != "s1" {
			t.Errorf("the session changed within the run: %+v", e.Head())
		}
	}
	done := s.Ended(events)
	if usd, _ := done.CostUSD.Get(); usd != 0.75 || done.Usage.InputTokens != 110 {
		t.Errorf("done %+v", done)
	}
	blob, err := s.adapter.Serialize(t.Context(), run)
	if want := `{"v":1,"sessionKey":"s1","session":"s2"}`; err != nil || blob != want {
		t.Errorf("blob %s, %v; want %s", blob, err, want)
	}
	if d := cmp.Diff([]string{"chat", "-q", "go", "--format", "stream-json"}, s.Calls()[0].Args); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
}

func TestHowRunsEnd(t *testing.T) {
	tests := []struct {
		name    string
		finish  string // of the answer, in the books
		steps   []string
		reason  executor.Reason
		code    string
		message string // all of it
	}{
		{"success", "stop", []string{hello, exit}, executor.ReasonSuccess, "", ""},
		{"success without books", "", []string{hello, exit}, executor.ReasonSuccess, "", ""},
		{"success without a session", "", []string{hello}, executor.ReasonSuccess, "", ""},
		{"success of a process that closes stdout and stays", "", []string{hello, exit, "close", "hold main"}, executor.ReasonSuccess, "", ""},
		{"stderr is no failure", "", []string{"err Error: noise", hello, exit}, executor.ReasonSuccess, "", ""},
		{"an answer, and a failure", "", []string{hello, exit, "exit 1"}, executor.ReasonError, executor.CodeExit, "hermes failed (exit code 1)"},
		{"a failure with a secret", "", []string{"err Error: key canary-key-123 is no good", exit, "exit 1"}, executor.ReasonError, executor.CodeExit, "hermes failed (exit code 1): Error: key [redacted] is no good"},
		{"interrupted by somebody else", "", []string{exit, "exit 130"}, executor.ReasonError, executor.CodeExit, "hermes failed (exit code 130)"},
		{"killed by somebody else", "", []string{hello, "die 9"}, executor.ReasonError, executor.CodeExit, "hermes failed (signal SIGKILL)"},
		{"terminated by somebody else", "", []string{hello, "die 15"}, executor.ReasonError, executor.CodeExit, "hermes failed (signal SIGTERM)"},
		{"nothing said", "", []string{exit}, executor.ReasonError, executor.CodeEmptyOutput, "hermes said nothing (exit code 0)"},
		{"an early version that fails with 0", "", []string{"err Error: no such model", exit}, executor.ReasonError, executor.CodeEmptyOutput, "hermes said nothing (exit code 0): Error: no such model"},
		{"an answer that is cut", "length", []string{hello, exit}, executor.ReasonError, executor.CodeTokenLimit, "the answer was cut by a length limit"},
		{"an early version whose answer is a failure", "error", []string{hello, exit}, executor.ReasonError, executor.CodeRuntime, "the model failed, and the answer says so"},
		{"an answer that is withheld", "content_filter", []string{hello, exit}, executor.ReasonError, executor.CodeRuntime, "the answer was withheld by a content filter"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, append([]string{"hold begin"}, test.steps...)...)
			run := s.start(executor.StartOpts{})
			s.Held("begin")
			if test.finish != "" {
				k := newKeeper(t, s.options.Home, schema)
				k.session(native, "", 1, 0, 0, 1, 0, "")
				k.assistant(native, "Hello.", "", test.finish)
			}
			s.LetGo("begin")
			events := s.Rest(s.adapter.Events(run))
			d := s.Ended(events)
			if d.Reason != test.reason {
				t.Errorf("reason %q, want %q", d.Reason, test.reason)
			}
			if slices.Contains(test.steps, hello) && d.Summary != "Hello." {
				t.Errorf("summary %q", d.Summary)
			}
			errs := s.FatalErrors(events)
			if test.code == "" {
				if len(errs) != 0 {
					t.Errorf("fatal errors %v", errs)
				}
				return
			}
			if len(errs) != 1 || *errs[0].Code != test.code || errs[0].Message != test.message {
				t.Errorf("fatal errors %v, want one with code %s and %q", errs, test.code, test.message)
			}
		})
	}
}

// A run without an answer costs what it costs.
func TestAnAbortedRunIsBilled(t *testing.T) {
	s := newStage(t, "hold main")
	k := newKeeper(t, s.options.Home, schema)
	k.session(native, "", 100, 0, 0, 20, 0.5, priceEstimated)
	if _, err := s.adapter.Restore(t.Context(), `{"v":1,"sessionKey":"s1","session":"`+native+`"}`); err != nil {
		t.Fatal(err)
	}
	run := s.start(executor.StartOpts{})
	s.Held("main")
	k.session(native, "", 150, 0, 0, 25, 0.75, priceEstimated)
	k.assistant(native, "", listing, "tool_calls")
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	events := s.Rest(s.adapter.Events(run))
	if d := cmp.Diff([]executor.Kind{"tool-call", "tool-result", "cost", "done"}, double.Kinds(events)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	d := s.Ended(events)
	if usd, _ := d.CostUSD.Get(); d.Reason != executor.ReasonAborted || usd != 0.25 || d.Usage.InputTokens != 50 {
		t.Errorf("done %+v", d)
	}
	if r, is := events[1].(executor.ToolResult); !is || !r.IsError || r.ID != "c1" {
		t.Errorf("the open call was not closed: %+v", events[1])
	}
}

func TestAbort(t *testing.T) {
	tests := []struct {
		name  string
		steps []string
	}{
		{"obedient", []string{hello, "hold main"}},
		{"deaf", []string{"deaf", hello, "hold main"}},
		{"the runtime succeeds all the same", []string{"deaf", hello, "tool", "hold main", exit}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, test.steps...)
			run := s.start(executor.StartOpts{})
			stream := s.adapter.Events(run)
			s.Held("main")
			if slices.Contains(test.steps, "tool") {
				s.Held("tool")
			}
			for range 2 {
				if err := s.adapter.Abort(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			}
			if slices.Contains(test.steps, exit) {
				s.LetGo("main")
			}
			events := s.Rest(stream)
			if d := s.Ended(events); d.Reason != executor.ReasonAborted || d.Summary != "Hello." {
				t.Errorf("done %+v", d)
			}
			if errs := s.FatalErrors(events); len(errs) != 0 {
				t.Errorf("fatal errors %v", errs)
			}
			if err := s.adapter.Abort(t.Context(), run); err != nil {
				t.Errorf("after the end: %v", err)
			}
			if slices.Contains(test.steps, "tool") {
				s.Gone("tool")
			}
		})
	}
}

func TestAbortBeforeAnythingIsSaid(t *testing.T) {
	s := newStage(t, "hold main")
	run := s.start(executor.StartOpts{})
	if err := s.adapter.Abort(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	events := s.Rest(s.adapter.Events(run))
	if d := s.Ended(events); len(events) != 1 || d.Reason != executor.ReasonAborted || d.RunID == "" {
		t.Errorf("events %v, done %+v", double.Kinds(events), d)
	}
	s.fresh(hello, exit)
	if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonSuccess {
		t.Error("the session does not start again")
	}
}

// The tools are looked for when the answer comes, which is more here than a pipe holds.
func TestToolsThatOutliveTheProcessAreEnded(t *testing.T) {
	s := newStage(t, "tool", "hold main", "fill 300000", "hold again", exit)
	run := s.start(executor.StartOpts{})
	s.Held("tool")
	s.LetGo("main")
	s.LetGo("again")
	if d := s.Ended(s.Rest(s.adapter.Events(run))); d.Reason != executor.ReasonSuccess {
		t.Errorf("done %+v", d)
	}
	s.Gone("tool")
}

func TestStartIsRefused(t *testing.T) {
	s := newStage(t, "hold main", hello, exit)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for name, opts := range map[string]executor.StartOpts{
		"no session key": {Message: "m"},
		"a flag":         {SessionKey: "s", Message: "m", Model: "--yolo"},
	} {
		for range 2 { // not busy after the first
			if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, opts); err == nil || errors.Is(err, executor.ErrBusy) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	run := s.start(executor.StartOpts{})
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s1", Message: "m"}); !errors.Is(err, executor.ErrBusy) {
		t.Errorf("live session: %v", err)
	}
	second := s.start(executor.StartOpts{SessionKey: "s2"}) // another session is free
	s.Held("main")
	s.Rename("main", "first")
	s.LetGo("main")
	s.LetGo("first")
	for _, r := range []*executor.Run{run, second} {
		if d := s.Ended(s.Rest(s.adapter.Events(r))); d.Reason != executor.ReasonSuccess {
			t.Errorf("done %+v", d)
		}
	}
}

func TestPromptsThatNoArgumentCanHold(t *testing.T) {
	for name, message := range map[string]string{"long": strings.Repeat("word ", 60_000), "zero byte": "a\x00b"} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, hello, exit)
			s.run(executor.StartOpts{Message: message})
			c := s.Calls()[0]
			if d := cmp.Diff([]string{"chat", "--query-file", "-", "-Q"}, c.Args); d != "" || c.Stdin != message {
				t.Errorf("%d bytes of stdin, arguments (-want +got):\n%s", len(c.Stdin), d)
			}
		})
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	start := func(o Options) error {
		_, err := New(o).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"})
		return err
	}
	command := filepath.Join(dir, "hermes")
	if err := start(Options{Command: []string{command}, Dir: dir, Home: dir}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if err := os.WriteFile(command, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := start(Options{Command: []string{command}, Dir: dir, Home: dir}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("not executable: %v", err)
	}
	if err := start(Options{Command: []string{"no-such-hermes-anywhere"}, Home: dir}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("not found: %v", err)
	}
	for _, o := range []Options{{Format: "json"}, {Env: []string{"KEY"}}} {
		if err := start(o); err == nil {
			t.Errorf("options %+v were taken", o)
		}
	}
	if d := cmp.Diff([]string{"hermes"}, files(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// Two processes of one session count what each spent, once, and tell of the tools of
// each, once.
func TestResumeAndCosts(t *testing.T) {
	s := newStage(t, hello, exit)
	k := newKeeper(t, s.options.Home, schema)
	run, _ := s.run(executor.StartOpts{})
	k.session(native, "", 100, 0, 30, 20, 0.5, priceEstimated)
	k.assistant(native, "", listing, "tool_calls")
	blob, err := s.adapter.Serialize(t.Context(), run)
	if want := `{"v":1,"sessionKey":"s1","session":"` + native + `"}`; err != nil || blob != want {
		t.Errorf("blob %s, %v; want %s", blob, err, want)
	}

	s.fresh("hold main", hello, exit)
	restored, err := s.adapter.Restore(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.adapter.Events(restored).Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("the restored handle has a stream: %v", err)
	}
	if again, err := s.adapter.Serialize(t.Context(), restored); err != nil || again != blob {
		t.Errorf("serialized again: %s, %v", again, err)
	}
	run = s.start(executor.StartOpts{})
	s.Held("main")
	k.session(native, "", 150, 0, 60, 25, 0.75, priceEstimated)
	s.LetGo("main")
	events := s.Rest(s.adapter.Events(run))
	if d := cmp.Diff([]executor.Kind{"text-delta", "cost", "done"}, double.Kinds(events)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	d := s.Ended(events)
	if usd, _ := d.CostUSD.Get(); usd != 0.25 || d.Usage.InputTokens != 50 || *d.Usage.CachedInputTokens != 30 || d.Usage.OutputTokens != 5 {
		t.Errorf("done %+v, usage %+v", d, d.Usage)
	}
	if args := s.Calls()[1].Args; args[len(args)-2] != "--resume" || args[len(args)-1] != native {
		t.Errorf("arguments %q", args)
	}
}

// The session goes on under the id that compression gave it.
func TestASessionThatWasCompressedGoesOn(t *testing.T) {
	s := newStage(t, hello, "err session_id: "+other)
	k := newKeeper(t, s.options.Home, schema)
	k.session(native, "", 1, 0, 0, 1, 0, "")
	k.session(other, native, 1, 0, 0, 1, 0, "")
	if _, err := s.adapter.Restore(t.Context(), `{"v":1,"sessionKey":"s1","session":"`+native+`"}`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.run(executor.StartOpts{})
	}
	if calls := s.Calls(); !slices.Contains(calls[0].Args, native) || !slices.Contains(calls[1].Args, other) {
		t.Errorf("arguments %q, %q", calls[0].Args, calls[1].Args)
	}
}

func TestASessionThatTheRuntimeLostIsForgotten(t *testing.T) {
	refused := `say {"type":"result","session_id":"` + native + `","exit_code":1,"text":"","error":"credentials or agent init failed"}`
	tests := []struct {
		name, format string
		books        bool
		steps        []string
	}{
		{"quiet", FormatQuiet, true, []string{"say Session not found: " + native, "exit 1"}},
		{"quiet, and there are no books", FormatQuiet, false, []string{"err Session not found: " + native, "exit 1"}},
		{"stream", FormatStream, true, []string{refused, exit, "exit 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t)
			s.options.Format = test.format
			s.fresh(test.steps...)
			if test.books {
				newKeeper(t, s.options.Home, schema)
			}
			if _, err := s.adapter.Restore(t.Context(), `{"v":1,"sessionKey":"s1","session":"`+native+`"}`); err != nil {
				t.Fatal(err)
			}
			if _, events := s.run(executor.StartOpts{}); s.Ended(events).Reason != executor.ReasonError {
				t.Error("the loss was not told")
			}
			s.run(executor.StartOpts{})
			if calls := s.Calls(); !slices.Contains(calls[0].Args, native) || slices.Contains(calls[1].Args, native) {
				t.Errorf("arguments %+v", calls)
			}
		})
	}
}

func TestASessionIsKeptThroughAFailure(t *testing.T) {
	tests := []struct {
		name  string
		books bool
		steps []string
	}{
		{"one that the books have", true, []string{"err Error: no network", "exit 1"}},
		{"one that Hermes names, where the books are not found", false, []string{"err Error: no network", exit, "exit 1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, test.steps...)
			if test.books {
				k := newKeeper(t, s.options.Home, schema)
				k.session(native, "", 1, 0, 0, 1, 0, "")
			}
			if _, err := s.adapter.Restore(t.Context(), `{"v":1,"sessionKey":"s1","session":"`+native+`"}`); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				s.run(executor.StartOpts{})
			}
			if c := s.Calls()[1]; !slices.Contains(c.Args, native) {
				t.Errorf("arguments %q", c.Args)
			}
		})
	}
}

func TestRestoreRefuses(t *testing.T) {
	a := New(Options{})
	for name, blob := range map[string]string{
		"empty":           "",
		"not JSON":        "{",
		"null":            "null",
		"another version": `{"v":2,"sessionKey":"s","session":"` + native + `"}`,
		"no session key":  `{"v":1,"session":"` + native + `"}`,
		"a title":         `{"v":1,"sessionKey":"s","session":"my last session"}`,
		"a word for one":  `{"v":1,"sessionKey":"s","session":"latest"}`,
		"a flag":          `{"v":1,"sessionKey":"s","session":"--yolo"}`,
		"a key twice":     `{"v":1,"v":1,"sessionKey":"s","session":""}`,
		"an unknown key":  `{"v":1,"sessionKey":"s","session":"","more":1}`,
		"two values":      `{"v":1,"sessionKey":"s","session":""}{}`,
	} {
		if run, err := a.Restore(t.Context(), blob); err == nil {
			t.Errorf("%s: taken as %v", name, run)
		}
	}
}

func TestModelAndContextReachTheNextRun(t *testing.T) {
	s := newStage(t, hello)
	run, _ := s.run(executor.StartOpts{})
	if err := s.adapter.SetModel(t.Context(), run, "m-2"); err != nil {
		t.Fatal(err)
	}
	for _, kv := range [][2]string{{"NOTES.md", "old"}, {"dir/MORE.md", "more"}, {"NOTES.md", "contract-context"}} {
		if err := s.adapter.WriteContext(t.Context(), run, kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	s.run(executor.StartOpts{Message: "second", Context: "ctx"})
	s.run(executor.StartOpts{Message: "third", Model: "m-3"})
	want := [][]string{
		{"chat", "-q", "go", "-Q"},
		{"chat", "-q", "NOTES.md:\ncontract-context\n\ndir/MORE.md:\nmore\n\nctx\n\nsecond", "-Q", "-m", "m-2"},
		{"chat", "-q", "third", "-Q", "-m", "m-3"},
	}
	var got [][]string
	for _, c := range s.Calls() {
		got = append(got, c.Args)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	if err := s.adapter.WriteContext(t.Context(), run, "../x", "v"); err == nil {
		t.Error("a key that leads out was taken")
	}
}

func TestUnknownHandles(t *testing.T) {
	a := New(Options{})
	for _, run := range []*executor.Run{nil, executor.NewRun("hermes", "s1")} {
		if _, err := a.Events(run).Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("events: %v", err)
		}
		_, serialize := a.Serialize(t.Context(), run)
		for name, err := range map[string]error{
			"abort": a.Abort(t.Context(), run), "model": a.SetModel(t.Context(), run, "m"),
			"context": a.WriteContext(t.Context(), run, "k", "v"), "serialize": serialize,
		} {
			if !errors.Is(err, executor.ErrUnknownRun) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestDispose(t *testing.T) {
	s := newStage(t, "hold main")
	run := s.start(executor.StartOpts{})
	stream := s.adapter.Events(run)
	s.Held("main")
	for range 2 {
		if err := s.adapter.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if d := s.Ended(s.Rest(stream)); d.Reason != executor.ReasonAborted {
		t.Errorf("done %+v", d)
	}
	s.Gone("main")
	if _, err := s.adapter.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "m"}); !errors.Is(err, executor.ErrDisposed) {
		t.Errorf("start: %v", err)
	}
}

func TestHealth(t *testing.T) {
	tests := []struct {
		name  string
		steps []string
		want  executor.Health
	}{
		{"well", []string{"say Hermes Agent v0.15.2"}, executor.Health{OK: true}},
		{"failing", []string{"err canary", "exit 1"}, executor.Health{Message: "the hermes command answered with a failure"}},
		{"hanging", []string{"deaf", "hold main"}, executor.Health{Message: "the hermes command did not answer in time"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, test.steps...)
			s.options.HealthTimeout = 20 * time.Second
			if test.name == "hanging" {
				s.options.HealthTimeout = 200 * time.Millisecond
			}
			got, err := New(s.options).Health(t.Context())
			if got != test.want || err != nil {
				t.Errorf("%+v, %v; want %+v", got, err, test.want)
			}
			if test.name == "well" {
				if d := cmp.Diff([]string{"--version"}, s.Calls()[0].Args); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func TestRunsLeaveNoFilesOpen(t *testing.T) {
	s := newStage(t, hello, exit)
	k := newKeeper(t, s.options.Home, schema)
	k.session(native, "", 1, 0, 0, 1, 0, "")
	s.run(executor.StartOpts{})
	before := s.Files()
	for range 5 {
		s.run(executor.StartOpts{})
	}
	if err := s.adapter.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := s.Files(); after > before {
		t.Errorf("%d files open, %d before", after, before)
	}
}
