package openclaw

import "github.com/adaptercheck/adaptercheck/fakes"

// entry is a message of the transcript that is being made.
type entry struct {
	from  int // where its text begins in that of the voice
	at    int64
	calls []*tool
	usage *usage
}

// entry is the message that is being made.
func (v *voice) entry() *entry {
	if v.row == nil {
		v.row = &entry{from: len(v.text), at: now()}
	}
	return v.row
}

// store puts the message into the transcript. One of another run stays out of it.
func (v *voice) store(stop string) {
	e := v.row
	v.row = nil
	if e == nil || !v.own() {
		return
	}
	said := v.text[min(e.from, len(v.text)):]
	if len(said) == 0 && len(e.calls) == 0 && e.usage == nil {
		return
	}
	var content [][]byte
	if len(said) > 0 {
		content = append(content, newObject().str("type", "text").str("text", string(said)).end())
	}
	for _, t := range e.calls {
		content = append(content, newObject().str("type", "toolCall").str("id", t.id).str("name", t.name).raw("arguments", t.input).end())
		stop = "toolUse"
	}
	s := v.run.session
	o := newObject().str("role", "assistant").raw("content", array(content)).str("api", "openai-completions").str("provider", s.provider).str("model", s.model)
	if e.usage != nil {
		o.obj("usage", e.usage.text())
		s.in += value(e.usage.in)
		s.out += value(e.usage.out)
		if e.usage.cost != nil {
			s.cost += *e.usage.cost
		}
	}
	v.run.append(o.str("stopReason", stop).num("timestamp", e.at).str("responseId", "chatcmpl-fake1"), "", false)
}

// storeAborted puts what an aborted run had said into the transcript.
func (v *voice) storeAborted() {
	v.row = nil
	if len(v.text) == 0 || !v.own() {
		return
	}
	o := newObject().str("role", "assistant").raw("content", contentOf(string(v.text))).num("timestamp", now()).str("stopReason", "stop").
		obj("usage", (&usage{}).text().obj("cost", newObject().num("total", 0))).str("api", "openai-responses").str("provider", "openclaw").
		str("model", "gateway-injected").str("idempotencyKey", v.id+":assistant").
		obj("openclawAbort", newObject().flag("aborted", true).str("origin", "rpc").str("runId", v.id))
	v.run.append(o, v.id+":assistant", false)
}

// storeResult puts what a tool gave into the transcript.
func (v *voice) storeResult(t *tool, f fakes.Result) {
	if !v.own() {
		return
	}
	o := newObject().str("role", "toolResult").str("toolCallId", t.id).str("toolName", t.name).raw("content", contentOf(f.Out)).
		flag("isError", f.Error).num("timestamp", now())
	v.run.append(o, "", false)
}

// storeMessage puts what the client said into the transcript.
func (run *Run) storeMessage(message string) {
	key := run.voice.id + ":user"
	run.append(newObject().str("role", "user").str("content", message).num("timestamp", run.asked).str("idempotencyKey", key), key, true)
}

// append adds a message to the transcript, and tells who watches the session.
func (run *Run) append(message *object, key string, byOwner bool) {
	r, s := run.gateway, run.session
	s.messages++
	own := newObject()
	if byOwner {
		own.flag("senderIsOwner", true).raw("transport", []byte(`{"clients":[{"id":"gateway-client","mode":"backend"}]}`))
	} else {
		own.str("runId", run.voice.id)
	}
	id := r.ids.uuid()
	own.str("id", id).opt("idempotencyKey", key).num("recordTimestampMs", now()).num("seq", s.messages)
	row := message.obj("__openclaw", own).end()
	s.rows = append(s.rows, row)
	if !r.heard(watchers(s.key)) {
		return
	}
	o := newObject().str("sessionKey", s.key)
	if byOwner {
		o.flag("senderIsOwner", true)
	}
	o.str("agentId", s.agent).raw("message", row).str("messageId", id).num("messageSeq", s.messages).raw("session", r.row(s))
	run.voice.say("session.message", r.rowOf(o, s), watchers(s.key), true)
}

// history answers what was said in a session.
func (r *Runtime) history(q *request) {
	p := struct {
		Key   string `json:"sessionKey"`
		Limit int    `json:"limit"`
	}{Limit: 200}
	read(q.params, &p)
	s := r.session(p.Key)
	rows := s.rows
	if p.Limit > 0 && p.Limit < len(rows) {
		rows = rows[len(rows)-p.Limit:]
	}
	o := newObject().str("sessionKey", s.key).opt("sessionId", s.id).raw("messages", array(rows))
	if !r.version.modern {
		q.ok(o)
		return
	}
	o.raw("pendingInputs", []byte(`{"items":[],"total":0}`)).flag("hasMore", len(rows) < len(s.rows)).num("totalMessages", int64(len(s.rows))).
		obj("defaults", defaults()).obj("sessionInfo", r.info(s))
	if live := s.live; live != nil && live.startedAt > 0 {
		o.obj("inFlightRun", live.inFlight())
	}
	q.ok(o)
}

// info is what a history says of its session.
func (r *Runtime) info(s *session) *object {
	o := newObject().str("key", s.key)
	if s.exists {
		r.rowOf(o, s)
	} else {
		o.str("kind", "direct").null("updatedAt").str("modelProvider", s.provider).str("model", s.model)
	}
	var active [][]byte
	if s.live != nil {
		active = append(active, quoted(nil, s.live.voice.id))
	}
	return o.str("agentId", s.agent).str("effectiveQueueMode", "steer").num("snapshotAt", now()).
		flag("hasActiveRun", s.live != nil).raw("activeRunIds", array(active))
}

// inFlight is what a client that comes late is told of a run.
func (run *Run) inFlight() *object {
	v := run.voice
	event := newObject().str("runId", v.id).num("seq", v.seq).str("stream", "assistant").num("ts", now()).obj("data", newObject()).
		str("sessionKey", run.session.key).str("agentId", run.session.agent)
	return newObject().str("runId", v.id).str("text", string(v.whole())).num("startedAt", run.asked).raw("events", array([][]byte{event.end()}))
}
