package executortest

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

const (
	floodSize  = 20_000 // increments of text in a flood
	floodSmall = 5000   // still more than is usually held
	floodBound = 10_000 // how many of them may be held for an observer that does not read
	floodChunk = 1000   // frames that the runtime says at once
)

// flooded is a run that said more than any queue should hold, to an observer that
// has not read any of it.
type flooded struct {
	live *Live
	o    *Observer
	// What was said beside text.
	calls, costs int
}

// flood plays such a run to its end: numbered increments, and among them calls with
// their results and costs, where the wire has those.
func (t *T) flood(ctx context.Context, session string, size int) flooded {
	f := flooded{live: t.Start(ctx, t.Opts(session))}
	f.o = t.Observe(ctx, f.live.Handle)
	frames := f.live.Hello()
	for i := range size {
		frames = append(frames, f.live.Text(fmt.Sprintf("#%05d ", i)))
		if i%(size/50) == 0 && t.Offers(fakes.Tools) {
			id := fmt.Sprintf("t%d", i)
			frames = append(frames, fakes.ToolCall{ID: id, Name: "shell", Input: `{"command":"list"}`}, fakes.Result{ID: id, Name: "shell", Out: "a.txt"})
			f.calls++
		}
		if i%(size/5) == 0 && t.Offers(fakes.UsageFrames) {
			frames = append(frames, tokens(fakes.UsageTurn, 10, 1))
			f.costs++
		}
		if len(frames) >= floodChunk {
			f.live.Say(ctx, frames...)
			frames = nil
		}
	}
	f.live.Say(ctx, append(frames, f.live.Text("last "+t.Word()), f.live.Ok())...)
	if t.Subject.Declares.Queue != check.Block { // such an adapter reads on when it is read
		f.live.Released(ctx)
	}
	return f
}

var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#(\d{5})`) })

// numbers lists the increments that the observer got, in the order in which it got
// them, and how many events they came in.
func numbers(o *Observer) (got []int, events int) {
	for _, d := range All[executor.TextDelta](o) {
		events++
		for _, m := range numbered().FindAllStringSubmatch(d.Text, -1) {
			n, _ := strconv.Atoi(m[1]) // five digits
			got = append(got, n)
		}
	}
	return got, events
}

