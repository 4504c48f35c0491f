package openclaw

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

const (
	lostNotice = "error connection-lost"
)

// past is a history of a run.
func past(id string, rows ...fields) fields {
	all := []fields{{"role": "user", "content": "hi", "idempotencyKey": id + ":user"}}
	for _, r := range rows {
		r["__openclaw"] = fields{"runId": id}
		all = append(all, r)
	}
	return fields{"messages": all}
}

func said1(text, stop string) fields {
	return fields{"role": "assistant", "content": []fields{{"type": "text", "text": text}}, "stopReason": stop}
}

// A connection that comes back while the run goes on: one error that is not fatal, and
// no text twice, whatever tells of the text first.
func TestALossThatIsRecoveredFrom(t *testing.T) {
	for name, c := range map[string]struct {
		history func(id string) fields
		ack     any // of the same message again; nil if it must not be sent
		want    string
	}{
		"in the history": {func(id string) fields {
			return fields{"messages": []any{}, "inFlightRun": fields{"runId": id, "text": "one two"}}
		}, nil, `error connection-lost, " two", " three", done success "one two three"`},
		"in the history, with another text": {func(id string) fields {
			return fields{"messages": []any{}, "inFlightRun": fields{"runId": id, "text": "two"}}
		}, nil, `error connection-lost, " two three", done success "one two three"`},
		"by the same message again": {func(string) fields {
			return fields{"messages": []any{}}
		}, fields{"status": "in_flight"}, `error connection-lost, " two three", done success "one two three"`},
		"another run is in the history": {func(string) fields {
			return fields{"messages": []any{}, "inFlightRun": fields{"runId": "another", "text": "x"}}
		}, fields{"status": "in_flight"}, `error connection-lost, " two three", done success "one two three"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			a := g.adapter(g.brief())
			run, p, id := g.begin(a)
			s := a.Events(run)
			p.text(id, "one", "one")
			seen(t, s, is(executor.KindTextDelta))
			g.answer("chat.history", func(call) any { return c.history(id) })
			p.drop()
			p = g.connected()
			if c.ack != nil {
				again := p.next("chat.send")
				if again.get("idempotencyKey") != id || again.get("message") != "hi" {
					t.Errorf("%s", again.Params)
				}
				c.ack.(fields)["runId"] = id
				p.ok(again, c.ack)
			}
			seen1 := seen(t, s, is(executor.KindError))
			if strings.Contains(c.want, `" two", `) {
				seen1 = append(seen1, seen(t, s, is(executor.KindTextDelta))...)
			}
			p.text(id, "one two three", " three")
			p.final(id, "one two three")
			events := append(seen1, seen(t, s, isDone)...)
			if d := cmp.Diff(c.want, outline(events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if found := verify.Whole(events); len(found) > 0 {
				t.Error(found)
			}
			if c.ack == nil && len(g.called("chat.send")) != 1 {
				t.Error("the message was sent again")
			}
		})
	}
}

// An event of the run over the new connection is a sign of life as good as any.
func TestALossThatAnEventEnds(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	run, p, id := g.begin(a)
	s := a.Events(run)
	p.text(id, "one", "one")
	seen(t, s, is(executor.KindTextDelta))
	g.answer("chat.history", func(call) any { return nil }) // never answered
	p.drop()
	p = g.connected()
	p.text(id, "one two", " two")
	g.answer("chat.history", func(call) any { return fields{} })
	p.final(id, "one two")
	sees(t, s, lostNotice+`, " two", done success "one two"`)
}

// A run that ended meanwhile: how, and what it said and did, is asked for.
func TestARunThatEndedUnseen(t *testing.T) {
	ok := func(id string) any { return fields{"runId": id, "status": "ok"} }
	for name, c := range map[string]struct {
		rows func(id string) fields
		ack  func(id string) any
		want string
	}{
		"well": {func(id string) fields {
			return past(id, said1("one two", "stop"))
		}, ok, lostNotice + `, " two", done success "one two"`},
		"after a tool": {func(id string) fields {
			call := said1("one", "toolUse")
			call["content"] = append(call["content"].([]fields), fields{"type": "toolCall", "id": "t1", "name": "exec", "arguments": fields{"a": 1}})
			return past(id, call, fields{"role": "toolResult", "toolCallId": "t1", "toolName": "exec", "content": []fields{{"type": "text", "text": "out"}}}, said1("two", "stop"))
		}, ok, lostNotice + `, call t1, result t1, "\n\ntwo", done success "two"`},
		"with another text": {func(id string) fields {
			return past(id, said1("never mind", "stop"))
		}, ok, lostNotice + `, running text-restarted, "never mind", done success "never mind"`},
		"stopped": {func(id string) fields {
			row := said1("one two", "stop")
			row["openclawAbort"] = fields{"aborted": true}
			return past(id, row)
		}, ok, lostNotice + `, " two", done aborted "one two"`},
		"failed": {func(id string) fields { return past(id) }, func(id string) any {
			return refusal{"UNAVAILABLE", "failed before reply", fields{"runId": id, "status": "error", "summary": "no key"}}
		}, lostNotice + `, fatal runtime-error, done error "one"`},
		"failed, says the history": {func(id string) fields {
			return past(id, fields{"role": "assistant", "content": []any{}, "stopReason": "error", "errorMessage": "no key"})
		}, ok, lostNotice + `, fatal runtime-error, done error "one"`},
		"in a history that names nobody": {func(string) fields {
			return fields{"messages": []any{}}
		}, ok, lostNotice + `, done success "one"`},
		"and nobody knows it": {func(string) fields {
			return fields{"messages": []any{}}
		}, func(string) any { return refusal{code: "INVALID_REQUEST", message: "no such session"} },
			`fatal stream-truncated, done error "one"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			a := g.adapter(g.brief())
			run, p, id := g.begin(a)
			s := a.Events(run)
			p.text(id, "one", "one")
			seen(t, s, is(executor.KindTextDelta))
			g.answer("chat.history", func(call) any { return c.rows(id) })
			g.answer("chat.send", func(call) any { return c.ack(id) })
			p.drop()
			sees(t, s, c.want)
		})
	}
}

