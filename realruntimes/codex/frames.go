package codex

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// Init begins the answer. What the frame tells is for the program to say: it has a thread
// of its own, which the receipt tells.
func (p *planner) Init(fakes.Init) error { return p.say() }

// Delta is a piece of a message.
func (p *planner) Delta(f fakes.Delta) error {
	if f.Parent != "" || f.Run != "" || f.At != nil {
		return unplayable("a piece of text of something else")
	}
	err := p.say(f)
	p.pieces = true
	return err
}

// Final is a whole message, or the end of one that came in pieces.
func (p *planner) Final(f fakes.Final) error {
	if f.Text == nil || f.Parent != "" {
		return unplayable("a message without text, or of a nested agent")
	}
	if p.said >= flood && !p.pieces {
		return p.say(itemEnd, whole(p.id("msg"), *f.Text))
	}
	return p.say(f)
}

// whole is a message as an event alone, its end, which is all that the program prints it
// for: in a flood the events before would cost it more than the message does.
func whole(id, text string) fakes.Frame {
	item := map[string]any{"type": "message", "role": "assistant", "id": id, "content": []any{
		map[string]any{"type": "output_text", "text": text, "annotations": []any{}},
	}}
	// It holds strings alone, and what is no UTF-8 is replaced.
	fields, err := json.Marshal(map[string]any{"output_index": 0, "item": item}, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		panic("codex: a message cannot be written: " + err.Error())
	}
	return fakes.Native{Type: "response.output_item.done", Fields: string(fields)}
}

// Think is a piece of reasoning, and an item of its own.
func (p *planner) Think(f fakes.Think) error {
	if f.Parent != "" {
		return unplayable("reasoning of a nested agent")
	}
	return p.say(f, itemEnd)
}

// itemEnd ends the item that pieces are being said of, if there is one.
var itemEnd = fakes.Turn{State: "text-end"}

// Usage is told with the end of the answer. The program adds up what a thread has used.
func (p *planner) Usage(f fakes.Usage) error {
	if f.CostUSD != nil {
		return unplayable("a price")
	}
	told := used{input: value(f.In), cached: value(f.CacheRead), output: value(f.Out), reasoning: value(f.Reasoning)}
	switch f.Kind {
	case fakes.UsageTurn, "":
		p.pending = p.pending.plus(told)
		return nil
	case fakes.UsageLast:
		told.input, told.output = value(f.TotalIn), value(f.TotalOut)
	}
	// The total of the thread: what is not told yet is the rest.
	rest := told.minus(p.used)
	if min(rest.input, rest.cached, rest.output, rest.reasoning) < 0 {
		return unplayable("a total that is less than the one before")
	}
	p.pending = rest
	return nil
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// End is the end of the last answer of a turn. Some ends are none for the program: it asks
// again, and is told the same until it gives up.
func (p *planner) End(f fakes.End) error {
	if f.Run != "" {
		return unplayable("the end of another run")
	}
	if f.Error {
		return p.Failure(fakes.Failure{Message: f.Text, Fatal: true})
	}
	switch f.Reason {
	case fakes.EndOK:
		return p.end(p.completed)
	case fakes.EndLength, fakes.EndRefusal:
		return p.end(func() []fakes.Frame { return []fakes.Frame{fakes.End{Reason: f.Reason}} })
	}
	return unplayable("the end %q", f.Reason)
}

// Failure is an answer that fails for good, or one that breaks off and is asked for
// again, which the program tells.
func (p *planner) Failure(f fakes.Failure) error {
	if f.Run != "" {
		return unplayable("a failure of another run")
	}
	if f.Fatal {
		// The code is one that the program does not try again after.
		failed := fakes.Failure{Code: "invalid_prompt", Message: f.Message, Fatal: true}
		return p.end(func() []fakes.Frame { return []fakes.Frame{itemEnd, failed} })
	}
	return p.retry()
}

// Turn has one state that a provider can bring about.
func (p *planner) Turn(f fakes.Turn) error {
	if f.State != "retry" || f.Run != "" {
		return unplayable("the state %q of a turn", f.State)
	}
	return p.retry()
}

func (p *planner) retry() error {
	if p.ended {
		return unplayable("a retry after the end")
	}
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		e, err := r.last()
		if err != nil {
			return err
		}
		if err := send(ctx, e, receipt, []fakes.Frame{itemEnd}); err != nil {
			return err
		}
		if err := e.Fault(ctx, provider.Fault{Kind: provider.FIN}); err != nil {
			return err
		}
		return r.await(ctx)
	})
}

// Cut kills the program, whose stream has no end then, once it has taken in what was said
// before.
func (p *planner) Cut(fakes.Cut) error {
	if p.ended {
		return unplayable("a cut after the end")
	}
	id, completed := p.id("call"), p.completed()
	p.ended = true
	return p.do(func(ctx context.Context, r *Run, receipt *fakes.Receipt) error {
		if err := r.fence(ctx, receipt, id, completed); err != nil {
			return err
		}
		r.kill()
		return nil
	})
}

// Silent lets the provider say nothing more.
func (p *planner) Silent(fakes.Silent) error {
	if p.ended {
		return unplayable("a program that stays after its end")
	}
	return p.do(func(_ context.Context, r *Run, _ *fakes.Receipt) error {
		r.silence()
		return nil
	})
}

// The rest is nothing that a provider could make the program do.

func (p *planner) Snapshot(fakes.Snapshot) error { return unplayable("text that comes again") }
func (p *planner) CallPart(fakes.CallPart) error { return unplayable("a call in pieces") }
func (p *planner) Ack(fakes.Ack) error           { return unplayable("an answer to a request") }
func (p *planner) Reject(fakes.Reject) error     { return unplayable("a refusal of a request") }
func (p *planner) Attempt(fakes.Attempt) error   { return unplayable("an attempt by its number") }
func (p *planner) Native(fakes.Native) error     { return unplayable("a line of another type") }
func (p *planner) Log(fakes.Log) error           { return unplayable("a line of a log") }
func (p *planner) Raw(fakes.Raw) error           { return unplayable("bytes as they are") }
func (p *planner) Stderr(fakes.Stderr) error     { return unplayable("text on stderr") }
func (p *planner) Exit(fakes.Exit) error         { return unplayable("an exit") }
func (p *planner) Child(fakes.Child) error       { return unplayable("a descendant") }
func (p *planner) Ignore(fakes.Ignore) error     { return unplayable("a signal that is ignored") }
