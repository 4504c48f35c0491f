package loop

import (
	"context"
	"errors"
	"strings"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// CodeInbox is the code of the error, not fatal, of an inbox that could not be read.
const CodeInbox = "inbox"

// CodeRefusal is the code of a run whose model would not answer.
const CodeRefusal = "refusal"

// conversation is a run under way. One goroutine has it.
type conversation struct {
	Options
	tools   toolset
	talk    []message.Message
	text    strings.Builder // of the answer under way
	last    string          // text of the last answer that had any
	greeted bool            // the model has said something
	calls   ids
	spent   spent
	outcome Outcome
}

// Run holds a conversation to its end.
func Run(ctx context.Context, o Options) Outcome {
	c := &conversation{Options: o, tools: newToolset(o.Tools, o.Blocklist)}
	c.talk = append(c.talk, message.Closed(o.History)...)
	c.talk = append(c.talk, message.FromUser(o.Prompt))
	c.calls.take(c.talk)
	c.turns(ctx)
	out := c.outcome
	out.Messages = message.Closed(c.talk)
	out.Usage, out.Cost = c.spent.usage, c.spent.money()
	if out.Summary = c.text.String(); out.Summary == "" {
		out.Summary = c.last
	}
	return out
}

func (c *conversation) turns(ctx context.Context) {
	for c.outcome.Turns < c.MaxTurns {
		if ctx.Err() != nil {
			c.end(executor.ReasonAborted)
			return
		}
		c.hear(ctx)
		c.outcome.Turns++
		if over := c.turn(ctx); over {
			return
		}
	}
	c.end(executor.ReasonMaxTurns)
}

func (c *conversation) end(reason executor.Reason) { c.outcome.Reason = reason }

func (c *conversation) fail(code, said string) {
	c.end(executor.ReasonError)
	c.outcome.Failure = executor.Error{Code: &code, Message: said, Fatal: true}
}

// hear takes what the model is to be told, and reports whether there was any.
func (c *conversation) hear(ctx context.Context) bool {
	var all []string
	if c.Inputs != nil {
		all = c.Inputs()
	}
	if c.Inbox != nil {
		more, err := c.Inbox(ctx)
		if err != nil && ctx.Err() == nil {
			code := CodeInbox
			c.Emit(executor.Error{Code: &code, Message: "the inbox could not be read"})
		}
		all = append(all, more...)
	}
	for _, text := range all {
		c.talk = append(c.talk, message.FromUser(text))
	}
	return len(all) > 0
}

// turn asks for one answer and serves it. It reports whether the run is over.
func (c *conversation) turn(ctx context.Context) (over bool) {
	c.text.Reset()
	r := provider.Request{System: c.System, Messages: c.talk, Tools: c.tools.definitions, MaxTokens: c.MaxTokens}
	if c.RequestID != nil {
		r.ID = c.RequestID(c.outcome.Turns)
	}
	answer, err := c.Model.Turn(ctx, r, c.say)
	if answer.Model != "" {
		c.outcome.Model = answer.Model
	}
	if cost, any := c.spent.add(answer); any {
		c.greet(answer.Model)
		c.Emit(cost)
	}
	if err != nil {
		c.keep(nil)
		c.failed(ctx, err)
		return true
	}
	c.greet(answer.Model)
	switch answer.Stop {
	case provider.StopLength:
		c.keep(nil)
		c.fail(executor.CodeTokenLimit, "the answer was cut by a length limit")
		return true
	case provider.StopRefusal:
		c.keep(nil)
		c.fail(CodeRefusal, "the model would not answer")
		return true
	}
	calls := c.calls.name(answer.Calls)
	c.keep(calls)
	if len(calls) > 0 {
		return c.serve(ctx, calls)
	}
	if c.outcome.Turns < c.MaxTurns && ctx.Err() == nil && c.hear(ctx) {
		return false
	}
	c.end(executor.ReasonSuccess)
	if ctx.Err() != nil {
		c.end(executor.ReasonAborted)
	}
	return true
}

// greet says, once, that the model has begun to speak, and which one it is.
func (c *conversation) greet(model string) {
	if !c.greeted {
		c.greeted = true
		c.Emit(executor.Status{Phase: executor.PhaseInit, Model: model})
	}
}

// say passes a piece on.
func (c *conversation) say(p provider.Piece) {
	c.greet(p.Model)
	channel := executor.Assistant
	if p.Reasoning {
		channel = executor.Reasoning
	} else {
		c.text.WriteString(p.Text)
	}
	c.Emit(executor.TextDelta{Text: p.Text, Channel: channel})
}

// keep adds the answer to the conversation. A turn that failed leaves what it said, and no
// call: none of them was announced.
func (c *conversation) keep(calls []provider.Call) {
	m := message.Message{Role: message.Assistant}
	if text := c.text.String(); strings.TrimSpace(text) != "" {
		m.Content = append(m.Content, message.Text(text))
		c.last = text
	}
	for _, call := range calls {
		m.Content = append(m.Content, message.Call(call.ID, call.Name, call.Input))
	}
	if len(m.Content) > 0 {
		c.talk = append(c.talk, m)
	}
}

// failed ends the run with the failure of a turn.
func (c *conversation) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		c.end(executor.ReasonAborted)
		return
	}
	var e *provider.Error
	switch {
	case errors.As(err, &e) && e.Code == provider.CodeContextOverflow:
		c.fail(string(e.Code), provider.OverflowMessage)
	case errors.As(err, &e):
		c.fail(string(e.Code), e.Error())
	default:
		c.fail(string(provider.CodeUnknown), "the turn failed")
	}
}