// A gateway that was restarted has forgotten its runs, and would begin the message
// again.
func TestARestartedGatewayIsNotAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		rows func(id string) fields
		want string
	}{
		"lost":   {func(id string) fields { return past(id) }, `fatal stream-truncated, done error "one"`},
		"half":   {func(id string) fields { return past(id, said1("one", "toolUse")) }, `fatal stream-truncated, done error "one"`},
		"silent": {func(id string) fields { return past(id, said1("one", "toolUse"), said1("", "stop")) }, `fatal stream-truncated, done error "one"`},
		"behind": {func(id string) fields { return past(id, said1("o", "stop")) }, `fatal stream-truncated, done error "one"`},
		"done":   {func(id string) fields { return past(id, said1("one two", "stop")) }, lostNotice + `, " two", done success "one two"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			lives := 0
			g.greet(func(p *peer, connect call) {
				lives++
				p.ok(connect, helloOK(fmt.Sprint("boot-", lives)))
			})
			a := g.adapter(g.brief())
			run, p, id := g.begin(a)
			s := a.Events(run)
			p.text(id, "one", "one")
			seen(t, s, is(executor.KindTextDelta))
			g.answer("chat.history", func(call) any { return c.rows(id) })
			p.drop()
			sees(t, s, c.want)
			if n := len(g.called("chat.send")); n != 1 {
				t.Errorf("the message was sent %d times", n)
			}
		})
	}
}

// A gateway without a name for its life says that it starts anew by how it closes.
func TestARestartIsToldByTheClose(t *testing.T) {
	g := newGateway(t)
	g.greet(func(p *peer, connect call) { p.ok(connect, helloOK("")) })
	g.answer("chat.history", func(call) any { return past("nobody") })
	a := g.adapter(g.brief())
	run, p, id := g.begin(a)
	s := a.Events(run)
	p.text(id, "one", "one")
	seen(t, s, is(executor.KindTextDelta))
	_ = p.ws.Close(websocket.StatusServiceRestart, "service restart")
	sees(t, s, `fatal stream-truncated, done error "one"`)
	if n := len(g.called("chat.send")); n != 1 {
		t.Errorf("the message was sent %d times", n)
	}
}

// A loss beyond the budget, and a gateway that will not have this host any more, end the
// runs and their streams.
func TestALossThatIsNotRecoveredFrom(t *testing.T) {
	for name, prepare := range map[string]func(*gateway){
		"down": func(g *gateway) { g.refuseAll(true) },
		"refused": func(g *gateway) {
			g.greet(func(p *peer, connect call) { p.refuse(connect, refusal{code: "INVALID_REQUEST", message: "no"}) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			o := g.brief()
			o.ReconnectBudget = 50 * time.Millisecond
			if name == "refused" {
				o.ReconnectBudget = patience
			}
			a := g.adapter(o)
			first, p, id := g.begin(a)
			started := g.starting(a, executor.StartOpts{SessionKey: "other", Message: "hi"})
			p.accept()
			second := started()
			p.text(id, "one", "one")
			s1, s2 := a.Events(first), a.Events(second)
			seen(t, s1, is(executor.KindTextDelta))
			prepare(g)
			p.drop()
			sees(t, s1, `fatal stream-truncated, done error "one"`)
			sees(t, s2, `fatal stream-truncated, done error "the connection to the gateway was lost and could not be restored"`)
			for _, s := range []executor.Stream{s1, s2} {
				if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
					t.Errorf("the stream goes on: %v", err)
				}
			}
		})
	}
}

// A run whose message went out when the connection went down is not lost, and is not
// begun twice.
func TestALossBeforeTheAcknowledgement(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	started := g.starting(a, executor.StartOpts{SessionKey: "s", Message: "hi"})
	p := g.connected()
	id := p.next("chat.send").get("idempotencyKey")
	p.drop()
	p = g.connected()
	again := p.next("chat.send")
	if again.get("idempotencyKey") != id {
		t.Errorf("another run: %s", again.Params)
	}
	p.ok(again, fields{"runId": id, "status": "in_flight"})
	s := a.Events(started())
	p.final(id, "x")
	sees(t, s, `init, "x", done success "x"`)
}

// An abort that meets a loss is heard when the connection is back.
func TestAnAbortDuringALoss(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	run, p, id := g.begin(a)
	s := a.Events(run)
	p.text(id, "one", "one")
	seen(t, s, is(executor.KindTextDelta))
	g.refuseAll(true)
	p.drop()
	if err := a.Abort(t.Context(), run); err == nil {
		t.Error("an abort that could not be heard succeeded")
	}
	g.refuseAll(false)
	p = g.connected()
	stop := p.until("chat.abort")
	p.chat(id, "aborted", nil)
	p.ok(stop, fields{"aborted": true})
	events := seen(t, s, isDone)
	if done := events[len(events)-1].(executor.Done); done.Reason != executor.ReasonAborted {
		t.Errorf("%s", outline(events))
	}
}

// A question that was asked while the connection was down is passed on after it, once.
func TestAQuestionDuringALoss(t *testing.T) {
	for name, list := range map[string]func(open []fields) any{
		"a list": func(open []fields) any { return open },
		"named":  func(open []fields) any { return fields{"approvals": open} },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			a := g.adapter(g.brief())
			run, p, id := g.begin(a)
			s := a.Events(run)
			p.event("exec.approval.requested", fields{"id": "q1", "request": fields{"runId": id}})
			seen(t, s, func(e executor.Event) bool { return strings.Contains(outline([]executor.Event{e}), "q1") })
			g.answer("chat.history", func(call) any { return fields{"inFlightRun": fields{"runId": id}} })
			g.answer("exec.approval.list", func(call) any {
				return list([]fields{{"id": "q1", "request": fields{"runId": id}}, {"id": "q2", "request": fields{"runId": id}}, {"id": "q3", "request": fields{"runId": "another"}}})
			})
			p.drop()
			p = g.connected()
			events := seen(t, s, func(e executor.Event) bool { return strings.Contains(outline([]executor.Event{e}), "q2") })
			p.final(id, "x")
			events = append(events, seen(t, s, isDone)...)
			if d := cmp.Diff(lostNotice+`, running approval-requested:q2, "x", done success "x"`, outline(events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Frames that were lost are noticed by their numbers. The text is whole with the next
// event, and an end that was lost is asked for.
func TestLostFrames(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	run, p, id := g.begin(a)
	s := a.Events(run)
	p.text(id, "one", "one")
	p.skip(1)
	p.text(id, "one two three", " three")
	events := seen(t, s, func(e executor.Event) bool { return strings.HasSuffix(outline([]executor.Event{e}), `three"`) })
	if d := cmp.Diff(`init, "one", error frames-lost, " two three"`, outline(events)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	g.answer("chat.history", func(call) any { return past(id, said1("one two three four", "stop")) })
	g.answer("chat.send", func(call) any { return fields{"runId": id, "status": "ok"} })
	p.skip(1) // the final
	p.event("tick", fields{"ts": 1})
	sees(t, s, `" four", done success "one two three four"`)
}

func TestSequence(t *testing.T) {
	type got struct{ fresh, gap bool }
	for name, c := range map[string]struct {
		numbers []int64
		want    []got
	}{
		"in order":          {[]int64{1, 2, 3}, []got{{true, false}, {true, false}, {true, false}}},
		"a later beginning": {[]int64{500, 501}, []got{{true, false}, {true, false}}},
		"none":              {[]int64{0, 1, 0, 2}, []got{{true, false}, {true, false}, {true, false}, {true, false}}},
		"a gap":             {[]int64{1, 4, 5}, []got{{true, false}, {true, true}, {true, false}}},
		"twice":             {[]int64{1, 2, 2, 1}, []got{{true, false}, {true, false}, {false, false}, {false, false}}},
		"late, then twice":  {[]int64{1, 3, 2, 2}, []got{{true, false}, {true, true}, {true, false}, {false, false}}},
	} {
		var s sequence
		for i, n := range c.numbers {
			fresh, gap := s.next(n)
			if (got{fresh, gap}) != c.want[i] {
				t.Errorf("%s, frame %d: fresh %t, gap %t", name, i, fresh, gap)
			}
		}
	}
}

// A frame that cannot be read costs that frame: garbage, or one that is too long.
func TestFramesThatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"garbage":   `{"type":"event","event":"chat",`,
		"no object": `[1,2]`,
		"too long":  `{"type":"event","event":"x","payload":"` + strings.Repeat("x", 100_000) + `"}`,
		"no type":   `{"event":"chat"}`,
		"empty":     ``,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGateway(t)
			o := g.brief()
			o.MaxFrame = 50_000
			a := g.adapter(o)
			run, p, id := g.begin(a)
			s := a.Events(run)
			p.text(id, "one", "one")
			p.raw(text)
			p.text(id, "one two", " two")
			p.final(id, "one two")
			sees(t, s, `init, "one", error malformed-frame, " two", done success "one two"`)
			if n := len(g.called("connect")); n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// Events and fields that nobody knows, and known fields of other types, are nothing.
func TestUnknownFrames(t *testing.T) {
	g := newGateway(t)
	a := g.adapter(g.brief())
	run, p, id := g.begin(a)
	s := a.Events(run)
	p.event("brand-new", fields{"runId": id, "text": "x"})
	p.raw(`{"type":"brand-new","runId":"` + id + `"}`)
	p.chat(id, "brand-new", fields{"message": assistant("x")})
	p.agent(id, "brand-new", fields{"text": "x", "phase": "end"})
	p.event("chat", fields{"runId": 7, "state": []any{}, "message": 1})
	p.event("chat", fields{"runId": id, "state": "delta", "message": fields{"role": "user", "content": "hi"}})
	p.event("chat", fields{"runId": id, "state": "delta", "message": 5, "deltaText": 6, "errorDetail": "x"})
	p.event("agent", fields{"runId": id, "stream": "lifecycle", "data": "x"})
	p.event("agent", fields{"runId": id, "stream": "tool", "data": fields{"phase": "start", "toolCallId": 5, "name": 6, "args": "x"}})
	p.final(id, "fine")
	events := sees(t, s, `init, call unnamed-1, "fine", result unnamed-1, done success "fine"`)
	if call := events[1].(executor.ToolCall); call.Name != "tool" || call.Input != `"x"` {
		t.Errorf("%+v", call)
	}
}

// A gateway that falls silent is given up on, and come back to.
func TestSilence(t *testing.T) {
	g := newGateway(t)
	g.greet(func(p *peer, connect call) {
		h := helloOK("boot-1")
		if len(g.called("connect")) == 1 {
			h["policy"] = fields{"tickIntervalMs": 20}
		}
		p.ok(connect, h)
	})
	a := g.adapter(g.brief())
	run, _, id := g.begin(a)
	s := a.Events(run)
	p := g.connected() // by itself
	p.final(id, "x")
	events := seen(t, s, isDone)
	if done := events[len(events)-1].(executor.Done); done.Reason != executor.ReasonSuccess {
		t.Errorf("%s", outline(events))
	}
}
