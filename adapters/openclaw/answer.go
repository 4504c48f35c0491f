package openclaw

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// answer turns the whole text so far, which each chat event has, into increments. That
// text is the one source: an event that was lost, came twice or in another order costs
// nothing once the next one is there.
type answer struct {
	told strings.Builder // what observers have, since the last restart
	now  string          // what the gateway has, where that is something else
	ends bool            // now is told
	size int             // of the last event's message as JSON, 0 while not known
}

// event takes a chat event's increment and its message, either of which may be absent.
// The message repeats all of the text, and is read where it is anything but the last
// one grown by the increment.
func (a *answer) event(delta, message jsontext.Value, replace bool) []executor.Event {
	before := a.size
	a.size = len(message)
	switch {
	case len(message) == 0 && replace:
		return a.whole(str(delta))
	case len(message) == 0, a.ends && !replace && before > 0 && grew(message, before, delta):
		return a.more(str(delta))
	}
	s, is := said(message)
	if !is {
		a.size = 0
		return nil
	}
	return a.whole(s)
}

// grew reports whether a message is longer by just the increment, and ends in it.
func grew(message jsontext.Value, before int, delta jsontext.Value) bool {
	const after = 100 // bytes of what may follow the text
	if delta.Kind() != '"' || len(message)-before != len(delta)-len(`""`) {
		return false
	}
	end := message[max(0, len(message)-len(delta)-after):]
	return bytes.Contains(end, delta[1:]) // with the quote that ends the text
}

// whole says what the gateway's text has that was not told yet. Text that was taken
// back is told again only where the new text is another one.
func (a *answer) whole(s string) []executor.Event {
	told := a.told.String()
	if rest, extends := strings.CutPrefix(s, told); extends {
		a.now, a.ends = "", true
		return a.tell(rest)
	}
	if strings.HasPrefix(told, s) { // said again, or taken back and not all said anew
		a.now, a.ends = s, false
		return nil
	}
	return a.restart(s)
}

// more adds an increment to the gateway's text.
func (a *answer) more(s string) []executor.Event {
	if !a.ends && a.told.Len() > 0 {
		return a.whole(a.now + s)
	}
	a.ends = true
	return a.tell(s)
}

// tell tells what goes on where the text so far ends.
func (a *answer) tell(s string) []executor.Event {
	if s == "" {
		return nil
	}
	a.told.WriteString(s)
	return []executor.Event{executor.TextDelta{Text: s, Channel: executor.Assistant}}
}

// restart tells a text that does not go on where the last one ended.
func (a *answer) restart(s string) []executor.Event {
	a.told.Reset()
	a.now, a.ends = "", true
	restarted := executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailTextRestarted}
	return append([]executor.Event{restarted}, a.tell(s)...)
}

// final says what the final text has that was not told. One that is only part of what
// was told takes the rest back; white space around it is no difference.
func (a *answer) final(s string) []executor.Event {
	told := a.told.String()
	if strings.TrimSpace(s) == "" || strings.TrimSpace(s) == strings.TrimSpace(told) {
		return nil
	}
	if s != told && strings.HasPrefix(told, s) {
		return a.restart(s)
	}
	return a.whole(s)
}

// extend says what a text has beyond what was told, and nothing where it is another.
func (a *answer) extend(s string) []executor.Event {
	if !strings.HasPrefix(s, a.told.String()) {
		return nil
	}
	return a.whole(s)
}
