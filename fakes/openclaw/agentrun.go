package openclaw

import (
	"strings"
	"time"
)

func agentMethods() map[string]method {
	agent := map[string]rule{"message": filled, "sessionKey": isText, "idempotencyKey": filled, "agentId": isText}
	for _, name := range strings.Fields(`to replyTo sessionId thinking deliver attachments channel replyChannel accountId
		replyAccountId threadId groupId groupChannel groupSpace timeout lane extraSystemPrompt inputProvenance label spawnedBy
		model provider workspace bestEffortDeliver`) {
		agent[name] = nil
	}
	wait := shape{required: []string{"runId"}, members: map[string]rule{"runId": filled, "timeoutMs": isNumber}}
	return map[string]method{
		"agent":      {scopeWrite, shape{required: []string{"message", "idempotencyKey"}, members: agent}, (*Runtime).startAgent},
		"agent.wait": {scopeWrite, wait, (*Runtime).waitAgent},
	}
}

// startAgent starts a run and answers twice: that it was accepted, and at its end.
func (r *Runtime) startAgent(q *request) {
	var m struct {
		message
		Agent string `json:"agentId"`
	}
	read(q.params, &m)
	key := m.Session
	if key == "" {
		key = "main"
		if m.Agent != "" {
			key = "agent:" + m.Agent + ":main"
		}
	}
	_, agent := canonical(key)
	if r.agent(agent) == nil {
		r.breach(BreachParams)
		q.fail(invalid("unknown agent id \"" + agent + "\""))
		return
	}
	if run, known := r.runs[m.Idempotency]; known {
		run.again(q)
		return
	}
	if r.refused(q) {
		return
	}
	s := r.session(key)
	r.lasts(s)
	run := r.newRun(s, m.Idempotency, false, begun(key, agent, m.Message, m.Idempotency))
	run.answers = append(run.answers, q)
	q.ok(newObject().str("runId", m.Idempotency).str("sessionKey", s.key).str("agentId", agent).str("status", "accepted").num("acceptedAt", now()))
	m.Queue = "followup"
	run.place(m.message)
}

// settle gives the second answers of a run that has ended.
func (run *Run) settle() {
	answers := run.answers
	run.answers = nil
	for _, q := range answers {
		switch run.status {
		case statusOK:
			q.ok(newObject().str("runId", run.voice.id).str("status", "ok").str("summary", "completed").obj("result", run.result()))
		case statusAborted:
			q.ok(newObject().str("runId", run.voice.id).str("status", "timeout").str("summary", "aborted").str("stopReason", "rpc"))
		default:
			run.again(q)
		}
	}
}

// result is what a run gave, as its second answer has it.
func (run *Run) result() *object {
	v, s := run.voice, run.session
	var payloads [][]byte
	if len(v.text) > 0 {
		payloads = append(payloads, newObject().str("text", string(v.text)).null("mediaUrl").end())
	}
	agentMeta := newObject().opt("sessionId", s.id).str("sessionFile", s.key).str("provider", s.provider).str("model", s.model).num("contextTokens", 128000)
	if u := v.spent; u != nil {
		agentMeta.obj("usage", u.meta())
		if u.cost != nil {
			agentMeta.any("costUsd", *u.cost)
		}
	}
	meta := newObject().num("durationMs", run.endedAt-run.startedAt).obj("agentMeta", agentMeta.obj("terminalReceipt", v.receipt())).
		flag("aborted", false).str("finalPromptText", run.begun.Message).str("finalAssistantVisibleText", string(v.text)).
		str("finalAssistantRawText", string(v.text)).flag("replayInvalid", len(v.tools) > 0).str("livenessState", "working").str("stopReason", "stop").
		obj("executionTrace", newObject().str("winnerProvider", s.provider).str("winnerModel", s.model).raw("attempts", array([][]byte{
			newObject().str("provider", s.provider).str("model", s.model).str("result", "success").str("stage", "assistant").end(),
		})).flag("fallbackUsed", false).str("runner", "embedded")).
		obj("requestShaping", newObject().str("thinking", "off")).
		obj("completion", newObject().str("stopReason", "stop").str("finishReason", "stop"))
	return newObject().raw("payloads", array(payloads)).obj("meta", meta).str("sourceReplyDeliveryState", "missing")
}

// waitAgent answers when a run has ended, or when the client has waited long enough.
func (r *Runtime) waitAgent(q *request) {
	p := struct {
		Run     string `json:"runId"`
		Timeout int64  `json:"timeoutMs"`
	}{Timeout: 30000}
	read(q.params, &p)
	answer := func() {
		o := newObject().str("runId", p.Run)
		run := r.runs[p.Run]
		switch {
		case run == nil || run.status == statusRunning || run.status == statusLost:
			o.str("status", "timeout")
		case run.status == statusFailed:
			o.str("status", "error").num("startedAt", run.startedAt).num("endedAt", run.endedAt).str("error", run.summary)
		case run.status == statusAborted:
			o.str("status", "timeout").num("endedAt", run.endedAt).str("stopReason", "rpc")
		default:
			o.str("status", "ok").num("endedAt", run.endedAt).obj("terminalReceipt", run.voice.receipt().str("terminalDisposition", "visible"))
			if len(run.voice.text) > 0 {
				o.obj("terminalReply", newObject().str("disposition", "visible").str("text", string(run.voice.text)))
			}
		}
		q.ok(o)
	}
	ended := make(chan struct{})
	if run := r.runs[p.Run]; run != nil {
		if run.status != statusRunning {
			answer()
			return
		}
		run.waits = append(run.waits, ended)
	}
	r.await(ended, time.Duration(p.Timeout)*time.Millisecond, answer)
}
