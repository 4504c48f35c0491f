package observe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func testSession() *Session {
	return NewSession(Options{Now: func() time.Time { return time.UnixMilli(1) }})
}

// told is what a stream has given up to now, in short.
func told(t *testing.T, s executor.Stream, n int) []string {
	t.Helper()
	var all []string
	for range n {
		e, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text := string(e.Kind())
		if d, is := e.(executor.TextDelta); is {
			text = d.Text
		}
		all = append(all, e.Head().RunID+" "+text)
	}
	return all
}

func (c *Chapter) say(run string, words ...string) {
	for _, w := range words {
		c.Publish(executor.TextDelta{Envelope: executor.Envelope{RunID: run}, Text: w})
	}
}

func (c *Chapter) done(run string) {
	c.Publish(executor.Done{Envelope: executor.Envelope{RunID: run}, Reason: executor.ReasonSuccess})
	c.End()
}

func TestASessionGoesOnOverItsRuns(t *testing.T) {
	s := testSession()
	one, two := executor.NewRun("a", "s"), executor.NewRun("a", "s")
	first := s.Begin(one)
	first.Reveal()
	o1 := first.Subscribe(one)
	first.say("r1", "x")
	first.done("r1")

	second := s.Begin(two)
	second.say("r2", "y")
	if id, bound := two.ID(); bound {
		t.Errorf("bound to %s before it was revealed", id)
	}
	second.Reveal()
	if id, _ := two.ID(); id != "r2" {
		t.Errorf("bound to %q", id)
	}
	o2 := second.Subscribe(two) // from its own beginning
	second.done("r2")
	if diff := cmp.Diff([]string{"r1 x", "r1 done", "r2 y", "r2 done"}, told(t, o1, 4)); diff != "" {
		t.Errorf("first observer (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"r2 y", "r2 done"}, told(t, o2, 2)); diff != "" {
		t.Errorf("second observer (-want +got):\n%s", diff)
	}
	if id, _ := one.ID(); id != "r1" {
		t.Errorf("the first handle is bound to %q", id)
	}
	// Nothing is kept of a run that is over and was given, and streams end with the session.
	if first.log.events != nil || second.log.events != nil || !second.Observed() {
		t.Errorf("kept %v and %v", first.log.events, second.log.events)
	}
	s.Shut()
	for _, o := range []executor.Stream{o1, o2} {
		if got := drain(t, o); got != nil {
			t.Errorf("after the end: %v", got)
		}
	}
}

// A connection that is lost for good ends the streams that there are, and no later ones.
func TestASessionIsCut(t *testing.T) {
	s := testSession()
	one, two := executor.NewRun("a", "s"), executor.NewRun("a", "s")
	first := s.Begin(one)
	first.Reveal()
	o1 := first.Subscribe(one)
	first.Cut(executor.Done{Envelope: executor.Envelope{RunID: "r1"}, Reason: executor.ReasonError})
	if got := drain(t, o1); len(got) != 1 {
		t.Errorf("given %v", got)
	}
	second := s.Begin(two)
	second.Reveal()
	o2 := second.Subscribe(two)
	second.say("r2", "y")
	if diff := cmp.Diff([]string{"r2 y"}, told(t, o2, 1)); diff != "" {
		t.Errorf("the next run (-want +got):\n%s", diff)
	}
}

// A run that nobody observed is kept for the first who asks, with its own numbers.
func TestASessionKeepsARunThatIsOver(t *testing.T) {
	s := testSession()
	one := executor.NewRun("a", "s")
	first := s.Begin(one)
	first.say("r1", "x")
	first.done("r1") // a quick one
	first.Reveal()
	o := first.Subscribe(one)
	again := first.Subscribe(one)
	if diff := cmp.Diff([]string{"r1 x", "r1 done"}, told(t, o, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := o.Close(); err != nil || len(s.observers) != 1 {
		t.Errorf("%v, %d observers", err, len(s.observers))
	}
	s.Shut()
	if got := drain(t, again); got != nil {
		t.Errorf("given twice: %v", got)
	}
}
