package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// scripted is a subject that answers with what the test writes down, by method.
func scripted(t *testing.T, said map[string]string) check.Subject {
	t.Helper()
	b, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	s, p, err := remote.Subject(t.Context(), self("scripted", string(b)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

func scriptedAdapter(t *testing.T, said map[string]string) executor.Adapter {
	t.Helper()
	in, err := scripted(t, said).Executor(t.Context(), fakes.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}
	return in.Adapter
}

// outcome is what a call came to, in words.
func outcome(f func() any) (said string) {
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprintf("panic: %v", p)
		}
	}()
	return fmt.Sprintf("%+v", f())
}

// Whatever a subject says, it is judged and not believed: a value of a wrong type is
// a finding.
func TestRawAnswers(t *testing.T) {
	start := func(a executor.Adapter) any {
		run, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s"})
		if run == nil {
			return fmt.Sprint("no run, ", err)
		}
		id, bound := run.ID()
		return fmt.Sprint(run.AdapterID(), " ", run.SessionKey(), " ", id, " ", bound)
	}
	next := func(a executor.Adapter) any {
		run, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s"})
		if err != nil {
			return err
		}
		e, err := a.Events(run).Next(t.Context())
		id, bound := run.ID()
		return fmt.Sprint(e != nil, " ", err, " ", id, " ", bound)
	}
	health := func(a executor.Adapter) any {
		h, err := a.Health(t.Context())
		return fmt.Sprint(h.OK, " ", h.Message, " ", err)
	}
	id := func(a executor.Adapter) any { return fmt.Sprintf("%q %q", a.ID(), a.ParticipantKind()) }
	const head = `"runId":"r","sessionId":null,"ts":1,"seq":0`
	for _, test := range []struct {
		name, method, says string
		ask                func(executor.Adapter) any
		want               string
	}{
		{"id", "adapter/id", `{"id":7,"participantKind":{"$adaptercheck":"promise"}}`, id, `"" ""`},
		{"id that throws", "adapter/id", `{"id":{"$adaptercheck":"throws"},"participantKind":"agent"}`, id, `"" "agent"`},
		{"id without anything", "adapter/id", `{}`, id, `"" ""`},
		{"answer that is no object", "adapter/id", `[]`, id, "panic: adapter/id: not the subject protocol: the answer has no object"},

		{"healthy", "adapter/health", `{"value":{"ok":true,"message":"fine"}}`, health, "true fine <nil>"},
		{"health rejected", "adapter/health", `{"rejected":{"name":"Error","message":"no"}}`, health, "false  rejected: Error: no"},
		{"health rejected with nothing", "adapter/health", `{"rejected":null}`, health, "false  rejected: : "},
		{"health is no object", "adapter/health", `{"value":true}`, health, "false  health: want an object"},
		{"health is a promise", "adapter/health", `{"value":{"$adaptercheck":"promise"}}`, health, "false  health: want an object"},
		{"ok is no boolean", "adapter/health", `{"value":{"ok":"yes"}}`, health, "false  health, field ok: want a boolean"},
		{"ok is missing", "adapter/health", `{"value":{}}`, health, "false  health, field ok: want a boolean"},
		{"message is no text", "adapter/health", `{"value":{"ok":true,"message":1}}`, health, "false  health, field message: want a string"},
		{"message is null", "adapter/health", `{"value":{"ok":true,"message":null}}`, health, "true  <nil>"},

		{"unbound", "adapter/start", `{"run":"x","handle":{"adapterId":"a","sessionKey":"k","runId":null}}`, start, "a k  false"},
		{"run id undefined", "adapter/start", `{"run":"x","handle":{"adapterId":"a","sessionKey":"k","runId":{"$adaptercheck":"undefined"}}}`, start, "a k  false"},
		{"bound", "adapter/start", `{"run":"x","handle":{"adapterId":"a","sessionKey":"k","runId":"r"}}`, start, "a k r true"},
		{"bound to a number", "adapter/start", `{"run":"x","handle":{"adapterId":"a","sessionKey":"k","runId":7}}`, start, "a k 7 true"},
		{"handle of wrong types", "adapter/start", `{"run":"x","handle":{"adapterId":1,"sessionKey":[],"runId":null}}`, start, "   false"},
		{"no handle", "adapter/start", `{"run":null,"handle":{"$adaptercheck":"undefined"}}`, start, "no run, <nil>"},
		{"handle is text", "adapter/start", `{"run":"x","handle":"h"}`, start, "no run, <nil>"},
		{"refused", "adapter/start", `{"rejected":{"name":"Error","message":"live","code":"busy"}}`, start, "no run, rejected: Error: live (code busy)"},

		{"event", "stream/next", `{"event":{` + head + `,"kind":"status","phase":"init"},"handle":{"runId":"r"}}`, next, "true <nil> r true"},
		{"event is a promise", "stream/next", `{"event":{"$adaptercheck":"promise"},"handle":{"runId":null}}`, next, "false event, field kind: missing: want a string  false"},
		{"event is null", "stream/next", `{"event":null,"handle":{}}`, next, "false event: wrong-type: want a JSON object  false"},
		{"number as text", "stream/next", `{"event":{"runId":"r","sessionId":null,"ts":"1","seq":0,"kind":"status","phase":"init"},"handle":{}}`, next, "false status event, field ts: wrong-type: want a whole number  false"},
		{"name twice", "stream/next", `{"event":{` + head + `,"kind":"status","kind":"status","phase":"init"},"handle":{}}`, next, "false event: syntax: want one JSON object without duplicate names  false"},
		{"function in a tool input", "stream/next", `{"event":{` + head + `,"kind":"tool-call","toolCallId":"t","name":"n","partial":false,"input":{"a":[{"$adaptercheck":"function"}]}},"handle":{}}`, next, "false tool-call event, field input: wrong-type: want a value that JSON can carry  false"},
		{"end", "stream/next", `{"end":true,"handle":{"runId":"r"}}`, next, "false EOF r true"},
		{"pull rejected", "stream/next", `{"rejected":{"name":"TypeError","message":"no"},"handle":{"runId":"r"}}`, next, "false rejected: TypeError: no r true"},
		{"nothing", "stream/next", `{}`, next, "false stream/next: not the subject protocol: the answer has no event, end or rejected  false"},
		{"no stream", "stream/open", `{"rejected":{"name":"Error","message":"unknown"}}`, next, "false rejected: Error: unknown  false"},
		{"stream is no name", "stream/open", `{"stream":{}}`, next, "false stream/open: not the subject protocol: the answer has no stream  false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := scriptedAdapter(t, map[string]string{test.method: test.says})
			if d := cmp.Diff(test.want, outcome(func() any { return test.ask(a) })); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A refusal has the meaning of its code.
func TestRejectionCodes(t *testing.T) {
	for code, want := range map[string]error{
		"busy": executor.ErrBusy, "disposed": executor.ErrDisposed, "unknown-run": executor.ErrUnknownRun, "unsupported": errors.ErrUnsupported,
	} {
		if err := error(&remote.Rejection{Code: code}); !errors.Is(err, want) {
			t.Errorf("%s is not %v", code, want)
		}
	}
	if errors.Is(&remote.Rejection{Message: "busy"}, executor.ErrBusy) {
		t.Error("a message is taken for a code")
	}
}

// What the subject itself could not do is held against no adapter: an error of the
// conversation leaves the check without a judgement, a part that is not there
// unobserved. A rejection is the adapter's own and is judged.
func TestSubjectThatCannotAsk(t *testing.T) {
	const rejected = `{"rejected":{"name":"Error","message":"no"}}`
	const speaks = `{"event":{"runId":"r","sessionId":null,"ts":1,"seq":1,"kind":"text-delta","text":"x","channel":"assistant"},"handle":{}}`
	for _, test := range []struct {
		check, method, says string
		want                report.State
	}{
		{"executor.health.answers", "adapter/health", "error -32601", report.InconclusiveCheck},
		{"executor.health.answers", "adapter/health", "error -32603", report.InconclusiveCheck},
		{"executor.health.answers", "adapter/health", rejected, report.Failed},
		{"executor.identity.participant-kind", "adapter/id", "error -32602", report.InconclusiveCheck},
		{"executor.capabilities.shape", "adapter/capabilities", "error -32603", report.InconclusiveCheck},
		{"executor.start.handle", "adapter/start", "error -32603", report.InconclusiveCheck},
		{"executor.start.handle", "adapter/start", rejected, report.Failed},
		{"executor.events.seq-increasing", "stream/next", "error -32603", report.InconclusiveCheck},
		{"executor.events.seq-increasing", "harness/emit", "error -32603", report.InconclusiveCheck},
		{"executor.events.seq-increasing", "harness/emit", `{"unplayable":true}`, report.Unobserved},
	} {
		t.Run(test.check+" "+test.method+" "+test.says, func(t *testing.T) {
			said := map[string]string{"stream/next": speaks, "harness/emit": `{}`}
			said[test.method] = test.says
			s := scripted(t, said)
			o := execute(t, s, test.check)
			if o.State != test.want {
				t.Errorf("%s %v, want %s: %v", o.State, o.Codes, test.want, o.Details)
			}
		})
	}
}

// A part that an adapter says it has, and has not, is unsupported.
func TestPartThatIsNotThere(t *testing.T) {
	for says, want := range map[string]error{
		"error -32601": errors.ErrUnsupported, "error -32005": errors.ErrUnsupported,
		`{"rejected":{"code":"unsupported"}}`: errors.ErrUnsupported, "error -32603": check.ErrNoJudgement,
		"error -32004": check.ErrNoSuchValue,
	} {
		a := scriptedAdapter(t, map[string]string{"instance/create": `{"id":"program","participantKind":"agent","parts":["dispose"]}`, "adapter/dispose": says})
		if err := a.(executor.Disposer).Dispose(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", says, err, want)
		}
	}
}

// execute executes one check.
func execute(t *testing.T, s check.Subject, id string) check.Outcome {
	t.Helper()
	for _, ch := range conformance.Checks(report.Executor) {
		if ch.ID == id {
			return check.Execute(t.Context(), ch, s)
		}
	}
	t.Fatalf("no check %s", id)
	return check.Outcome{}
}

// Parts that the subject's adapter does not have are not asked for.
func TestMissingParts(t *testing.T) {
	a := scriptedAdapter(t, nil)
	run := executor.NewRun("program", "s")
	_, err := a.(executor.SessionCodec).Serialize(t.Context(), run)
	_, errRestore := a.(executor.SessionCodec).Restore(t.Context(), "")
	for name, err := range map[string]error{
		"serialize": err, "restore": errRestore,
		"dispose": a.(executor.Disposer).Dispose(t.Context()),
		"approve": a.(executor.Approver).Approve(t.Context(), run, "q", true),
	} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is wrong with capabilities is found by a check, under a code of its own.
func TestCapabilitiesAreNamed(t *testing.T) {
	const right = `"streaming":true,"mcp":false,"worktrees":false,"resume":false,"toolApproval":false,"models":["m"]`
	for _, test := range []struct {
		name, says string
		want       string // code of executor.capabilities.shape; empty is none
	}{
		{"right", `{"value":{` + right + `,"contextWindowTokens":200000,"runtimeClass":"native","nativeHome":{"scope":"per-run","persist":true}}}`, ""},
		{"optional fields null", `{"value":{` + right + `,"steerable":null,"runtimeClass":null,"nativeHome":null}}`, ""},
		{"promise", `{"value":{"$adaptercheck":"promise"}}`, "capabilities-not-object"},
		{"nothing", `{"value":{"$adaptercheck":"undefined"}}`, "capabilities-not-object"},
		{"list", `{"value":[]}`, "capabilities-not-object"},
		{"models of another type", `{"value":{"streaming":true,"mcp":false,"worktrees":false,"resume":false,"toolApproval":false,"models":"m"}}`, "models-missing"},
		{"flag missing", `{"value":{"streaming":true,"models":[]}}`, "capability-flag-missing"},
		{"flag as text", `{"value":{"streaming":"true","mcp":false,"worktrees":false,"resume":false,"toolApproval":false,"models":[]}}`, "capability-flag-not-boolean"},
		{"optional flag as text", `{"value":{` + right + `,"steerable":"no"}}`, "capability-flag-not-boolean"},
		{"model is a number", `{"value":{"streaming":true,"mcp":false,"worktrees":false,"resume":false,"toolApproval":false,"models":[7]}}`, "model-blank"},
		{"window as text", `{"value":{` + right + `,"contextWindowTokens":"big"}}`, "context-window-negative"},
		{"window not whole", `{"value":{` + right + `,"contextWindowTokens":1.5}}`, "context-window-negative"},
		{"class is a number", `{"value":{` + right + `,"runtimeClass":1}}`, "runtime-class-unknown"},
		{"home is text", `{"value":{` + right + `,"nativeHome":"/root"}}`, "native-home-scope-unknown"},
		{"skills are a flag", `{"value":{` + right + `,"nativeSkills":true}}`, "native-preservation-unknown"},
		{"channels are null", `{"value":{` + right + `,"nativeChannels":null}}`, ""},
		{"channels are a list", `{"value":{` + right + `,"nativeChannels":[]}}`, "native-channels-unknown"},
		{"it throws", `{"rejected":{"name":"TypeError","message":"no"}}`, "capabilities-threw"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scripted(t, map[string]string{"adapter/capabilities": test.says})
			o := execute(t, s, "executor.capabilities.shape")
			var got []string
			for _, c := range o.Codes {
				got = append(got, string(c))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %s %v, want %q: %v", o.State, got, test.want, o.Details)
			}
		})
	}
}

// Whoever pulls may stop waiting; the event is the next one's, and the subject sees
// one pull.
func TestAbandonedPull(t *testing.T) {
	_, a := beginHere(t, self("late-pull"))
	run, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s"})
	if err != nil {
		t.Fatal(err)
	}
	s := a.Events(run)
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
	if h, err := a.Health(t.Context()); err != nil || h.Message != "1 pulls" {
		t.Errorf("%+v, %v", h, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e, err := s.Next(ctx)
	if err != nil || e.Head().Seq != 1 {
		t.Fatalf("got %v, %v", e, err)
	}
	if id, bound := run.ID(); id != "r" || !bound {
		t.Errorf("the handle shows %q, %t", id, bound)
	}
}

// beginHere makes one adapter.
func beginHere(t *testing.T, o remote.Options) (*remote.Process, executor.Adapter) {
	t.Helper()
	s, p, err := remote.Subject(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	in, err := s.Executor(t.Context(), fakes.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}
	return p, in.Adapter
}

// The same for the history contract.
func TestRawHistory(t *testing.T) {
	const hello = `{"protocol":"adaptercheck-subject-v1","name":"past","contracts":["history"],"features":[],"declares":{}}`
	const made = `{"identity":{"runtimeId":"r","adapterName":7,"adapterVersion":"1","contractVersion":"runtime-adapter-v1"},"expectedProjectRoot":"/p"}`
	snapshot := func(a history.Adapter) any {
		s, err := a.SnapshotHistory(t.Context())
		return fmt.Sprint(len(s.Messages), " ", err)
	}
	model := func(a history.Adapter) any {
		m, err := a.CurrentModel(t.Context())
		return fmt.Sprint(m != nil, " ", err)
	}
	root := func(a history.Adapter) any {
		r, err := a.TrustedProjectRoot(t.Context())
		return fmt.Sprint(r, " ", err)
	}
	enforce := func(a history.Adapter) any {
		r, err := a.EnforcePrivacy(t.Context(), history.PrivacyRequest{Provider: "p", Payload: func() {}})
		return fmt.Sprintf("%v %v %v", r.Destination, r.Payload, err)
	}
	complete := func(a history.Adapter) any {
		r, err := a.Complete(t.Context(), history.CompletionRequest{Provider: "p", Model: "m"})
		return fmt.Sprintf("%q %v %q %v", r.Status, r.Output, r.Code, err)
	}
	for _, test := range []struct {
		name, method, says string
		ask                func(history.Adapter) any
		want               string
	}{
		{"identity", "", "", func(a history.Adapter) any { return a.Identity() }, "{RuntimeID:r AdapterName: AdapterVersion:1 ContractVersion:runtime-adapter-v1}"},
		{"snapshot is a promise", "history/snapshot", `{"value":{"$adaptercheck":"promise"}}`, snapshot, "0 snapshot, field schemaVersion, near byte 27: missing: want the field"},
		{"snapshot is null", "history/snapshot", `{"value":null}`, snapshot, "0 history/snapshot: not the subject protocol: the answer has no snapshot"},
		{"snapshot rejected", "history/snapshot", `{"rejected":{"name":"Error","message":"corrupt"}}`, snapshot, "0 rejected: Error: corrupt"},
		{"no model", "history/model", `{"value":null}`, model, "false <nil>"},
		{"model undefined", "history/model", `{"value":{"$adaptercheck":"undefined"}}`, model, "false <nil>"},
		{"model is text", "history/model", `{"value":"gpt"}`, model, "false model: want an object with provider, id and contextWindow, or nothing"},
		{"root", "history/root", `{"value":"/p"}`, root, "/p <nil>"},
		{"root is a list", "history/root", `{"value":["/p"]}`, root, " trusted project root: want a string"},
		{"privacy", "history/enforcePrivacy", `{"value":{"provider":"p","destination":"remote","payload":{"a":[1]},"changed":true,"blockedBlocks":1,"secretRedactions":0}}`, enforce, "remote map[a:[1]] <nil>"},
		{"privacy of wrong types", "history/enforcePrivacy", `{"value":{"blockedBlocks":"many"}}`, enforce, " <nil> privacy result: a field has a wrong type"},
		{"privacy is a promise", "history/enforcePrivacy", `{"value":{"$adaptercheck":"promise"}}`, enforce, " <nil> privacy result: want an object"},
		{"completed", "history/complete", `{"value":{"status":"completed","output":{"a":1},"privacy":{"provider":"p"}}}`, complete, `"completed" map[a:1] "" <nil>`},
		{"fallback", "history/complete", `{"value":{"status":"fallback","code":"transport-failed","reason":"r","retryable":true}}`, complete, `"fallback" <nil> "transport-failed" <nil>`},
		{"completion of wrong types", "history/complete", `{"value":{"status":1}}`, complete, `"" <nil> "" completion: want an object with a status, and no field of a wrong type`},
		{"declarations are a promise", "history/declarations", `{"value":{"$adaptercheck":"promise"}}`, func(a history.Adapter) any { return len(a.CapabilityDeclarations()) }, "0"},
		{"declarations of wrong types", "history/declarations", `{"value":[7,{"id":"compaction","supported":"yes"}]}`, func(a history.Adapter) any { return a.CapabilityDeclarations() }, "[{ID: Supported:{text:} Version: Reason:} {ID:compaction Supported:{text:\"yes\"} Version: Reason:}]"},
		{"declarations throw", "history/declarations", `{"rejected":{"name":"Error","message":"no"}}`, func(a history.Adapter) any { return a.CapabilityDeclarations() }, "panic: rejected: Error: no"},
		{"negotiation of wrong types", "history/negotiate", `{"value":{"contractVersion":1,"statuses":[1,{"id":"compaction","supported":true}],"enabled":{}}}`, func(a history.Adapter) any {
			n := a.NegotiateCapabilities(nil)
			return fmt.Sprint(n.ContractVersion, len(n.Statuses), n.Statuses[1].Supported, len(n.Enabled))
		}, "2 true 0"},
		{"diagnostics are text", "history/diagnostics", `{"value":"none"}`, func(a history.Adapter) any { return len(a.Diagnostics()) }, "0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scripted(t, map[string]string{"initialize": hello, "instance/create": made, test.method: test.says})
			if s.Executor != nil {
				t.Error("it implements the executor contract")
			}
			in, err := s.History(t.Context(), check.Fixture{RuntimeID: "r"})
			if err != nil {
				t.Fatal(err)
			}
			if in.Root != "/p" || in.Source != nil {
				t.Errorf("root %q, source %v", in.Root, in.Source)
			}
			if d := cmp.Diff(test.want, outcome(func() any { return test.ask(in.Adapter) })); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A stream that is over is not pulled again.
func TestEndStays(t *testing.T) {
	a := scriptedAdapter(t, map[string]string{"stream/next": `{"end":true,"handle":{}}`})
	run, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s"})
	if err != nil {
		t.Fatal(err)
	}
	s := a.Events(run)
	for range 3 {
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("got %v", err)
		}
	}
}
