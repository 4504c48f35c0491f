package provider

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Rule says what is answered to the requests that it is for. The first rule that a
// request keeps answers it.
type Rule struct {
	// Name is how errors and the journal call the rule; empty is its number.
	Name string
	// When says which requests; the zero value is all.
	When When
	// Times is how many requests the rule answers; 0 is any number. A rule that is
	// used up is passed over.
	Times int
	// Follows: it answers only after the rule before it is used up: rules in a row that
	// follow are a sequence.
	Follows bool
	// Frames are the answer. Without an end among them it ends by itself: with the
	// reason tool_use if there is a call in it, else ok.
	Frames []fakes.Frame
	// Refuse, when not nil, is the answer instead of Frames.
	Refuse *Refusal
	// Live: a test answers, see [Space.Next].
	Live bool
	// Pace is when events leave; the zero value is all at once.
	Pace Pace
	// Holds stop the answer at events until a gate is open.
	Holds []Hold
	// Faults are what goes wrong with the bytes.
	Faults []Fault
	// Shape is that of a recorded answer, as [Drift] compares it, see [Recorder]. It decides
	// nothing about the answer that is played.
	Shape []string

	at string // where it stands in a file
}

// When says which requests a rule is for. A field with its zero value asks for nothing;
// those that ask must all hold.
type When struct {
	Dialect Dialect
	// Model is the name that is asked for. A * at its end stands for any rest.
	Model string
	// Request is the number of the request in its space, from 1, those that the
	// provider's own manners refuse apart.
	Request int
	// Turn is the number of the answer in the conversation: 1 is the first.
	Turn int
	// Text is in what the user said last, System in the system prompt.
	Text, System string
	// Result is the id of a call whose result came with the request. Results says
	// whether there is any.
	Result  string
	Results *bool
	// Tools says whether the request offers any, Stream whether it wants a stream.
	Tools, Stream *bool
}

// Pace is the schedule of a stream, from the moment at which the request has been read.
// The n-th event that carries a piece of the answer, n from 0, is due after First and n
// times Every; what frames it, with it.
type Pace struct {
	First, Every time.Duration
	// Jitter shifts each of them later by a random time below it.
	Jitter time.Duration
}

// rule is a rule that is ready to play.
type rule struct {
	Rule
	number int   // from 1
	before *rule // that it follows
	used   atomic.Int64

	mu    sync.Mutex
	forms map[form]*timeline
}

// name is how the rule is called.
func (r *rule) name() string {
	name := fmt.Sprintf("rule %d", r.number)
	if r.Name != "" {
		name += fmt.Sprintf(" (%s)", r.Name)
	}
	if r.at != "" {
		name += " at " + r.at
	}
	return name
}

// spent reports whether the rule answers nothing more.
func (r *rule) spent() bool { return r.Times > 0 && r.used.Load() >= int64(r.Times) }

// waits reports whether the rule's time has not come.
func (r *rule) waits() bool { return r.before != nil && !r.before.spent() }

// take uses the rule once; false if it is used up.
func (r *rule) take() bool {
	if r.Times == 0 {
		r.used.Add(1)
		return true
	}
	for {
		n := r.used.Load()
		if n >= int64(r.Times) {
			return false
		}
		if r.used.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// check reports what is wrong with a rule.
func (r *Rule) check() error {
	answers := 0
	for _, has := range []bool{len(r.Frames) > 0, r.Refuse != nil, r.Live} {
		if has {
			answers++
		}
	}
	switch {
	case answers != 1:
		return fmt.Errorf("want one of frames, a refusal and live")
	case r.When.Dialect != "" && !slices.Contains(dialects, string(r.When.Dialect)):
		return fmt.Errorf("unknown dialect %q, want one of %q", r.When.Dialect, dialects)
	case strings.Contains(strings.TrimSuffix(r.When.Model, "*"), "*"):
		return fmt.Errorf("model %q: a * stands only at the end", r.When.Model)
	case min(r.Times, r.When.Request, r.When.Turn) < 0:
		return fmt.Errorf("times, request and turn count from 0")
	case min(r.Pace.First, r.Pace.Every, r.Pace.Jitter) < 0:
		return fmt.Errorf("a pace goes forward")
	}
	for i, h := range r.Holds {
		if (h.Gate == nil) == (h.Name == "") || h.Event < 0 {
			return fmt.Errorf("hold %d: want a gate or the name of one, and an event from 0", i)
		}
	}
	for i, f := range r.Faults {
		if err := f.check(); err != nil {
			return fmt.Errorf("fault %d: %w", i, err)
		}
	}
	return r.playable()
}

// playable reports the first frame that some dialect of the rule has no form for.
func (r *Rule) playable() error {
	if len(r.Frames) == 0 {
		return nil
	}
	for _, d := range dialects {
		if r.When.Dialect == "" || r.When.Dialect == Dialect(d) {
			if _, err := compile(r, &request{dialect: Dialect(d), stream: true}); err != nil {
				return fmt.Errorf("%s: %w", d, err)
			}
		}
	}
	return nil
}

// timeline is the rule's answer to requests of one form, made once.
func (r *rule) timeline(q *request) (*timeline, error) {
	f := q.form()
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.forms[f]; t != nil {
		return t, nil
	}
	t, err := compile(&r.Rule, q)
	if err != nil {
		return nil, err
	}
	if r.forms == nil || len(r.forms) >= maxForms {
		r.forms = map[form]*timeline{}
	}
	r.forms[f] = t
	return t, nil
}

// maxForms bounds what a rule keeps: clients have a handful.
const maxForms = 32

// compile renders a rule's answer.
func compile(r *Rule, q *request) (*timeline, error) {
	s := newSpeaker(q)
	if err := s.hear(r.Frames); err != nil {
		return nil, err
	}
	s.finish()
	t := &timeline{events: s.take(), stream: q.stream, refusal: s.refusal, cut: s.cut, silent: s.quiet}
	switch {
	case q.stream || t.refusal != nil:
	case t.cut || t.silent: // a body that is not there cannot be half there
		t.events = nil
	default:
		t.events = []event{{parts(jsonText(s.voice.whole())), true}}
	}
	return t, bend(t, r.Faults)
}
