package openclaw

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sees is what a stream is expected to show up to its run's done.
func sees(t *testing.T, s executor.Stream, want string) []executor.Event {
	t.Helper()
	events := seen(t, s, isDone)
	if d := cmp.Diff(want, outline(events)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if found := verify.Whole(events); len(found) > 0 {
		t.Errorf("%v", found)
	}
	return events
}

func TestARunFromStartToDone(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	g.answer("chat.history", func(c call) any {
		run := g.called("chat.send")[0].get("idempotencyKey")
		return fields{"messages": []fields{
			{"role": "assistant", "content": "earlier", "usage": fields{"input": 900, "output": 9}, "__openclaw": fields{"runId": "another"}},
			{"role": "user", "content": "hi", "idempotencyKey": run + ":user"},
			{"role": "assistant", "provider": "fake", "model": "m1", "usage": fields{"input": 10, "output": 2, "cacheRead": 5, "cost": fields{"total": 0.5}}, "__openclaw": fields{"runId": run}},
			{"role": "assistant", "provider": "fake", "model": "m1", "usage": fields{"input": 20, "output": 3, "cost": fields{"total": 0}}, "__openclaw": fields{"runId": run}},
			{"role": "assistant", "model": "gateway-injected", "usage": fields{"input": 0, "output": 0}, "__openclaw": fields{"runId": run}},
		}}
	})
	run, p, id := g.begin(a)
	if _, bound := run.ID(); bound {
		t.Error("bound by the acknowledgement")
	}
	s := a.Events(run)
	if _, bound := run.ID(); bound {
		t.Error("bound by subscribing")
	}
	p.start(id)
	seen(t, s, is(executor.KindStatus))
	if got, _ := run.ID(); got != id {
		t.Errorf("bound to %q, want %q", got, id)
	}
	p.agent(id, "assistant", fields{"text": "Hel", "delta": "Hel"})
	p.text(id, "Hel", "Hel")
	p.text(id, "Hello", "lo")
	p.agent(id, "lifecycle", fields{"phase": "end"})
	p.final(id, "Hello")
	p.text(id, "Hello and on", " and on")
	p.agent(id, "lifecycle", fields{"phase": "error", "error": "late"})
	events := sees(t, s, `running, "Hel", "lo", cost, cost, done success "Hello"`)
	usage, usd := verify.Spend(events, "")
	if usd != nil || usage.InputTokens != 30 || usage.OutputTokens != 5 || *usage.CachedInputTokens != 5 {
		t.Errorf("spend %+v, price %v", usage, usd)
	}
	done := events[len(events)-1].(executor.Done)
	if _, known := done.CostUSD.Get(); known || !done.CostUSD.Present() || *done.SessionID != "native-1" {
		t.Errorf("%+v", done)
	}
}

// A stream goes on over the runs of its session, each under its own id; a late one
// begins with its own run.
func TestAStreamGoesOnOverRuns(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	first, p, id1 := g.begin(a)
	s := a.Events(first)
	p.final(id1, "one")
	sees(t, s, `init, "one", done success "one"`)

	started := g.starting(a, executor.StartOpts{SessionKey: "s", Message: "again"})
	id2 := p.accept()
	second := started()
	late := a.Events(second)
	p.final(id2, "two")
	events := sees(t, s, `init, "two", done success "two"`)
	sees(t, late, `init, "two", done success "two"`)
	if events[0].Head().RunID != id2 || events[0].Head().Seq <= 3 {
		t.Errorf("second run: %+v", events[0].Head())
	}
	if got, _ := first.ID(); got != id1 {
		t.Errorf("the first handle became %q", got)
	}
	for _, s := range []executor.Stream{s, late} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("after close: %v", err)
		}
	}
}

