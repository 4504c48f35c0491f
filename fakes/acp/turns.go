package acp

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// turn is from a session/prompt to its answer.
type turn struct {
	id      jsontext.Value // of the request
	of      *session
	message string

	begun     bool // something of it was said
	cancelled bool
	speech    *speech
	calls     []*call
	spent     tokens
	used      int64 // of the window, by the last call of the model
	told      bool  // a frame has told what is used of the window
}

// current is the turn that frames speak of: the one that goes on, else the last one.
func (r *renderer) current() *turn {
	t := r.turn
	if t == nil {
		t = r.past
	}
	t.begun = true
	return t
}

// Init waits, in a script, for the prompt whose turn is due. At the wire there is nothing
// of it.
func (r *renderer) Init(fakes.Init) error {
	if !r.scripted() {
		return nil
	}
	code, ended := r.process.Await(func() bool { return r.turn != nil && !r.turn.begun || r.input.closed && len(r.process.Play.Args) == 0 })
	if ended {
		return &child.Ended{Code: code}
	}
	r.input.cutShort, r.input.stays, r.Muted = false, false, false
	if r.turn != nil {
		r.turn.begun = true
	}
	return nil
}

// next takes up the turn that waits, if there is none.
func (r *renderer) next() error {
	if r.turn != nil || len(r.waiting) == 0 {
		return nil
	}
	r.turn, r.waiting = r.waiting[0], r.waiting[1:]
	t := r.turn
	if r.input.begun {
		r.process.Session = t.of.id
	}
	asked := chunk{Kind: "user_message_chunk", Content: block(t.message)}
	switch r.agent.name {
	case openCode:
		asked.Message = r.ids.word("msg")
	case claude:
		asked.Message = r.ids.uuid()
	}
	t.of.remember(asked)
	if err := r.save(t.of); err != nil {
		return err
	}
	return r.running(t, true)
}

// running tells that a turn goes on, or no more, where the agent does.
func (r *renderer) running(t *turn, is bool) error {
	if r.agent.name != pi || r.silenced() {
		return nil
	}
	meta := object{"piAcp": object{"queueDepth": len(r.waiting), "running": is}}
	return r.update(t.of, object{"sessionUpdate": "session_info_update", "_meta": meta})
}

// stops are the stop reasons for ends.
var stops = map[fakes.EndReason]string{
	fakes.EndOK: "end_turn", fakes.EndMaxTurns: "max_turn_requests", fakes.EndLength: "max_tokens", fakes.EndRefusal: "refusal", fakes.EndAborted: "cancelled",
}

// End answers the prompt.
func (r *renderer) End(f fakes.End) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if f.Error {
		return r.fail(codeInternal, f.Text)
	}
	stop := stops[f.Reason]
	if stop == "" {
		return unplayable("an end by %s", f.Reason)
	}
	if r.quiet() {
		return nil
	}
	return r.finish(r.current(), func(t *turn) error {
		return r.say(response{version2, t.id, promptAnswer{Stop: stop, Usage: r.usageOf(t), Meta: r.metaOf(t)}})
	})
}

// finish ends the turn by what answers its prompt.
func (r *renderer) finish(t *turn, answer func(*turn) error) error {
	r.settle(t)
	if r.turn != t { // it is over: the answer comes once more
		return answer(t)
	}
	if err := r.account(t); err != nil {
		return err
	}
	if err := r.running(t, false); err != nil {
		return err
	}
	r.turn, r.past = nil, t
	if err := r.save(t.of); err != nil {
		return err
	}
	if err := answer(t); err != nil || r.process == nil {
		return err
	}
	return r.next()
}

// Failure answers the prompt with an error.
func (r *renderer) Failure(f fakes.Failure) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if !f.Fatal {
		return unplayable("an error that does not end the run")
	}
	return r.fail(codeOf(f.Code), f.Message)
}

func (r *renderer) fail(code int, why string) error {
	if r.quiet() {
		return nil
	}
	var data any
	if code == codeInternal {
		why = "Internal error: " + why
		if r.agent.name == openCode {
			data = object{"service": "session", "errorName": "APIError"}
		}
	}
	return r.finish(r.current(), func(t *turn) error { return r.say(refusal{version2, t.id, rpcError{code, why, data}}) })
}

// cancel stops the turns of a session.
func (r *renderer) cancel(name string) error {
	r.process.Heard(fakes.Call{Method: fakes.MethodCancel})
	s := r.sessions[name]
	if s == nil {
		r.breach(BreachSession)
		return nil
	}
	t := r.turn
	if t == nil || t.of != s || r.silenced() || r.process.Deaf("INT") || !r.process.Obeys("INT") {
		return nil
	}
	r.process.EndChildren()
	t.cancelled = true
	for _, w := range r.waiting {
		w.cancelled = w.cancelled || w.of == s
	}
	return r.cutShort(t)
}

// cutShort ends a turn that the client stopped, when the client has answered what it was
// asked, and those that wait behind it and were stopped with it. A script goes on with the
// next one.
func (r *renderer) cutShort(t *turn) error {
	if slices.ContainsFunc(r.asked, func(q *question) bool { return q.turn == t }) {
		return nil
	}
	for _, c := range t.calls {
		if !c.answered {
			c.declined = true
			if err := r.ended(t, c, "Tool execution aborted", true, jsontext.Value(`{"interrupted":true}`)); err != nil {
				return err
			}
		}
	}
	t.spent, t.used = tokens{}, 0 // the agents count nothing of it
	r.input.stays = false
	r.input.cutShort = r.scripted()
	if err := r.finish(t, func(t *turn) error {
		return r.say(response{version2, t.id, promptAnswer{Stop: "cancelled", Usage: r.usageOf(t), Meta: r.metaOf(t)}})
	}); err != nil {
		return err
	}
	if n := r.turn; n != nil && n.cancelled {
		return r.cutShort(n)
	}
	return nil
}
