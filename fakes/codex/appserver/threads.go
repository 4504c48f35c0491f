package appserver

import (
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/codex/thread"
)

// defaultModel is what a thread runs on whose client names none.
const defaultModel = "gpt-5.5"

// provider is where the models are. It is a fake, too.
const provider = "fake"

// conversation is a thread that is loaded.
type conversation struct {
	id        string
	asked     string // the thread that the client asked for
	fork      bool
	forgets   bool // ephemeral
	dir       string
	model     string
	asksModel bool // the client named it
	approval  any
	sandbox   sandbox
	created   int64
	spent     thread.Totals
	record    record
}

// converse makes a thread known, under a fresh id if it has none.
func (r *renderer) converse(c conversation) *conversation {
	if c.id == "" {
		c.id = r.ids.uuid()
	}
	c.created = r.ids.seconds()
	r.threads[c.id] = &c
	return &c
}

// loaded finds the thread of a request. Nil says that the request was refused.
func (r *renderer) loaded(id jsontext.Value, p *params) (*conversation, error) {
	name := p.must("threadId")
	if p.wrong != "" {
		return nil, r.invalid(id, p)
	}
	if err := threadID(name); err != nil {
		r.breach(BreachThread)
		return nil, r.deny(id, "%s", err.Error())
	}
	c := r.threads[name]
	if c == nil {
		r.breach(BreachThread)
		return nil, r.deny(id, "thread not found: %s", name)
	}
	return c, nil
}

// settings reads what all requests for a thread say of it.
func (r *renderer) settings(p *params) conversation {
	c := conversation{dir: p.text("cwd"), model: p.text("model"), forgets: p.flag("ephemeral"), approval: "on-request"}
	c.asksModel = c.model != ""
	if c.model == "" {
		c.model = defaultModel
	}
	if c.dir == "" {
		c.dir = workDir()
	}
	if v := p.members["approvalPolicy"]; v.Kind() == '{' {
		c.approval = v
	} else if word := p.word("approvalPolicy", "untrusted", "on-failure", "on-request", "never"); word != "" {
		c.approval = word
	}
	no := false
	switch p.word("sandbox", "read-only", "workspace-write", "danger-full-access") {
	case "danger-full-access":
		c.sandbox = sandbox{Type: "dangerFullAccess"}
	case "workspace-write":
		c.sandbox = sandbox{Type: "workspaceWrite", Roots: &[]string{}, Network: &no, NoTmpDir: &no, NoSlashTm: &no}
	default:
		c.sandbox = sandbox{Type: "readOnly", Network: &no}
	}
	return c
}

// admit reports whether a request for a thread may go on. If not, it was refused.
func (r *renderer) admit(id jsontext.Value, p *params) (bool, error) {
	if !r.greeted {
		r.breach(BreachHandshake)
	}
	switch {
	case p.wrong != "":
		return false, r.invalid(id, p)
	case r.refuses:
		return false, r.deny(id, "the start was refused")
	}
	return true, nil
}

func (r *renderer) startThread(id jsontext.Value, p *params) error {
	c := r.settings(p)
	if ok, err := r.admit(id, p); !ok {
		return err
	}
	return r.introduce(id, r.converse(c))
}

// introduce answers a request with a new thread, and announces it.
func (r *renderer) introduce(id jsontext.Value, c *conversation) error {
	if err := r.grant(id, r.answerOf(c)); err != nil || r.silenced() {
		return err
	}
	return r.tell("thread/started", threadStarted{r.infoOf(c)})
}

// stored finds a thread that an earlier process worked on. Nil says that the request was
// refused.
func (r *renderer) stored(id jsontext.Value, p *params) (*conversation, error) {
	c := r.settings(p)
	c.asked = p.must("threadId")
	if ok, err := r.admit(id, p); !ok {
		return nil, err
	}
	if err := threadID(c.asked); err != nil {
		return nil, r.deny(id, "%s", err.Error())
	}
	var known bool
	var err error
	if c.spent, known, err = r.store.Load(c.asked); err != nil {
		return nil, err
	}
	if live := r.threads[c.asked]; live != nil {
		c.spent, known = live.spent, true
	}
	if !known && r.store.Dir != "" { // where nothing is remembered, nothing is unknown
		return nil, r.deny(id, "no rollout found for thread id %s", c.asked)
	}
	if c.record, _, err = r.records.Load(c.asked); err != nil {
		return nil, err
	}
	return &c, nil
}

// resumeThread goes on with a thread. What it has spent is told again, under the turn
// that spent it last.
func (r *renderer) resumeThread(id jsontext.Value, p *params) error {
	c, err := r.stored(id, p)
	if c == nil {
		return err
	}
	c.id = c.asked
	c = r.converse(*c)
	if err := r.grant(id, r.answerOf(c)); err != nil {
		return err
	}
	return r.restate(c)
}

// forkThread begins a thread that has spent what another one has.
func (r *renderer) forkThread(id jsontext.Value, p *params) error {
	c, err := r.stored(id, p)
	if c == nil {
		return err
	}
	c.fork = true
	return r.introduce(id, r.converse(*c))
}

// restate tells what a thread had spent before.
func (r *renderer) restate(c *conversation) error {
	if c.spent == (thread.Totals{}) || r.silenced() {
		return nil
	}
	return r.tell("thread/tokenUsage/updated", usageUpdated{c.id, c.record.Turn, usageOf(c.spent, c.record.Last)})
}

// save remembers a thread, from its first turn on.
func (r *renderer) save(c *conversation) error {
	if c.forgets {
		return nil
	}
	if err := r.store.Save(c.id, c.spent); err != nil {
		return err
	}
	return r.records.Save(c.id, c.record)
}

func (r *renderer) answerOf(c *conversation) threadAnswer {
	return threadAnswer{Thread: r.infoOf(c), Model: c.model, Provider: provider, Dir: c.dir, Roots: []string{c.dir}, Approval: c.approval,
		Reviewer: "user", Sandbox: c.sandbox, MultiAgent: "explicitRequestOnly"}
}

func (r *renderer) infoOf(c *conversation) threadInfo {
	info := threadInfo{
		ID: c.id, Environments: []environment{{"local", c.dir, []string{c.dir}}}, Session: c.id, Ephemeral: c.forgets, History: "paginated",
		Provider: provider, Model: c.model, Created: c.created, Updated: c.created, Recency: c.created, Status: threadStatus{Type: "idle"},
		Dir: c.dir, Version: r.version, Originator: r.client.Name, Source: "vscode", TakesInput: true,
	}
	if c.fork {
		info.ForkedFrom = &c.asked
	}
	if !c.forgets {
		at := time.Unix(c.created, 0).UTC()
		path := filepath.Join(r.codexHome(), "sessions", at.Format("2006/01/02"), "rollout-"+at.Format("2006-01-02T15-04-05")+"-"+c.id+".jsonl")
		info.Path = &path
	}
	return info
}

// call is how a run begins.
func (t *turn) call() fakes.Call {
	c := fakes.Call{Method: fakes.MethodStart, Session: t.of.id, Resume: t.of.asked, Message: textOf(t.first.input), Dir: t.of.dir}
	if t.of.asksModel {
		c.Model = t.of.model
	}
	return c
}
