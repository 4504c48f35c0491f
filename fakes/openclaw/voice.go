package openclaw

import "slices"

// voice is what clients have heard of one run: its numbers and its text.
type voice struct {
	run *Run
	id  string
	seq int64 // of the last agent event of the run; chat events use it too

	item    string // of the attempt that speaks
	message int    // number of the assistant's message, from 1
	text    []byte // of the message
	thought []byte
	kept    []byte // of the messages before it, as the chat has them
	closed  bool   // more text begins another message
	held    []byte // text that the agent stream has not said
	owed    []byte // text that the chat has not said
	owedSeq int64

	due      bool   // the model is called again, and nobody was told
	out      int64  // tokens of the run so far
	counted  bool   // of which nobody was told
	spent    *usage // of the run so far; nil is not known
	preamble string // id of the item that shows the text before a tool
	retries  int
	tools    []*tool
	row      *entry
}

func newVoice(run *Run, id string) *voice {
	return &voice{run: run, id: id, item: run.gateway.ids.uuid(), message: 1}
}

// voiceOf finds the voice of the run that a frame names; empty is the run's own.
func (run *Run) voiceOf(id string) *voice {
	if id == "" || id == run.voice.id || id == run.alias {
		return run.voice
	}
	v, known := run.ghosts[id]
	if !known {
		v = newVoice(run, id)
		run.ghosts[id] = v
	}
	return v
}

// own reports whether the voice is that of the run itself.
func (v *voice) own() bool { return v == v.run.voice }

// next numbers an event.
func (v *voice) next() int64 {
	v.seq++
	return v.seq
}

// say sends an event of the run and counts it.
func (v *voice) say(event string, payload *object, hears audience, numbered bool) {
	if v.run.silent {
		return
	}
	if n := v.run.gateway.send(event, payload, hears, numbered); n > 0 {
		v.run.receipt.Frames++
		v.run.receipt.Bytes += n
	}
}

// agentPayload begins an event of the agent stream.
func (v *voice) agentPayload(seq int64, stream string, data *object) *object {
	s := v.run.session
	o := newObject().str("runId", v.id).str("stream", stream).obj("data", data).str("sessionKey", s.key).str("agentId", s.agent).
		num("seq", seq).num("ts", now())
	if v.run.gateway.version.modern && v.run.viaChat {
		o.flag("isHeartbeat", false)
	}
	return o
}

// agent says something on the agent stream.
func (v *voice) agent(seq int64, stream string, data *object) {
	v.say("agent", v.agentPayload(seq, stream, data), readers(v.run.session.key), true)
}

// lifecycle says where the run stands.
func (v *voice) lifecycle(data *object) int64 {
	seq := v.next()
	v.lifecycleAs(seq, data)
	return seq
}

func (v *voice) lifecycleAs(seq int64, data *object) {
	o := v.agentPayload(seq, "lifecycle", data).opt("sessionId", v.run.session.id)
	v.say("agent", o, readers(v.run.session.key), true)
}

// model says which model is called: none where provider is empty.
func (v *voice) model(provider, model string) {
	if !v.run.gateway.version.modern {
		return
	}
	data := newObject().str("phase", "model")
	if provider == "" {
		o := v.agentPayload(v.next(), "lifecycle", data.null("provider").null("model")).opt("sessionId", v.run.session.id)
		if v.run.viaChat {
			o.str("lane", "main")
		}
		v.say("agent", o, readers(v.run.session.key), true)
		return
	}
	v.lifecycle(data.str("provider", provider).str("model", model))
}

// chat says something on the chat stream. More adds members of the state's own.
func (v *voice) chat(seq int64, state string, more func(*object)) {
	v.chatAs(v.run.session.agent, seq, state, more)
}

func (v *voice) chatAs(agent string, seq int64, state string, more func(*object)) {
	o := newObject().str("runId", v.id).str("sessionKey", v.run.session.key).opt("agentId", agent).num("seq", seq).str("state", state)
	if more != nil {
		more(o)
	}
	v.say("chat", o, readers(v.run.session.key), true)
}

// progress says on both streams what the run is at.
func (v *voice) progress(phase string) {
	if !v.run.gateway.version.modern || !v.run.viaChat {
		return
	}
	seq := v.next()
	v.chat(seq, "status", func(o *object) { o.str("phase", phase) })
	v.agent(seq, "run_status", newObject().str("phase", phase))
}

// whole is the text of all messages of the run, as the chat has it.
func (v *voice) whole() []byte {
	if len(v.kept) == 0 {
		return v.text
	}
	if len(v.text) == 0 {
		return v.kept
	}
	return slices.Concat(v.kept, []byte(v.run.gateway.version.join), v.text)
}

// said is a message of the chat with the whole text.
func said(text []byte) *object {
	content := newObject().str("type", "text").str("text", string(text))
	return newObject().str("role", "assistant").raw("content", array([][]byte{content.end()})).num("timestamp", now())
}
