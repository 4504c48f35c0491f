package memory

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// texts keeps the assistant text by part or message, so that what comes again is
// not said again.
type texts struct {
	byKey map[string]string
	all   strings.Builder
	last  string // text of the last message
	key   string // its key
	fresh bool   // the next text begins a message
}

func newTexts() texts { return texts{byKey: map[string]string{}, fresh: true} }

// say delivers an increment of a part.
func (t *texts) say(key, s string) []executor.Event {
	if s == "" {
		return nil
	}
	if t.fresh || t.key != key {
		t.last, t.key, t.fresh = "", key, false
	}
	t.last += s
	t.all.WriteString(s)
	return []executor.Event{executor.TextDelta{Text: s}}
}

func (t *texts) add(key, s string) []executor.Event {
	t.byKey[key] += s
	return t.say(key, s)
}

// at places text by position: what is there already is not said again.
func (t *texts) at(key string, pos int, s string) []executor.Event {
	known := t.byKey[key]
	if pos < 0 || pos > len(known) {
		pos = len(known)
	}
	return t.whole(key, known[:pos]+s)
}

// whole says what a cumulative text adds to the part. A text that takes back what
// was said starts the part anew, and says so first.
func (t *texts) whole(key, s string) []executor.Event {
	known := t.byKey[key]
	if strings.HasPrefix(known, s) && s != "" {
		return nil
	}
	t.byKey[key] = s
	if rest, ok := strings.CutPrefix(s, known); ok {
		return t.say(key, rest)
	}
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
	return t.last
}