// Sessions share the connection. Frames of others, and answers to nobody, are nothing.
func TestManySessionsOnOneConnection(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	const n = 20
	var started []func() *executor.Run
	for i := range n {
		started = append(started, g.starting(a, executor.StartOpts{SessionKey: fmt.Sprintf("s%d", i), Message: "hi"}))
	}
	p := g.connected()
	var sends []call
	for range n {
		sends = append(sends, p.next("chat.send"))
	}
	p.raw(`{"type":"res","id":"nobody","ok":true,"payload":{"runId":"x"}}`)
	p.raw(`{"type":"res","id":7,"ok":true}`)
	p.chat("foreign", "delta", fields{"message": assistant("foreign")})
	keys := map[string]string{}   // run by session
	for i := n - 1; i >= 0; i-- { // out of order
		id := sends[i].get("idempotencyKey")
		keys[sends[i].get("sessionKey")] = id
		p.ok(sends[i], fields{"runId": id, "status": "started"})
	}
	for i := range n {
		run := started[i]()
		s := a.Events(run)
		id := keys[fmt.Sprintf("agent:main:s%d", i)]
		p.final(id, "text of "+id)
		sees(t, s, fmt.Sprintf(`init, %q, done success %[1]q`, "text of "+id))
	}
	if n := len(g.called("connect")); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestStartGoesByTheFirstEventToo(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	started := g.starting(a, executor.StartOpts{SessionKey: "s", Message: "hi"})
	p := g.connected()
	id := p.next("chat.send").get("idempotencyKey")
	p.start(id)
	s := a.Events(started())
	p.final(id, "x")
	sees(t, s, `init, running, "x", done success "x"`)
}

func TestAcknowledgements(t *testing.T) {
	for name, c := range map[string]struct {
		payload any
		refused bool
	}{
		"started":       {fields{"runId": "r", "status": "started"}, false},
		"queued":        {fields{"runId": "r", "status": "queued"}, false},
		"new word":      {fields{"runId": "r", "status": "begun-2031"}, false},
		"no status":     {fields{"runId": "r"}, false},
		"in flight":     {fields{"runId": "r", "status": "in_flight"}, false},
		"finished":      {fields{"runId": "r", "status": "ok"}, false},
		"no run":        {fields{"status": "started"}, true},
		"empty":         {fields{}, true},
		"nothing":       {nil, true},
		"a word":        {"started", true},
		"not accepted":  {fields{"runId": "r", "accepted": false}, true},
		"dropped":       {fields{"runId": "r", "status": "dropped"}, true},
		"no active run": {fields{"status": "no-active-run"}, true},
		"failed":        {fields{"runId": "r", "status": "error"}, true},
	} {
		text, _ := json.Marshal(c.payload)
		if _, err := readAck(text); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARefusedStart(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	a := g.adapter(o)
	g.answer("chat.send", func(call) any { return refusal{code: "INVALID_REQUEST", message: "no: " + o.Token} })
	_, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"})
	var refused *GatewayError
	if !errors.As(err, &refused) || refused.Code != "INVALID_REQUEST" || strings.Contains(err.Error(), o.Token) {
		t.Errorf("%v", err)
	}
	g.answer("chat.send", func(c call) any { return fields{"runId": c.get("idempotencyKey"), "status": "started"} })
	if _, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"}); err != nil {
		t.Errorf("the session is not free: %v", err)
	}
	if n := len(g.called("chat.abort")); n != 0 {
		t.Errorf("%d aborts of a run that never was", n)
	}
	if _, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"}); !errors.Is(err, executor.ErrBusy) {
		t.Errorf("second start: %v", err)
	}
	p := g.connected()
	g.answer("chat.abort", func(c call) any { // of dispose
		p.chat(c.get("runId"), "aborted", nil)
		return fields{"aborted": true}
	})
}

// A start that is given up may have begun a run, which is told to stop.
func TestAStartThatIsNotAnswered(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := a.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"})
		failed <- err
	}()
	p := g.connected()
	id := p.next("chat.send").get("idempotencyKey")
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	stop := p.next("chat.abort")
	if stop.get("runId") != id || stop.get("sessionKey") != "agent:main:s" {
		t.Errorf("%s", stop.Params)
	}
	p.ok(stop, fields{"aborted": true})
}

// A message that is not acknowledged is sent again, under its key.
func TestAMessageThatIsNotAcknowledged(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	o.RequestTimeout = 200 * time.Millisecond
	a := g.adapter(o)
	started := g.starting(a, executor.StartOpts{SessionKey: "s", Message: "hi"})
	p := g.connected()
	first, second := p.next("chat.send"), p.next("chat.send")
	id := first.get("idempotencyKey")
	if second.get("idempotencyKey") != id {
		t.Errorf("another run: %s", second.Params)
	}
	p.ok(second, fields{"runId": id, "status": "in_flight"})
	s := a.Events(started())
	p.final(id, "x")
	sees(t, s, `init, "x", done success "x"`)
}

