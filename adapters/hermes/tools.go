package hermes

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// tools pairs the tool calls of a run with their results. Hermes may leave ids out;
// such a result belongs to the oldest open call of its tool. The zero value is empty.
type tools struct {
	oneshot.Calls
	waiting map[string][]string // keys of calls without an id, by tool, oldest first
	minted  int
}

// call gives the event of a call.
func (t *tools) call(id, name string, input executor.JSON) executor.Event {
	if id == "" {
		t.minted++
		id = fmt.Sprintf("call-%d", t.minted)
		if t.waiting == nil {
			t.waiting = map[string][]string{}
		}
		t.waiting[name] = append(t.waiting[name], id)
	}
	return t.Announce(id, name, input)
}

// result gives the event of a result, and none where there is no such call, or it has
// a result already.
func (t *tools) result(id, name, output string, isError bool) []executor.Event {
	if known, _ := t.Known(id); !known {
		queue := t.waiting[name]
		if len(queue) == 0 {
			return nil
		}
		id, t.waiting[name] = queue[0], queue[1:]
	}
	return t.Answer(id, output, isError)
}
