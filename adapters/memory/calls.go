package memory

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// calls pairs calls and results.
type calls struct {
	known    map[string]*toolCall
	order    []string
	byIndex  map[int]string
	nameless int
}

type toolCall struct {
	name     string
	input    strings.Builder
	whole    bool
	answered bool
}

func newCalls() calls {
	return calls{known: map[string]*toolCall{}, byIndex: map[int]string{}}
}

func (c *calls) id(given string) string {
	if given != "" {
		return given
	}
	c.nameless++
	return fmt.Sprintf("call-%d", c.nameless)
}

func (c *calls) call(f fakes.ToolCall) []executor.Event {
	id := c.id(f.ID)
	known := c.known[id]
	if known == nil {
		known = &toolCall{name: f.Name}
		c.known[id] = known
		c.order = append(c.order, id)
	}
	if known.whole {
		return nil // announced already
	}
	known.whole = true
	return []executor.Event{executor.ToolCall{ID: id, Name: f.Name, Input: executor.JSON(f.Input)}}
}

// piece adds to a streamed call. A new id on a used index opens a new call.
func (c *calls) piece(f fakes.CallPart) []executor.Event {
	var events []executor.Event
	id := c.byIndex[f.Index]
	if f.ID != "" && f.ID != id {
		if id != "" {
			events = c.complete(id)
		}
		id = f.ID
		c.byIndex[f.Index] = id
		if c.known[id] == nil {
			c.known[id] = &toolCall{name: f.Name}
			c.order = append(c.order, id)
		}
	}
	call := c.known[id]
	if call == nil || call.whole {
		return events // a continuation of nothing
	}
	call.input.WriteString(f.Fragment)
	text, err := jsontext.AppendQuote(nil, call.input.String())
	if err != nil {
		return events
	}
	return append(events, executor.ToolCall{ID: id, Name: call.name, Input: executor.JSON(text), Partial: true})
}

// complete makes a streamed call callable, if its input is one JSON value.
func (c *calls) complete(id string) []executor.Event {
	call := c.known[id]
	if call == nil || call.whole {
		return nil
	}
	input := strings.TrimSpace(call.input.String())
	if input == "" {
		input = "{}"
	}
	if !jsontext.Value(input).IsValid() {
		return nil
	}
	call.whole = true
	return []executor.Event{executor.ToolCall{ID: id, Name: call.name, Input: executor.JSON(input)}}
}

// settle completes every streamed call, in the order in which they opened.
func (c *calls) settle() []executor.Event {
	var events []executor.Event
	for _, id := range c.order {
		events = append(events, c.complete(id)...)
	}
	return events
}

// result answers a call once; a result of nothing is left out.
func (c *calls) result(f fakes.Result) []executor.Event {
	call := c.known[f.ID]
	if call == nil || call.answered {
		return nil
	}
	events := c.complete(f.ID)
	if !call.whole {
		return events
	}
	call.answered = true
	return append(events, executor.ToolResult{ID: f.ID, Name: call.name, Output: f.Out, IsError: f.Error})
}

// close answers every call that is still open with an error.
func (c *calls) close() []executor.Event {
	var events []executor.Event
	for _, id := range c.order {
		if call := c.known[id]; call.whole && !call.answered {
			call.answered = true
			events = append(events, executor.ToolResult{ID: id, Name: call.name, Output: "the run ended before the tool did", IsError: true})
		}
	}
	return events
}
