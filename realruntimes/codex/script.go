package codex

import (
	"context"
	"maps"
	"strconv"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// script is what has been said of a run, as far as it matters for what comes.
type script struct {
	ids  int
	said int // frames since the last end of an answer
	// pieces: the last of them was a piece of a message.
	pieces bool
	calls  map[string]*call
	// pending is used and not yet told, as it is told at the end of an answer.
	pending used
}

// used counts tokens. Input includes cached, and output includes reasoning.
type used struct{ input, cached, output, reasoning int64 }

func (u used) plus(v used) used {
	return used{u.input + v.input, u.cached + v.cached, u.output + v.output, u.reasoning + v.reasoning}
}

func (u used) minus(v used) used {
	return used{u.input - v.input, u.cached - v.cached, u.output - v.output, u.reasoning - v.reasoning}
}

// step is one thing to do.
type step func(ctx context.Context, r *Run, receipt *fakes.Receipt) error

// planner is a visitor that makes steps of frames. Nothing leaves before all frames have
// turned out to have a form.
type planner struct {
	script
	used  used // by the thread, what is pending left out
	ended bool
	steps []step
}

var _ fakes.FrameVisitor = (*planner)(nil)

// plan makes the steps, and keeps what they change for the next call.
func (r *Run) plan(thread string, frames []fakes.Frame) ([]step, error) {
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

// say lets frames leave, after the beginning of the answer.
func (p *planner) say(frames ...fakes.Frame) error {
	if p.ended {
		return unplayable("something after the end")
	}
	p.said += len(frames)
	p.pieces = false
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		e, err := r.current()
		if err != nil {
			return err
		}
		return send(ctx, e, receipt, frames)
	})
}

func send(ctx context.Context, e *asked, receipt *fakes.Receipt, frames []fakes.Frame) error {
	begun, err := e.Begin(ctx)
	if err == nil {
		receipt.Frames += begun.Frames
		receipt.Bytes += begun.Bytes
		begun, err = e.Emit(ctx, frames...)
	}
	if err != nil {
		return err
	}
	receipt.Frames += begun.Frames
	receipt.Bytes += begun.Bytes
	return nil
}

// close lets the last frames of an answer leave.
func (r *Run) close(ctx context.Context, receipt *fakes.Receipt, frames ...fakes.Frame) error {
	e, err := r.last()
	if err != nil {
		return err
	}
	return send(ctx, e, receipt, frames)
}

// completed is the end of an answer, with what it used.
func (p *planner) completed() []fakes.Frame {
	u := p.pending
	p.pending, p.said = used{}, 0
	p.used = p.used.plus(u)
	return ended(u)
}

func ended(u used) []fakes.Frame {
	return []fakes.Frame{
		fakes.Usage{Kind: fakes.UsageTurn, In: &u.input, CacheRead: &u.cached, Out: &u.output, Reasoning: &u.reasoning},
		fakes.End{Reason: fakes.EndOK},
	}
}

// flood is after how many frames of an answer the end waits until the program has taken
// them in: it reads faster than it works, and what it does later would be charged to the
// adapter.
const flood = 200

// end says how the run ends.
func (p *planner) end(how func() []fakes.Frame) error {
	if p.ended {
		return unplayable("a second end")
	}
	if p.said > flood {
		id, nothing := p.id("call"), ended(used{})
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
		r.finish(e) // before the program reads it
		return r.close(ctx, receipt, e...)
	})
}
