package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/tiers"
)

// CodeDenied is the code of the error, not fatal, of a call that a policy refused.
const CodeDenied = "policy_denied"

// MaxOutput is how much of a tool's output the model reads, in bytes. The event has all.
const MaxOutput = 64 << 10

// toolset is what tools a run has, and in which order the model is told of them. It never
// changes.
type toolset struct {
	byName      map[string]tool.Tool
	definitions []tool.Definition
	of          map[string]tool.Definition
}

func newToolset(all []tool.Tool, blocked []string) toolset {
	t := toolset{byName: map[string]tool.Tool{}, of: map[string]tool.Definition{}}
	for _, one := range all {
		d := one.Definition()
		if _, taken := t.byName[d.Name]; taken || slices.Contains(blocked, d.Name) {
			continue
		}
		t.byName[d.Name], t.of[d.Name] = one, d
		t.definitions = append(t.definitions, d)
	}
	t.definitions = tiers.SortToolDefs(t.definitions, func(d tool.Definition) string { return d.Name })
	return t
}

// serve answers the calls of a turn, one after another, and reports whether the run is
// over. Those that an abort leaves are answered too: with nothing but that.
func (c *conversation) serve(ctx context.Context, calls []provider.Call) (over bool) {
	answers := message.Message{Role: message.User}
	defer func() { c.talk = append(c.talk, answers) }()
	for _, call := range calls {
		if ctx.Err() != nil {
			break // a call that was not announced is none
		}
		c.Emit(executor.ToolCall{ID: call.ID, Name: call.Name, Input: executor.JSON(call.Input)})
		r := c.call(ctx, call)
		c.Emit(executor.ToolResult{ID: call.ID, Name: call.Name, Output: r.Output, IsError: r.IsError})
		if r.Denied {
			code := CodeDenied
			c.Emit(executor.Error{Code: &code, Message: "a policy denied a call of " + call.Name})
		}
		answers.Content = append(answers.Content, message.Result(call.ID, bounded(r.Output), r.IsError))
	}
	if ctx.Err() != nil {
		c.end(executor.ReasonAborted)
		return true
	}
	return false
}

// call calls a tool. What the model may not call is an error to it, and calls nothing.
func (c *conversation) call(ctx context.Context, call provider.Call) tool.Result {
	what, has := c.tools.byName[call.Name]
	if !has {
		return tool.Error("unknown tool: " + call.Name)
	}
	info := tool.CallInfo{ID: call.ID, Name: call.Name}
	if c.Approve != nil && !c.Approve(ctx, info, c.tools.of[call.Name]) {
		if ctx.Err() != nil {
			return tool.Error(message.Unanswered)
		}
		return tool.Result{Output: "the call was not approved", IsError: true, Denied: true}
	}
	if ctx.Err() != nil {
		return tool.Error(message.Unanswered)
	}
	answered := make(chan tool.Result, 1)
	go func() { answered <- guarded(tool.WithCall(ctx, info), what, json.RawMessage(call.Input)) }()
	select {
	case r := <-answered:
		return r
	case <-ctx.Done():
	}
	timer := time.NewTimer(c.Grace)
	defer timer.Stop()
	select {
	case r := <-answered:
		return r
	case <-timer.C:
		return tool.Error(message.Unanswered)
	}
}

// guarded calls a tool, whose panic is a failure of that call.
func guarded(ctx context.Context, what tool.Tool, input json.RawMessage) (r tool.Result) {
	defer func() {
		if recover() != nil {
			r = tool.Error("the tool failed")
		}
	}()
	return what.Call(ctx, input)
}

// bounded is output as the model reads it: valid text, cut at a character.
func bounded(output string) string {
	output = strings.ToValidUTF8(output, "\uFFFD")
	if len(output) <= MaxOutput {
		return output
	}
	at := MaxOutput
	for !utf8.RuneStart(output[at]) {
		at--
	}
	return output[:at] + fmt.Sprintf("\n…[truncated at %d bytes]", MaxOutput)
}

// ids gives the calls of a conversation ids of their own.
type ids struct{ taken map[string]bool }

// take notes the ids of a conversation so far.
func (s *ids) take(talk []message.Message) {
	s.taken = map[string]bool{}
	for _, m := range talk {
		for _, p := range m.Content {
			if p.Kind == message.KindCall {
				s.taken[p.ID] = true
			}
		}
	}
}

// name gives the calls of an answer ids that no other call of the conversation has. A call
// that an answer has twice, to the letter, is one.
func (s *ids) name(calls []provider.Call) []provider.Call {
	var out []provider.Call
	var seen []provider.Call
	for _, call := range calls {
		if call.ID != "" && slices.ContainsFunc(seen, func(c provider.Call) bool {
			return c.ID == call.ID && c.Name == call.Name && string(c.Input) == string(call.Input)
		}) {
			continue
		}
		seen = append(seen, call)
		id := call.ID
		if id == "" {
			id = "call"
		}
		call.ID = id
		for n := 2; s.taken[call.ID]; n++ {
			call.ID = fmt.Sprintf("%s-%d", id, n)
		}
		s.taken[call.ID] = true
		if call.Name == "" {
			call.Name = "unnamed"
		}
		out = append(out, call)
	}
	return out
}