func queues() []check.Check {
	return []check.Check{
		// The done of a run reaches every observer, however slowly it reads.
		{
			ID: "executor.queues.done-kept", Case: "events-round-trip", Clause: "executor#queue-terminal",
			Level: check.Must, Provenance: check.Decided,
			Flood: true,
			Codes: []check.Code{"done-dropped"},
			Title: "keeps the done for an observer that fell behind",
			Run: with(func(ctx context.Context, t *T) {
				f := t.flood(ctx, "s", floodSize)
				t.Code("done-dropped").Expect(f.o.Drain(ctx)).To(BeTrue())
				f.live.Shown(f.o)
			}),
		},
		// Calls, results and costs are not dropped where text is.
		{
			ID: "executor.queues.calls-kept", Case: "events-round-trip", Clause: "executor#queues",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.Tools},
			Flood: true,
			Codes: []check.Code{"call-dropped", "result-dropped", "cost-dropped"},
			Title: "drops text before calls, results and costs",
			Run: with(func(ctx context.Context, t *T) {
				f := t.flood(ctx, "s", floodSmall)
				f.o.Drain(ctx)
				f.live.Shown(f.o)
				calls, results := All[executor.ToolCall](f.o), All[executor.ToolResult](f.o)
				t.Code("call-dropped").Expect(len(calls)).To(BeNumerically(">=", f.calls))
				t.Code("result-dropped").Expect(len(results)).To(BeNumerically(">=", f.calls))
				if f.costs > 0 { // a wire may tell them together at the end
					used, _ := verify.Spend(f.o.Events, "")
					t.Code("cost-dropped").Expect(used.OutputTokens).To(Equal(int64(f.costs)))
				}
			}),
		},
		// What is held for an observer that does not read is bounded, and the oldest
		// goes first.
		{
			ID: "executor.queues.bounded", Case: "events-round-trip", Clause: "executor#queues",
			Level: check.Should, Provenance: check.Decided,
			Flood: true,
			Codes: []check.Code{"queue-unbounded", "newest-dropped", "queue-disordered", "text-lost"},
			Title: "holds no more than a bounded number of text deltas, the newest ones",
			Run: with(func(ctx context.Context, t *T) {
				f := t.flood(ctx, "s", floodSize)
				f.o.Drain(ctx)
				got, events := numbers(f.o)
				last := -1
				for _, n := range got {
					if n <= last {
						t.Fail("queue-disordered", "%d after %d", n, last)
					}
					last = n
				}
				t.Code("newest-dropped").Expect(last).To(Equal(floodSize - 1))
				f.live.Shown(f.o)
				if t.Subject.Declares.Queue == check.Block {
					t.Code("text-lost").Expect(got).To(HaveLen(floodSize)) // it held the runtime up instead
					return
				}
				t.Code("queue-unbounded").Expect(events).To(BeNumerically("<=", floodBound))
			}),
		},
		// A burst that comes before the first pull is no flood: nothing of it is lost.
		{
			ID: "executor.queues.burst", Case: "events-round-trip", Clause: "executor#queues",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"burst-lost"},
			Title: "loses nothing of a burst of one hundred messages",
			Run: with(func(ctx context.Context, t *T) {
				const burst = 100
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				frames := live.Hello()
				for i := range burst {
					frames = append(frames, live.Text(fmt.Sprintf("#%05d ", i)))
				}
				live.Say(ctx, append(frames, live.Text("last "+t.Word()), live.Ok())...)
				o.Done(ctx)
				live.Shown(o)
				got, _ := numbers(o)
				t.Code("burst-lost").Expect(got).To(HaveLen(burst))
			}),
		},
		// An observer that does not read calls either ends in a fatal error and a done.
		// The run goes on, and other observers with it.
		{
			ID: "executor.queues.overflow", Case: "events-round-trip", Clause: "executor#queue-terminal",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Tools, fakes.Observers, fakes.LiveText},
			Flood: true,
			Codes: []check.Code{"overflow-without-done", "overflow-reaches-others"},
			Title: "ends an observer that fell too far behind, and nobody else",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				slow, quick := t.Observe(ctx, live.Handle), t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("first "+t.Word()))...)
				const rounds = 12
				for r := range rounds { // far more than ten times what is usually held
					var frames []fakes.Frame
					for i := range floodChunk / 2 {
						id := fmt.Sprintf("t%d-%d", r, i)
						frames = append(frames, fakes.ToolCall{ID: id, Name: "shell", Input: `{"command":"list"}`}, fakes.Result{ID: id, Name: "shell", Out: "a.txt"})
					}
					live.Say(ctx, append(frames, live.Text(fmt.Sprintf("round %d. ", r)))...)
					if t.Subject.Declares.Queue != check.Block {
						quick.catchUp(ctx, fmt.Sprintf("round %d.", r))
					}
				}
				live.Say(ctx, live.Text("last "+t.Word()), live.Ok())
				if t.Subject.Declares.Queue != check.Block {
					done := quick.MustDone(ctx, "overflow-reaches-others")
					t.Code("overflow-reaches-others").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
					live.Shown(quick)
				}
				t.Code("overflow-without-done").Expect(slow.Drain(ctx)).To(BeTrue())
			}),
		},
		// Whoever holds up its runtime for one session's observer holds up no other
		// session.
		{
			ID: "executor.queues.other-session", Case: "events-round-trip", Clause: "executor#back-pressure",
			Level: check.Should, Provenance: check.Decided, Needs: []check.Feature{fakes.Sessions},
			Flood: true,
			Codes: []check.Code{"session-starved"},
			Title: "lets no session suffer from another one's slow observer",
			Run: with(func(ctx context.Context, t *T) {
				f := t.flood(ctx, "flooded", floodSmall)
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("fine "+t.Word()), live.Ok())...)
				o.MustDone(ctx, "session-starved")
				live.Shown(o)
				f.o.Drain(ctx)
				f.live.Shown(f.o)
			}),
		},
	}
}
