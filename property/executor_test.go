package property_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/property"
	"github.com/adaptercheck/adaptercheck/subjects"
)

func TestExecutorHoldsForTheMemoryAdapter(t *testing.T) {
	property.Executor(t, subjects.Memory(), property.Options{Should: true})
}

// bent is a memory adapter whose streams pass every event through a function of
// their own. Events that it returns come in place of the one it was given.
type bent struct {
	*memory.Adapter
	bend func() func(executor.Event) []executor.Event
}

func (a bent) Events(r *executor.Run) executor.Stream {
	return &bentStream{Stream: a.Adapter.Events(r), bend: a.bend()}
}

type bentStream struct {
	executor.Stream
	bend func(executor.Event) []executor.Event
	mu   sync.Mutex
	held []executor.Event
}

func (s *bentStream) Next(ctx context.Context) (executor.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.held) == 0 {
		e, err := s.Stream.Next(ctx)
		if err != nil {
			return nil, err
		}
		s.held = s.bend(e)
	}
	e := s.held[0]
	s.held = s.held[1:]
	return e, nil
}

// wrong is a subject over a bent adapter.
func wrong(bend func() func(executor.Event) []executor.Event) check.Subject {
	s := subjects.Memory()
	s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		runtime := fake.New()
		a := memory.New(runtime, memory.Options{Grace: time.Millisecond})
		return &check.ExecutorInstance{Adapter: bent{a, bend}, Runtime: runtime}, nil
	}
	return s
}

func at(e executor.Event, seq int64) executor.Event {
	h := e.Head()
	h.Seq = seq
	return e.WithHead(h)
}

// seqRestarts begins to count anew after every tool result.
func seqRestarts() func(executor.Event) []executor.Event {
	seq := int64(0)
	return func(e executor.Event) []executor.Event {
		seq++
		out := at(e, seq)
		if e.Kind() == executor.KindToolResult {
			seq = 0
		}
		return []executor.Event{out}
	}
}

// speaksAfterDone reports usage once more when all is over.
func speaksAfterDone() func(executor.Event) []executor.Event {
	return func(e executor.Event) []executor.Event {
		d, ok := e.(executor.Done)
		if !ok || d.Usage == nil {
			return []executor.Event{e}
		}
		return []executor.Event{e, at(executor.Cost{Envelope: d.Envelope, Usage: *d.Usage}, d.Seq+1)}
	}
}

// repeatsResults gives a failed result twice.
func repeatsResults() func(executor.Event) []executor.Event {
	seq := int64(0)
	return func(e executor.Event) []executor.Event {
		out := []executor.Event{e}
		if r, ok := e.(executor.ToolResult); ok && r.IsError {
			out = append(out, e)
		}
		for i := range out {
			seq++
			out[i] = at(out[i], seq)
		}
		return out
	}
}

// losesDone says nothing of the end of a run that failed.
func losesDone() func(executor.Event) []executor.Event {
	return func(e executor.Event) []executor.Event {
		if d, ok := e.(executor.Done); ok && d.Reason == executor.ReasonError {
			return nil
		}
		return []executor.Event{e}
	}
}

// saysNothing has no events at all.
func saysNothing() func(executor.Event) []executor.Event {
	return func(executor.Event) []executor.Event { return nil }
}

// opensCalls loses the results that close calls at the end.
func opensCalls() func(executor.Event) []executor.Event {
	return func(e executor.Event) []executor.Event {
		if r, ok := e.(executor.ToolResult); ok && strings.Contains(r.Output, "before the tool did") {
			return nil
		}
		return []executor.Event{e}
	}
}

func panics() func(executor.Event) []executor.Event {
	return func(e executor.Event) []executor.Event {
		if c, ok := e.(executor.Cost); ok && c.CostUSD != nil {
			panic("no float for you")
		}
		return []executor.Event{e}
	}
}

