package openclaw

import (
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// question is one that a run waits for.
type question struct {
	id      string
	run     *Run
	tool    *tool
	request *object
	created int64
}

// lifetime is how long a question stays open, in milliseconds.
const lifetime = 30 * 60 * 1000

func approvalMethods() map[string]method {
	one := shape{required: []string{"id"}, members: map[string]rule{"id": filled}}
	resolve := shape{required: []string{"id", "decision"}, members: map[string]rule{"id": filled, "decision": isText}}
	return map[string]method{
		"exec.approval.list":    {scopeApprovals, shape{}, (*Runtime).listQuestions},
		"exec.approval.get":     {scopeApprovals, one, (*Runtime).getQuestion},
		"exec.approval.resolve": {scopeApprovals, resolve, (*Runtime).resolveQuestion},
	}
}

// ask puts a question about the run's last call of a tool.
func (run *Run) ask(f fakes.Ask) {
	v, r := run.voice, run.gateway
	v.quiet()
	t := &tool{name: f.Tool}
	for _, made := range v.tools {
		if !made.answered && (f.Tool == "" || made.name == f.Tool) {
			t = made
		}
	}
	q := &question{id: f.ID, run: run, tool: t, created: now()}
	q.request = q.describe()
	r.questions[f.ID] = q
	v.say("exec.approval.requested", newObject().str("approvalKind", "exec").str("id", q.id).obj("request", q.request).
		num("createdAtMs", q.created).num("expiresAtMs", q.created+lifetime), approvers, true)
	if r.version.modern {
		v.lifecycle(newObject().str("phase", "waiting-approval").str("approvalId", q.id).opt("toolCallId", t.id))
	}
}

// describe says what is asked for.
func (q *question) describe() *object {
	s := q.run.session
	o := newObject().str("command", command(q.tool.input))
	if q.run.gateway.version.modern {
		o.null("systemRunBinding").null("systemRunPlan")
	}
	o.str("cwd", workspace).null("nodeId").str("host", "gateway").str("security", "allowlist").str("ask", "on-miss")
	if q.run.gateway.version.modern {
		o.null("warningText").null("scope").obj("commandAnalysis", newObject().num("commandCount", 1).num("nestedCommandCount", 0).
			raw("riskKinds", []byte(`[]`)).raw("warningLines", []byte(`[]`))).list("unavailableDecisions", []string{"allow-always"})
	}
	o.list("allowedDecisions", q.allowed()).str("agentId", s.agent)
	if q.run.gateway.version.modern {
		if program, _, _ := strings.Cut(command(q.tool.input), " "); program != "" {
			o.str("resolvedPath", "/usr/bin/"+program)
		} else {
			o.null("resolvedPath")
		}
	}
	o.str("sessionKey", s.key).null("sessionId").str("runId", q.run.voice.id)
	if q.tool.id == "" {
		o.null("toolCallId")
	} else {
		o.str("toolCallId", q.tool.id)
	}
	return o.str("turnSourceChannel", "webchat").str("turnSourceTo", s.key).null("turnSourceAccountId").null("turnSourceThreadId").
		null("cronExecutionSource").null("cronOperationBinding")
}

// allowed are the decisions that answer the question.
func (q *question) allowed() []string {
	if q.run.gateway.version.modern {
		return []string{"allow-once", "deny"}
	}
	return []string{"allow-once", "allow-always", "deny"}
}

func (r *Runtime) listQuestions(q *request) {
	var open [][]byte
	for _, x := range r.questions {
		open = append(open, newObject().str("id", x.id).obj("request", x.request).num("createdAtMs", x.created).num("expiresAtMs", x.created+lifetime).end())
	}
	q.ok(newObject().raw("approvals", array(open)))
}

func (r *Runtime) getQuestion(q *request) {
	if x := r.asked(q); x != nil {
		q.ok(newObject().str("id", x.id).obj("request", x.request).num("createdAtMs", x.created).num("expiresAtMs", x.created+lifetime))
	}
}

// asked finds the question that a request is about, or refuses it.
func (r *Runtime) asked(q *request) *question {
	var p struct {
		ID string `json:"id"`
	}
	read(q.params, &p)
	x := r.questions[p.ID]
	if x == nil {
		q.fail(invalid("unknown or expired approval id"))
	}
	return x
}

// resolveQuestion takes the first answer to a question.
func (r *Runtime) resolveQuestion(q *request) {
	x := r.asked(q)
	if x == nil {
		return
	}
	var p struct {
		Decision string `json:"decision"`
	}
	read(q.params, &p)
	if !slices.Contains(x.allowed(), p.Decision) {
		q.fail(invalid("invalid decision"))
		return
	}
	delete(r.questions, x.id)
	allow := p.Decision != "deny"
	x.tool.refused = !allow
	x.run.record(fakes.Call{Method: fakes.MethodAnswer, Session: x.run.session.view(x.run.begun.Session), Question: x.id, Allow: allow})
	v := x.run.voice
	v.quiet()
	v.say("exec.approval.resolved", newObject().str("id", x.id).str("decision", p.Decision).str("resolvedBy", q.conn.client).num("ts", now()).
		obj("request", x.request), approvers, true)
	if r.version.modern {
		v.lifecycle(newObject().str("phase", "approval-resolved").str("approvalId", x.id).opt("toolCallId", x.tool.id))
	}
	q.ok(newObject().flag("ok", true))
}

// settleQuestions closes the questions of a run that is stopped.
func (run *Run) settleQuestions() {
	for id, q := range run.gateway.questions {
		if q.run == run {
			delete(run.gateway.questions, id)
		}
	}
}
