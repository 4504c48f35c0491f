package oneshot

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Calls pairs the tool calls of a run with their results. A key is what the wire
// calls a call; ids are made unique within the run. The zero value is empty.
type Calls struct {
	byKey map[string]*call // the latest call of a key
	ids   map[string]bool  // ids that are taken
	order []*call
	open  int
}

type call struct {
	id, name string
	closed   bool
}

// Open is how many calls have no result.
func (c *Calls) Open() int { return c.open }

// Known reports whether a call of this key has been announced, and whether the
// latest has no result yet.
func (c *Calls) Known(key string) (known, open bool) {
	it := c.byKey[key]
	return it != nil, it != nil && !it.closed
}

// Announce gives the event of a call. A key that comes again is another call, and
// gets an id of its own.
func (c *Calls) Announce(key, name string, input executor.JSON) executor.Event {
	if c.byKey == nil {
		c.byKey, c.ids = map[string]*call{}, map[string]bool{}
	}
	id := key
	for n := 2; c.ids[id]; n++ {
		id = fmt.Sprintf("%s~%d", key, n)
	}
	it := &call{id: id, name: name}
	c.byKey[key], c.ids[id] = it, true
	c.order = append(c.order, it)
	c.open++
	return executor.ToolCall{ID: id, Name: name, Input: input}
}

// Answer gives the result of the latest call of the key: one event, none if it has
// a result already or was never announced.
func (c *Calls) Answer(key, output string, isError bool) []executor.Event {
	it := c.byKey[key]
	if it == nil || it.closed {
		return nil
	}
	it.closed = true
	c.open--
	return []executor.Event{executor.ToolResult{ID: it.id, Name: it.name, Output: output, IsError: isError}}
}

// Close answers every call that is still open: its result will not come.
func (c *Calls) Close() []executor.Event {
	var out []executor.Event
	for _, it := range c.order {
		if !it.closed {
			it.closed = true
			c.open--
			out = append(out, executor.ToolResult{ID: it.id, Name: it.name, Output: "the run ended before the tool did", IsError: true})
		}
	}
	return out
}
