package codex

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/realruntimes/responses"
)

// script is what has been said of a run, as far as it matters for what comes.
type script struct {
	ids     int
	said    int      // events since the last end of an answer
	message *message // that comes in pieces, and is not over
	calls   map[string]*call
	// pending is used and not yet told, as it is told at the end of an answer.
	pending responses.Usage
}

// message is a message that comes in pieces.
type message struct{ id, msg, text string }

// step is one thing to do.
type step func(ctx context.Context, r *Run, receipt *fakes.Receipt) error

// planner is a visitor that makes steps of frames. Nothing leaves before all frames have
// turned out to have a form.
type planner struct {
	script
	used  responses.Usage // by the thread, what is pending left out
	ended bool
	steps []step
}

var _ fakes.FrameVisitor = (*planner)(nil)

// plan makes the steps, and keeps what they change for the next call.
func (r *Run) plan(thread string, frames []fakes.Frame) ([]step, error) {
	if r.restarted() {
		r.script.message = nil
	}
	p := &planner{script: r.script, used: r.runtime.used(thread)}
	p.script.calls = maps.Clone(p.script.calls)
	if p.script.calls == nil {
		p.script.calls = map[string]*call{}
	}
	for i, f := range frames {
		if err := f.Accept(p); err != nil {
			return nil, &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	r.script = p.script
	r.runtime.use(thread, p.used)
	return p.steps, nil
}

// do adds a step, which a run that was silenced leaves out.
func (p *planner) do(s step) error {
	p.steps = append(p.steps, func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		if r.silent() {
			return nil
		}
		return s(ctx, r, receipt)
	})
	return nil
}

func (p *planner) id(kind string) string {
	p.ids++
	return kind + "_" + strconv.Itoa(p.ids)
}

// say lets events leave.
func (p *planner) say(events ...responses.Event) error {
	if p.ended {
		return unplayable("something after the end")
	}
	p.said += len(events)
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		e, err := r.current()
		if err != nil {
			return err
		}
		return send(ctx, e, receipt, events)
	})
}

func send(ctx context.Context, e *responses.Exchange, receipt *fakes.Receipt, events []responses.Event) error {
	n, err := e.Send(ctx, events...)
	if err != nil {
		return fmt.Errorf("%w: %w", fakes.ErrGone, err)
	}
	receipt.Frames += len(events)
	receipt.Bytes += n
	return nil
}

// close lets the last events of an answer leave.
func (r *Run) close(ctx context.Context, receipt *fakes.Receipt, events ...responses.Event) error {
	e, err := r.last()
	if err != nil {
		return err
	}
	err = send(ctx, e, receipt, events)
	e.End()
	return err
}

// whole ends the message that comes in pieces, if there is one.
func (p *planner) whole() error {
	m := p.message
	if m == nil {
		return nil
	}
	p.message = nil
	return p.say(responses.Message(m.id, m.text))
}

// completed is the end of an answer, with what it used.
func (p *planner) completed() responses.Event {
	u := p.pending
	p.pending, p.said = responses.Usage{}, 0
	p.used = add(p.used, u)
	return responses.Completed(p.id("resp"), u)
}

func add(a, b responses.Usage) responses.Usage {
	return responses.Usage{Input: a.Input + b.Input, Cached: a.Cached + b.Cached, Output: a.Output + b.Output, Reasoning: a.Reasoning + b.Reasoning}
}

// flood is after how many events of an answer the end waits until the program has taken
// them in: it reads faster than it works, and what it does later would be charged to the
// adapter.
const flood = 200

// end says how the run ends.
func (p *planner) end(how func() responses.Event) error {
	if p.ended {
		return unplayable("a second end")
	}
	if p.said > flood {
		id, nothing := p.id("call"), responses.Completed(p.id("resp"), responses.Usage{})
		err := p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
			return r.fence(ctx, receipt, id, nothing)
		})
		if err != nil {
			return err
		}
	}
	e := how()
	p.ended = true
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		r.finish(&e) // before the program reads it
		return r.close(ctx, receipt, e)
	})
}
