package claudecode

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// system maps the runtime's notices about itself.
func (m *mapper) system(f *frame) []executor.Event {
	switch {
	case is(f.subtype, "init"):
		return m.init(f)
	case is(f.subtype, "status"):
		if set(f.status) {
			return m.enter(executor.PhaseRunning)
		}
	case is(f.subtype, "thinking_tokens"):
		return m.enter(executor.PhaseThinking)
	case is(f.subtype, "api_retry"):
		out := append(m.said.retried(), m.meant.retried()...)
		m.phase = executor.PhaseRunning
		return append(out, executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailRetry})
	case is(f.subtype, "task_started"):
		m.tasks.started(f)
	case is(f.subtype, "task_updated"):
		m.tasks.updated(f)
	case is(f.subtype, "task_notification"):
		m.tasks.over(f)
	case is(f.subtype, "background_tasks_changed"):
		m.tasks.changed(f)
	}
	return nil
}

// init begins a turn. The first one is the runtime's hello.
func (m *mapper) init(f *frame) []executor.Event {
	out := append(m.said.elsewhere(), m.meant.elsewhere()...)
	m.inTurn, m.queued = true, false
	if id := text(f.session); id != "" {
		m.resume = id
		if m.session == "" {
			m.session = id
		}
	}
	if m.phase != "" {
		return append(out, m.enter(executor.PhaseRunning)...)
	}
	m.phase = executor.PhaseInit
	m.spend.version(text(f.version))
	return append(out, executor.Status{Phase: executor.PhaseInit, Model: text(f.model)})
}

// tasks are what works in the background and may yet begin a turn. Tasks in the
// foreground end before the tool call that began them. The zero value has none.
type tasks struct{ open map[string]bool }

func (t *tasks) set(id string, open bool) {
	if !open {
		delete(t.open, id)
		return
	}
	if t.open == nil {
		t.open = map[string]bool{}
	}
	t.open[id] = true
}

func (t *tasks) started(f *frame) { t.set(text(f.task), f.backgrounded.Kind() == 't') }

func (t *tasks) over(f *frame) { t.set(text(f.task), false) }

// updated notes a change of a task: that it went to the background, or that it is
// over.
func (t *tasks) updated(f *frame) {
	var now frame
	if !members(f.patch, now.take) {
		return
	}
	if now.backgrounded.Kind() == 't' {
		t.set(text(f.task), true)
	}
	if slices.Contains([]string{"completed", "failed", "killed", "stopped", "cancelled"}, text(now.status)) {
		t.over(f)
	}
}

// changed takes the list of all that are in the background.
func (t *tasks) changed(f *frame) {
	clear(t.open)
	elements(f.tasks, func(v jsontext.Value) {
		var task frame
		if members(v, task.take) {
			t.set(text(task.task), true)
		}
	})
}
