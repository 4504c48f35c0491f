package appserver

import (
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Turn says how the turn stands.
func (r *renderer) Turn(f fakes.Turn) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if f.State == "retry" {
		return r.retry(f.Text, "")
	}
	var say func(*turn) error
	switch f.State {
	case "running":
		say = func(t *turn) error { return r.status(t, threadStatus{Type: "active", Flags: &[]string{}}) }
	case "idle":
		say = func(t *turn) error { return r.status(t, threadStatus{Type: "idle"}) }
	case "text-end":
		say = r.settle
	case "compact":
		say = r.compact
	default:
		return unplayable("turn state %q", f.State)
	}
	if r.quiet() {
		return nil
	}
	return say(r.current())
}

// compact says that the context was compacted.
func (r *renderer) compact(t *turn) error {
	if err := r.settle(t); err != nil {
		return err
	}
	item := compactionItem{"contextCompaction", r.ids.uuid(), times{Started: r.ids.now()}}
	if err := r.opened(t, item, item.Started); err != nil {
		return err
	}
	at := r.ids.now()
	item.Completed = &at
	return r.closed(t, item, at)
}
