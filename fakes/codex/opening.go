package codex

import (
	"errors"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// warning is the code of an error that is an item, not a failure.
const warning = "warning"

func (r *renderer) Init(f fakes.Init) error {
	if r.announced && r.process != nil && f.Session != "" && f.Session != r.thread {
		return unplayable("another thread than the one that a warning came in")
	}
	if err := r.enter(f.Session); err != nil {
		return err
	}
	if err := r.announce(); err != nil {
		return err
	}
	r.announced, r.turned = false, true
	return r.print(turnStarted{"turn.started"})
}

// enter goes to another thread, if one is named.
func (r *renderer) enter(id string) (err error) {
	if id == "" || id == r.thread {
		return nil
	}
	r.thread = id
	if r.process != nil {
		r.process.Session = id
	}
	r.spent, _, err = r.store.Load(id)
	return err
}

// announce names the thread, unless that was done.
func (r *renderer) announce() error {
	if r.announced {
		return nil
	}
	r.announced = true
	if err := r.store.Save(r.thread, r.spent); err != nil {
		return err
	}
	return r.print(threadStarted{"thread.started", r.thread})
}

// warn prints a warning. One that comes before the turn comes after the name of the
// thread.
func (r *renderer) warn(message string) error {
	if !r.turned && !r.announced {
		if err := errors.Join(r.enter(r.named()), r.announce()); err != nil {
			return err
		}
	}
	return r.print(itemLine{"item.completed", errorItem{r.nextItem(), "error", message}})
}

// named is the thread that the next init names; empty is none.
func (r *renderer) named() string {
	if r.process == nil {
		return ""
	}
	for _, f := range r.process.Ahead() {
		if init, ok := f.(fakes.Init); ok {
			return init.Session
		}
	}
	return ""
}
