package memory

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// texts keeps the assistant text by part or message, so that what comes again is
// not said again.
type texts struct {
	byKey map[string]*strings.Builder
	all   strings.Builder
	last  strings.Builder // text of the last message
	key   string          // its key
	fresh bool            // the next text begins a message
}

func newTexts() texts { return texts{byKey: map[string]*strings.Builder{}, fresh: true} }

// part is the text of a part so far.
func (t *texts) part(key string) *strings.Builder {
	b := t.byKey[key]
	if b == nil {
		b = &strings.Builder{}
		t.byKey[key] = b
	}
	return b
}

// say delivers an increment of a part.
func (t *texts) say(key, s string) []executor.Event {
	if s == "" {
		return nil
	}
	if t.fresh || t.key != key {
		t.last.Reset()
		t.key, t.fresh = key, false
	}
	t.last.WriteString(s)
	t.all.WriteString(s)
	return []executor.Event{executor.TextDelta{Text: s}}
}

func (t *texts) add(key, s string) []executor.Event {
	t.part(key).WriteString(s)
	return t.say(key, s)
}

// at places text by position: what is there already is not said again.
func (t *texts) at(key string, pos int, s string) []executor.Event {
	known := t.part(key).String()
	if pos < 0 || pos > len(known) {
		pos = len(known)
	}
	return t.whole(key, known[:pos]+s)
}

// whole says what a cumulative text adds to the part. A text that takes back what
// was said starts the part anew, and says so first.
func (t *texts) whole(key, s string) []executor.Event {
	part := t.part(key)
	known := part.String()
	if strings.HasPrefix(known, s) && s != "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(s, known); ok {
		part.WriteString(rest)
		return t.say(key, rest)
	}
	part.Reset()
	part.WriteString(s)
	t.fresh = true
	restart := executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailTextRestarted}
	return append([]executor.Event{restart}, t.say(key, s)...)
}

// end closes a message: equal text that comes later is another message.
func (t *texts) end(key string) {
	delete(t.byKey, key)
	t.fresh = true
}

func (t *texts) endAll() {
	clear(t.byKey)
	t.fresh = true
}

// summary is the last message, or all of the text for a run that was stopped.
func (t *texts) summary(r executor.Reason) string {
	if r == executor.ReasonAborted || r == executor.ReasonMaxTurns {
		return t.all.String()
	}
	return t.last.String()
}

// repeat recognises a message that a reconnect made the runtime say twice.
type repeat struct {
	last    string // the last message, if nothing but reconnect notices followed
	any     bool
	retried bool // a notice followed
}

// pass notes a frame that comes: what is neither a message nor a notice parts two
// messages.
func (r *repeat) pass(f fakes.Frame) {
	switch f := f.(type) {
	case fakes.Final:
	case fakes.Turn:
		if f.State == "retry" {
			r.retried = true
			return
		}
		*r = repeat{}
	default:
		*r = repeat{}
	}
}

// is notes a message and reports whether it only restates the last one.
func (r *repeat) is(message string) bool {
	again := r.any && r.retried && r.last == message
	*r = repeat{last: message, any: true}
	return again
}