func TestAbort(t *testing.T) {
	for name, c := range map[string]struct {
		chat, sessions any
		second, fails  bool
	}{
		"heard":             {fields{"ok": true, "aborted": true}, nil, false, false},
		"not as a chat":     {fields{"ok": true, "aborted": false}, fields{"ok": true, "status": "aborted"}, true, false},
		"refused as a chat": {refusal{code: "UNAVAILABLE", message: "x"}, fields{"ok": true, "status": "no-active-run"}, true, false},
		"refused":           {refusal{code: "UNAVAILABLE", message: "x"}, refusal{code: "FORBIDDEN", message: "y"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			a := g.adapter(g.brief())
			run, p, id := g.begin(a)
			s := a.Events(run)
			p.text(id, "so far", "so far")
			seen(t, s, is(executor.KindTextDelta))
			g.answer("chat.abort", func(call) any { return c.chat })
			g.answer("sessions.abort", func(call) any { return c.sessions })
			err := a.Abort(t.Context(), run)
			var refused *GatewayError
			if errors.As(err, &refused) != c.fails || err != nil && !c.fails {
				t.Errorf("%v", err)
			}
			if got := len(g.called("sessions.abort")) > 0; got != c.second {
				t.Errorf("asked the session: %t", got)
			}
			for _, stop := range append(g.called("chat.abort"), g.called("sessions.abort")...) {
				if stop.get("runId") != id {
					t.Errorf("%s: %s", stop.Method, stop.Params)
				}
			}
			p.final(id, "so far and all")
			p.agent(id, "lifecycle", fields{"phase": "error", "aborted": true, "error": "This operation was aborted"})
			sees(t, s, `" and all", done aborted "so far and all"`)
			if err := a.Abort(t.Context(), run); err != nil {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

// An abort that nobody answers ends the run by itself, and the run is told to stop again
// before the next one.
func TestAnAbortThatIsNotAnswered(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	o.Grace = 30 * time.Millisecond
	a := g.adapter(o)
	run, p, id := g.begin(a)
	s := a.Events(run)
	p.start(id)
	if err := a.Abort(t.Context(), run); err == nil {
		t.Error("an abort that nobody heard succeeded")
	}
	sees(t, s, `init, running, done aborted ""`)
	p.text(id, "late", "late")
	g.answer("chat.abort", func(call) any { return fields{"aborted": true} })
	before := len(g.called("chat.abort"))
	started := g.starting(a, executor.StartOpts{SessionKey: "s", Message: "next"})
	next := p.accept()
	started()
	if stops := g.called("chat.abort"); len(stops) != before+1 || stops[before].get("runId") != id {
		t.Errorf("%d aborts before, then %v", before, stops)
	}
	p.final(next, "two")
	sees(t, s, `init, "two", done success "two"`)
}

func TestEndings(t *testing.T) {
	end := func(p *peer, id, phase string, more fields) {
		data := fields{"phase": phase}
		for k, v := range more {
			data[k] = v
		}
		p.agent(id, "lifecycle", data)
	}
	for name, c := range map[string]struct {
		play func(p *peer, id string)
		want string
	}{
		"errors twice": {func(p *peer, id string) {
			end(p, id, "error", fields{"error": "x"})
			p.chat(id, "error", fields{"errorMessage": "no key", "errorDetail": fields{"failoverReason": "auth"}})
			p.chat(id, "error", fields{"errorMessage": "failed before reply"})
		}, `init, fatal auth, done error "no key"`},
		"error of the lifecycle alone": {func(p *peer, id string) {
			end(p, id, "error", fields{"error": "no key"})
		}, `init, fatal runtime-error, done error "no key"`},
		"end of the lifecycle alone": {func(p *peer, id string) {
			end(p, id, "end", fields{"terminalReply": fields{"text": "reply"}})
		}, `init, done success "reply"`},
		"stopped by the lifecycle alone": {func(p *peer, id string) {
			end(p, id, "end", fields{"aborted": true})
		}, `init, done aborted ""`},
		"an error that is retried": {func(p *peer, id string) {
			end(p, id, "error", fields{"error": "x"})
			end(p, id, "start", nil)
			p.final(id, "fine")
		}, `init, running, "fine", done success "fine"`},
		"an error with nobody left to ask": {func(p *peer, id string) {
			end(p, id, "error", fields{"error": "no key"})
			end(p, id, "fallback_step", fields{"fallbackStepFinalOutcome": "chain_exhausted"})
			end(p, id, "end", nil)
			p.final(id, "late")
		}, `init, "late", fatal runtime-error, done error "late"`},
		"finishing is not the end": {func(p *peer, id string) {
			end(p, id, "finishing", fields{"error": "x"})
			p.agent(id, "run_status", fields{"phase": "retrying", "reason": "server_error"})
			p.final(id, "fine")
		}, `init, running retry, "fine", done success "fine"`},
		"swallowed": {func(p *peer, id string) {
			p.chat(id, "final", nil)
		}, `init, fatal empty-output, done error "the gateway ended the run before it began: its message was dropped, or taken into another run of the session"`},
		"nothing to say": {func(p *peer, id string) {
			p.start(id)
			p.chat(id, "final", nil)
		}, `init, running, done success ""`},
		"failed without a word": {func(p *peer, id string) {
			end(p, id, "error", fields{"error": "x"})
			p.chat(id, "final", nil)
		}, `init, fatal runtime-error, done error "x"`},
		"cut by a length": {func(p *peer, id string) {
			p.chat(id, "final", fields{"stopReason": "length", "message": assistant("half")})
		}, `init, "half", fatal token-limit, done error "half"`},
		"aborted by another": {func(p *peer, id string) {
			p.chat(id, "aborted", fields{"message": assistant("half")})
			end(p, id, "error", fields{"aborted": true, "error": "aborted"})
		}, `init, "half", done aborted "half"`},
		"a tool that is open": {func(p *peer, id string) {
			p.agent(id, "tool", fields{"phase": "start", "toolCallId": "t1", "name": "exec", "args": fields{"a": 1}})
			p.final(id, "fine")
		}, `init, call t1, "fine", result t1, done success "fine"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			a := g.adapter(g.brief())
			run, p, id := g.begin(a)
			s := a.Events(run)
			c.play(p, id)
			sees(t, s, c.want)
		})
	}
}

// The chat's word on the end may still be on its way when the lifecycle's wait is over:
// what came before an answer of the gateway counts.
func TestAnEndThatIsStillBeingRead(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	o.Settle = time.Millisecond
	a := g.adapter(o)
	run, p, id := g.begin(a)
	s := a.Events(run)
	g.answer("chat.history", func(call) any {
		p.final(id, "all of it")
		return fields{"messages": []any{}}
	})
	p.agent(id, "lifecycle", fields{"phase": "end"})
	sees(t, s, `init, "all of it", done success "all of it"`)
}

func TestApprovals(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	a := g.adapter(o)
	run, p, id := g.begin(a)
	s := a.Events(run)
	asked := func(id, run string) {
		p.event("exec.approval.requested", fields{"id": id, "request": fields{"runId": run, "sessionKey": "agent:main:s"}})
		if run != "" {
			seen(t, s, func(e executor.Event) bool {
				st, is := e.(executor.Status)
				return is && st.Detail == executor.DetailApproval+":"+id
			})
		}
	}
	asked("q1", id)
	asked("q2", id)
	g.answer("exec.approval.resolve", func(call) any { return fields{"ok": true} })
	for _, c := range []struct {
		id    string
		allow bool
		want  error
	}{{"q2", true, nil}, {"q1", false, nil}, {"q1", true, ErrNoQuestion}, {"never", true, ErrNoQuestion}} {
		if err := a.Approve(t.Context(), run, c.id, c.allow); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.id, err)
		}
	}
	var got []string
	for _, c := range g.called("exec.approval.resolve") {
		got = append(got, c.get("id")+" "+c.get("decision"))
	}
	if d := cmp.Diff([]string{"q2 allow-once", "q1 deny"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	asked("q3", id) // answered by somebody else
	p.event("exec.approval.resolved", fields{"id": "q3", "decision": "deny"})
	p.text(id, "x", "x")
	seen(t, s, is(executor.KindTextDelta))
	if err := a.Approve(t.Context(), run, "q3", true); !errors.Is(err, ErrNoQuestion) {
		t.Errorf("%v", err)
	}
	p.final(id, "x")
	sees(t, s, `done success "x"`)
}

func TestAQuestionThatNobodyAnswersIsDenied(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	o.ApprovalTimeout = time.Millisecond
	a := g.adapter(o)
	run, p, id := g.begin(a)
	s := a.Events(run)
	// Without a run's name the session says whose it is.
	p.event("exec.approval.requested", fields{"id": "q1", "request": fields{"sessionKey": "agent:main:s"}})
	c := p.next("exec.approval.resolve")
	if c.get("decision") != "deny" || c.get("id") != "q1" {
		t.Errorf("%s", c.Params)
	}
	p.ok(c, fields{"ok": true})
	p.final(id, "on without it")
	sees(t, s, `init, running approval-requested:q1, "on without it", done success "on without it"`)
}

func TestModelAndContext(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	g.answer("sessions.patch", func(c call) any {
		if c.get("model") == "bad" {
			return refusal{code: "INVALID_REQUEST", message: "Unknown provider"}
		}
		return fields{"ok": true}
	})
	g.answer("agents.files.list", func(call) any { return fields{"files": []fields{{"name": "SOUL.md"}, {"name": "USER.md"}}} })
	g.answer("agents.files.set", func(c call) any {
		if c.get("content") == "conflict" {
			return refusal{code: "INVALID_REQUEST", message: "changed since it was read"}
		}
		return fields{"ok": true}
	})
	started := g.starting(a, executor.StartOpts{SessionKey: "agent:coder:chat", Message: "hi", Context: "background", Model: "p/m1"})
	p := g.connected()
	c := p.next("chat.send")
	if got := c.get("message"); got != "background\n\nhi" {
		t.Errorf("%q", got)
	}
	p.ok(c, fields{"runId": c.get("idempotencyKey"), "status": "started"})
	run := started()

	var refused *GatewayError
	if err := a.SetModel(t.Context(), run, "bad"); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	if err := a.WriteContext(t.Context(), run, "SOUL.md", "be kind"); err != nil {
		t.Error(err)
	}
	if err := a.WriteContext(t.Context(), run, "SOUL.md", "conflict"); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	for _, key := range []string{"../x", "/x", "", "a\\b"} {
		if err := a.WriteContext(t.Context(), run, key, "v"); err == nil {
			t.Errorf("key %q was taken", key)
		}
	}
	for _, value := range []string{"old", "new"} {
		if err := a.WriteContext(t.Context(), run, "NOTES.md", value); err != nil {
			t.Error(err)
		}
	}
	if got := g.called("agents.files.set"); len(got) != 2 || got[0].get("agentId") != "coder" || got[0].get("name") != "SOUL.md" || got[0].get("content") != "be kind" {
		t.Errorf("%v", got)
	}
	s := a.Events(run)
	p.final(c.get("idempotencyKey"), "x")
	seen(t, s, isDone)
	started = g.starting(a, executor.StartOpts{SessionKey: "agent:coder:chat", Message: "next"})
	c = p.next("chat.send")
	if got := c.get("message"); got != "NOTES.md:\nnew\n\nnext" {
		t.Errorf("%q", got)
	}
	p.ok(c, fields{"runId": c.get("idempotencyKey"), "status": "started"})
	started()
	var models []string
	for _, c := range g.called("sessions.patch") {
		models = append(models, string(c.Params))
	}
	want := []string{`{"key":"agent:coder:chat","model":"p/m1"}`, `{"key":"agent:coder:chat","model":"bad"}`, `{"key":"agent:coder:chat","model":null}`}
	if d := cmp.Diff(want, models); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	p.final(c.get("idempotencyKey"), "y")
	seen(t, s, isDone)
}

// A blocklist stands in the configuration while a run lasts, beside what stood there.
func TestBlocklist(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	o.PatchConfig = true
	a := g.adapter(o)
	deny, hash, conflicts := []string{"browser"}, 1, 1
	var patches []string
	patched := make(chan string, 10)
	g.answer("config.get", func(call) any {
		return fields{"hash": fmt.Sprint("h", hash), "parsed": fields{"tools": fields{"deny": deny}}}
	})
	g.answer("config.patch", func(c call) any {
		if conflicts > 0 { // somebody else was quicker
			conflicts--
			hash++
			deny = append(deny, "theirs")
			return refusal{code: "INVALID_REQUEST", message: "config changed since last load"}
		}
		if c.get("baseHash") != fmt.Sprint("h", hash) {
			t.Errorf("base %s, want h%d", c.get("baseHash"), hash)
		}
		hash++
		patched <- c.get("raw")
		var change struct{ Tools struct{ Deny []string } }
		if err := json.Unmarshal([]byte(c.get("raw")), &change); err != nil {
			t.Error(err)
		}
		deny = change.Tools.Deny
		return fields{"ok": true}
	})
	var runs []string
	var streams []executor.Stream
	var p *peer
	for i, tools := range [][]string{{"exec", "browser"}, {"exec", "write"}} {
		started := g.starting(a, executor.StartOpts{SessionKey: fmt.Sprint("s", i), Message: "hi", ChildToolBlocklist: tools})
		if p == nil {
			p = g.connected()
		}
		runs = append(runs, p.accept())
		streams = append(streams, a.Events(started()))
		patches = append(patches, <-patched)
	}
	for i, id := range slices.Backward(runs) {
		p.final(id, "x")
		sees(t, streams[i], `init, "x", done success "x"`)
		patches = append(patches, <-patched)
	}
	want := []string{
		`{"tools":{"deny":["browser","theirs","exec"]}}`, `{"tools":{"deny":["browser","theirs","exec","write"]}}`,
		`{"tools":{"deny":["browser","theirs","exec"]}}`, `{"tools":{"deny":["browser","theirs"]}}`,
	}
	if d := cmp.Diff(want, patches); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The session key says which agent a run is for; one that names none belongs to the
// agent of the options, of the start, of the session, or the gateway's default.
func TestSessionKeys(t *testing.T) {
	for name, c := range map[string]struct{ key, option, agent, want string }{
		"its own":            {"agent:coder:chat", "main", "writer", "agent:coder:chat"},
		"of the options":     {"chat", "main", "writer", "agent:main:chat"},
		"of the start":       {"chat", "", "writer", "agent:writer:chat"},
		"the default":        {"chat", "", "", "agent:chief:chat"},
		"no key of an agent": {"agent:coder", "main", "", "agent:main:agent:coder"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			g.answer("agents.list", func(call) any { return fields{"defaultId": "chief"} })
			o := g.brief()
			o.Agent = c.option
			a := g.adapter(o)
			started := g.starting(a, executor.StartOpts{SessionKey: c.key, AgentID: c.agent, Message: "hi"})
			p := g.connected()
			send := p.next("chat.send")
			if got := send.get("sessionKey"); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			p.ok(send, fields{"runId": send.get("idempotencyKey"), "status": "started"})
			run := started()
			text, err := a.Serialize(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			s := a.Events(run)
			p.final(send.get("idempotencyKey"), "x")
			seen(t, s, isDone)

			later := g.adapter(g.brief())
			later.options.Agent = ""
			restored, err := later.Restore(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := later.Events(restored).Next(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("a restored handle has a stream: %v", err)
			}
			started = g.starting(later, executor.StartOpts{SessionKey: c.key, Message: "on"})
			p = g.connected()
			send = p.next("chat.send")
			if got := send.get("sessionKey"); got != c.want {
				t.Errorf("restored: %s, want %s", got, c.want)
			}
			p.ok(send, fields{"runId": send.get("idempotencyKey"), "status": "started"})
			s = later.Events(started())
			p.final(send.get("idempotencyKey"), "x")
			seen(t, s, isDone)
		})
	}
}

func TestTheHandshake(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	o.IdentityDir = filepath.Join(t.TempDir(), "keys", "gateway")
	for range 2 { // the second knows the key of the first
		if h, err := g.adapter(o).Health(t.Context()); err != nil || !h.OK {
			t.Fatalf("%+v, %v", h, err)
		}
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{o.IdentityDir: 0o700, filepath.Join(o.IdentityDir, identityFile): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(o.IdentityDir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	var ids []string
	for _, c := range g.called("connect") {
		var p connectParams
		if err := json.Unmarshal(c.Params, &p); err != nil {
			t.Fatal(err)
		}
		public, _ := base64.RawURLEncoding.DecodeString(p.Device.PublicKey)
		signature, _ := base64.RawURLEncoding.DecodeString(p.Device.Signature)
		signed := fmt.Sprintf("v3|%s|gateway-client|backend|operator|%s|%d|secret-token-1|nonce-1|%s|", p.Device.ID, strings.Join(p.Scopes, ","), p.Device.SignedAt, runtime.GOOS)
		if len(public) != ed25519.PublicKeySize || !ed25519.Verify(public, []byte(signed), signature) {
			t.Error("the signature is not of what was sent")
		}
		if p.MinProtocol != 3 || p.MaxProtocol != 4 || p.Device.Nonce != "nonce-1" || p.Auth.Token != "secret-token-1" {
			t.Errorf("%+v", p)
		}
		ids = append(ids, p.Device.ID)
	}
	if len(ids) != 2 || ids[0] != ids[1] {
		t.Errorf("devices %v", ids)
	}
}

func TestAKeyThatOthersCanReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on Windows")
	}
	g := newGateway(t)
	o := g.brief()
	o.IdentityDir = t.TempDir()
	path := filepath.Join(o.IdentityDir, identityFile)
	if _, err := loadIdentity(o.IdentityDir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := g.adapter(o).Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"})
	if err == nil || !strings.Contains(err.Error(), "0644") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(path, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(path, 0o600)
	if _, err := loadIdentity(o.IdentityDir); err == nil || strings.Contains(err.Error(), "garbage") {
		t.Errorf("%v", err)
	}
}

func TestAGatewayThatWillNotHaveUs(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	g.greet(func(p *peer, connect call) {
		p.send(fields{"type": "res", "id": connect.ID, "ok": false, "error": fields{"code": "INVALID_REQUEST", "message": "token mismatch: " + o.Token, "details": fields{"code": "AUTH_TOKEN_MISMATCH"}}})
		_ = p.ws.Close(1008, "token mismatch")
	})
	a := g.adapter(o)
	_, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"})
	var refused *GatewayError
	if !errors.As(err, &refused) || refused.Reason != "AUTH_TOKEN_MISMATCH" || strings.Contains(err.Error(), o.Token) {
		t.Errorf("%v", err)
	}
	if h, err := a.Health(t.Context()); err != nil || h.OK || strings.Contains(h.Message, o.Token) {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestNobodyThere(t *testing.T) {
	g := newGateway(t)
	o := g.brief()
	g.server.Close()
	for name, url := range map[string]string{"closed": o.URL, "no URL": "", "no socket": "http://127.0.0.1:1"} {
		o.URL = url
		a := g.adapter(o)
		if _, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"}); err == nil {
			t.Errorf("%s: started", name)
		}
		if h, err := a.Health(t.Context()); err != nil || h.OK || h.Message == "" {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

func TestStrangers(t *testing.T) {
	a := New(Options{URL: "ws://127.0.0.1:1"})
	defer func() { _ = a.Dispose(t.Context()) }()
	for _, run := range []*executor.Run{nil, executor.NewRun(ID, "s")} {
		if _, err := a.Events(run).Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("events: %v", err)
		}
		for name, err := range map[string]error{
			"abort": a.Abort(t.Context(), run), "model": a.SetModel(t.Context(), run, "m"),
			"context": a.WriteContext(t.Context(), run, "k", "v"), "approve": a.Approve(t.Context(), run, "q", true),
		} {
			if !errors.Is(err, executor.ErrUnknownRun) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, text := range []string{"", "{}", "[]", `{"v":2,"sessionKey":"s"}`, `{"v":1,"sessionKey":"s","native":"s"}`, `{"v":1,"sessionKey":"s","more":1}`} {
		if _, err := a.Restore(t.Context(), text); err == nil {
			t.Errorf("restored %q", text)
		}
	}
}

func TestDispose(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	run, p, id := g.begin(a)
	s := a.Events(run)
	g.answer("chat.abort", func(call) any {
		p.chat(id, "aborted", nil)
		return fields{"aborted": true}
	})
	for range 2 {
		if err := a.Dispose(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sees(t, s, `init, done aborted ""`)
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("the stream is open: %v", err)
	}
	<-p.gone
	if _, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hi"}); !errors.Is(err, executor.ErrDisposed) {
		t.Errorf("%v", err)
	}
}

// What the adapter says of itself, and where it differs from what is published.
func TestCapabilities(t *testing.T) {
	want := executor.Capabilities{
		Streaming: true, Resume: true, ToolApproval: true, Models: []string{}, RuntimeClass: executor.ConnectedSubstrate,
		NativeSkills: executor.Preserve, NativeMemory: executor.Preserve, NativeChannels: executor.GatewayChannels, NativeScheduler: true,
	}
	a := New(Options{})
	if d := cmp.Diff(want, a.Capabilities()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if a.ID() != "openclaw" || a.ParticipantKind() != executor.Agent {
		t.Errorf("%s, %s", a.ID(), a.ParticipantKind())
	}
}