func TestExecutorFindsWrongAdapters(t *testing.T) {
	for _, c := range []struct {
		name   string
		bend   func() func(executor.Event) []executor.Event
		should bool
		code   string
		// small is the script that the failure shrinks to, by words.
		small []string
	}{
		{"seq restarts", seqRestarts, false, "seq-not-increasing", []string{"call", "end"}},
		{"event after done", speaksAfterDone, false, "event-after-done", []string{"usage", "end"}},
		{"repeated tool result", repeatsResults, false, "tool-result-repeated", []string{"call", "end"}},
		{"done is lost", losesDone, false, "fatal-without-done", []string{"end"}},
		{"nothing is said", saysNothing, false, "done-missing", []string{"end"}},
		{"calls stay open", opensCalls, true, "tool-call-open", []string{"call", "end"}},
		{"a panic", panics, false, "events-round-trip-threw", []string{"usage", "end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := outcome(t, func(tb property.TB) {
				property.Executor(tb, wrong(c.bend), property.Options{Seed: 7, Should: c.should})
			})
			wantScript(t, r, c.code, c.small...)
		})
	}
}

// wantScript wants a failure by the code, made as small as a script of these words.
func wantScript(t *testing.T, r *recorder, code string, small ...string) {
	t.Helper()
	if !r.failed || !strings.Contains(r.log.String(), code) {
		t.Fatalf("failed = %v, want a failure by %s:\n%s", r.failed, code, r.log.String())
	}
	var words []string
	for _, line := range r.shown() {
		word, _, _ := strings.Cut(line, " ")
		words = append(words, word)
	}
	if diff := cmp.Diff(small, words); diff != "" {
		t.Errorf("shrunk script (-want +got):\n%s\n%s", diff, r.log.String())
	}
}

// mute is an adapter whose streams say nothing and never end.
type mute struct{ *memory.Adapter }

func (mute) Events(*executor.Run) executor.Stream { return muteStream{} }

type muteStream struct{ executor.Ended }

func (muteStream) Next(ctx context.Context) (executor.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestExecutorWaitsInVain(t *testing.T) {
	s := subjects.Memory()
	s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		runtime := fake.New()
		return &check.ExecutorInstance{Adapter: mute{memory.New(runtime, memory.Options{Grace: time.Millisecond})}, Runtime: runtime}, nil
	}
	r := outcome(t, func(tb property.TB) {
		property.Executor(tb, s, property.Options{Budgets: check.Budgets{Terminal: 20 * time.Millisecond}})
	})
	wantScript(t, r, "done-missing (at the end); events: none", "end")
}

// connected is a bent adapter of a runtime whose streams may show other runs.
type connected struct{ bent }

func (c connected) Capabilities() executor.Capabilities {
	caps := c.bent.Capabilities()
	caps.RuntimeClass = executor.ConnectedSubstrate
	return caps
}

// overhears gives a piece of another run's text before the done.
func overhears() func(executor.Event) []executor.Event {
	return func(e executor.Event) []executor.Event {
		d, ok := e.(executor.Done)
		if !ok {
			return []executor.Event{e}
		}
		h := d.Envelope
		h.RunID = "R-another"
		return []executor.Event{executor.TextDelta{Envelope: h, Text: "not mine"}, at(d, d.Seq+1)}
	}
}

func TestExecutorForgivesOtherRunsOnAConnectedStream(t *testing.T) {
	oneShot := wrong(overhears)
	r := outcome(t, func(tb property.TB) { property.Executor(tb, oneShot, property.Options{Seed: 7}) })
	wantScript(t, r, "run-id-interleaved", "end")

	shared := oneShot
	shared.Executor = func(ctx context.Context, e fakes.Endpoint) (*check.ExecutorInstance, error) {
		in, err := oneShot.Executor(ctx, e)
		in.Adapter = connected{in.Adapter.(bent)}
		return in, err
	}
	property.Executor(t, shared, property.Options{})
}

// What is SHOULD does not fail a law that was not asked about it.
func TestExecutorKeepsLevelsApart(t *testing.T) {
	if r := outcome(t, func(tb property.TB) { property.Executor(tb, wrong(opensCalls), property.Options{Seed: 7}) }); r.failed {
		t.Error(r.log.String())
	}
}

func TestExecutorWithoutJudgement(t *testing.T) {
	broken := subjects.Memory()
	broken.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		return nil, errors.New("not installed")
	}
	for _, c := range []struct {
		name    string
		subject check.Subject
		want    string
	}{
		{"another contract", check.Subject{Name: "history-only"}, "history-only does not implement the executor contract"},
		{"cannot be built", broken, "no judgement: build the subject: not installed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := outcome(t, func(tb property.TB) { property.Executor(tb, c.subject, property.Options{}) })
			if !r.failed || !strings.Contains(r.log.String(), c.want) {
				t.Errorf("failed = %v, want %q:\n%s", r.failed, c.want, r.log.String())
			}
		})
	}
}
