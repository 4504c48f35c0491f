package openclaw

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

func chatMethods() map[string]method {
	send := map[string]rule{
		"sessionKey": filled, "message": isText, "idempotencyKey": filled, "deliver": isFlag, "attachments": nil,
		"queueMode": oneOf("steer", "followup", "collect", "interrupt"),
	}
	for _, name := range strings.Fields("thinking timeoutMs sessionId systemInputProvenance systemProvenanceReceipt originatingChannel originatingTo clientMessageId replyTo agentId") {
		send[name] = nil
	}
	sessionSend := map[string]rule{"key": filled, "message": isText, "idempotencyKey": filled, "attachments": nil, "thinking": isText, "timeoutMs": isNumber}
	abort := shape{required: []string{"sessionKey"}, members: map[string]rule{"sessionKey": filled, "runId": filled}}
	history := shape{required: []string{"sessionKey"}, members: map[string]rule{"sessionKey": filled, "limit": isNumber, "maxChars": isNumber, "offset": isNumber, "agentId": isText}}
	return map[string]method{
		"chat.send":     {scopeWrite, shape{required: []string{"sessionKey", "message", "idempotencyKey"}, members: send}, (*Runtime).sendChat},
		"sessions.send": {scopeWrite, shape{required: []string{"key", "message"}, members: sessionSend}, (*Runtime).sendSession},
		"chat.abort":    {scopeWrite, abort, (*Runtime).abortChat},
		"chat.history":  {scopeRead, history, (*Runtime).history},
	}
}

// message is what a client wants a session to be told.
type message struct {
	Session     string         `json:"sessionKey"`
	Key         string         `json:"key"` // the same, of sessions.send
	Message     string         `json:"message"`
	Idempotency string         `json:"idempotencyKey"`
	Queue       string         `json:"queueMode"`
	Attachments jsontext.Value `json:"attachments"`
}

func (r *Runtime) sendChat(q *request) {
	var m message
	read(q.params, &m)
	r.take(q, m)
}

// sendSession is chat.send for a session that must be there.
func (r *Runtime) sendSession(q *request) {
	var m message
	read(q.params, &m)
	m.Session = m.Key
	if key, _ := canonical(m.Key); r.sessions[key] == nil || !r.sessions[key].exists {
		q.fail(invalid("session not found: " + m.Key))
		return
	}
	if m.Idempotency == "" {
		m.Idempotency = r.ids.uuid()
	}
	r.take(q, m)
}

// take takes a message: as a run, as one that follows, or into the live one.
func (r *Runtime) take(q *request, m message) {
	_, agent := canonical(m.Session)
	if r.agent(agent) == nil {
		r.breach(BreachParams)
		q.fail(invalid("Agent \"" + agent + "\" no longer exists in configuration"))
		return
	}
	if m.Message == "" && (len(m.Attachments) == 0 || string(m.Attachments) == "[]") {
		r.breach(BreachParams)
		q.fail(invalid("message or attachment required"))
		return
	}
	if run, known := r.runs[m.Idempotency]; known {
		run.again(q)
		return
	}
	if r.refused(q) {
		return
	}
	s := r.session(m.Session)
	r.lasts(s)
	run := r.newRun(s, m.Idempotency, true, begun(m.Session, agent, m.Message, m.Idempotency))
	ack := newObject().str("runId", m.Idempotency).str("status", "started")
	if s.live != nil && m.Queue == "interrupt" {
		r.replace(s)
		ack.flag("interruptedActiveRun", true)
	}
	q.ok(ack)
	run.place(m)
}

func begun(session, agent, message, run string) fakes.Call {
	return fakes.Call{Method: fakes.MethodStart, Session: session, Agent: agent, Message: message, Run: run}
}

// place gives a run its place in the session: at once, after others, or within the live
// one.
func (run *Run) place(m message) {
	s := run.session
	switch {
	case s.live == nil:
		run.arrive()
		run.storeMessage(m.Message)
	case m.Queue == "followup" || m.Queue == "collect":
		s.waiting = append(s.waiting, run)
		run.storeMessage(m.Message)
	default: // it steers
		s.live.record(fakes.Call{Method: fakes.MethodInput, Session: s.view(m.Session), Value: m.Message})
		s.steered = append(s.steered, run)
	}
}

// replace ends the live run of a session, and those that wait, for another one.
func (r *Runtime) replace(s *session) {
	for _, run := range s.waiting {
		run.record(fakes.Call{Method: fakes.MethodCancel, Session: s.view(run.begun.Session)})
	}
	waiting := s.waiting
	s.waiting = nil
	s.live.record(fakes.Call{Method: fakes.MethodCancel, Session: s.view(s.live.begun.Session)})
	s.live.settleQuestions()
	s.live.interrupt()
	for _, run := range waiting {
		run.voice.fail("", "session placement turn settlement is closed")
	}
}

// refused refuses a start, where the gateway was told to.
func (r *Runtime) refused(q *request) bool {
	if r.refuse == 0 {
		return false
	}
	r.refuse--
	q.fail(&failure{code: unavailable, message: "the gateway takes no new runs"})
	return true
}

// again answers a message that came before, by how its run stands.
func (run *Run) again(q *request) {
	id := run.voice.id
	switch {
	case run.status == statusRunning:
		o := newObject().str("runId", id).str("status", "in_flight")
		if !run.viaChat {
			o.str("sessionKey", run.session.key).str("agentId", run.session.agent)
		}
		q.ok(o)
	case run.status == statusFailed && !run.gateway.version.unreported:
		q.fail(&failure{
			code: unavailable, message: run.summary,
			payload: newObject().str("runId", id).str("status", "error").str("summary", run.summary),
		})
	default:
		q.ok(newObject().str("runId", id).str("status", "ok"))
	}
}
