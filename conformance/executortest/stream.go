package executortest

import (
	"context"
	"errors"
	"sync"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func stream() []check.Check {
	return []check.Check{
		// Events subscribes during the call. What the runtime says between the call and
		// the first pull is delivered.
		{
			ID: "executor.stream.subscribes", Case: "late-binding", Clause: "executor#subscribe-during-call",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"subscribed-late"},
			Title: "subscribes when the stream is asked for, not at the first pull",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				word := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text(word), live.Ok())...)
				o.Done(ctx)
				t.Code("subscribed-late").Expect(o.Text()).To(ContainSubstring(word))
			}),
		},
		// What the runtime says between the start and the first observer is kept.
		{
			ID: "executor.stream.early-frames", Case: "late-binding", Clause: "executor#early-frames",
			Level: check.Should, Provenance: check.Decided,
			Codes: []check.Code{"early-frames-lost"},
			Title: "keeps what comes before the first observer",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				early, late := t.Word(), t.Word()
				live.Say(ctx, append(live.Hello(), live.Text(early))...)
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, live.Text(" "+late), live.Ok())
				o.Done(ctx)
				t.Expect(o.Text()).To(ContainSubstring(late))
				t.Code("early-frames-lost").Expect(o.Text()).To(ContainSubstring(early))
			}),
		},
		// The stream of a run that is a process ends after its done.
		{
			ID: "executor.stream.ends", Case: "events-round-trip", Clause: "executor#stream-end",
			Level: check.Should, Provenance: check.Stated,
			Codes: []check.Code{"stream-open-after-done", "stream-failed-after-done", "done-missing"},
			Title: "ends a one-shot stream after its run's done",
			Run: with(func(ctx context.Context, t *T) {
				if !t.Adapter.Capabilities().OneShot() {
					t.Unobserved(fakes.Process)
				}
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.Say(ctx, append(live.Hello(), live.Text("fine "+t.Word()), live.Ok())...)
				o.MustDone(ctx, "done-missing")
				for len(o.Events)+o.Malformed < maxEvents && o.next(ctx, t.Budgets.Terminal) {
				}
				live.Shown(o)
				t.Code("stream-open-after-done").Expect(o.Ended).To(BeTrue())
				t.Code("stream-failed-after-done").Expect(o.Err).NotTo(HaveOccurred())
			}),
		},
		// A consumer can end its stream at any time, twice, and gets its answer at once.
		{
			ID: "executor.stream.close", Case: "late-binding", Clause: "executor#close",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"close-hung", "close-failed", "pull-hung-after-close"},
			Title: "ends a stream that its consumer closes",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.speak(ctx, o, "")
				for range 2 {
					_, err := check.Await(ctx, t.C, t.Budgets.Call, func(context.Context) (any, error) { return nil, o.stream.Close() })
					t.Code("close-hung").Expect(errors.Is(err, check.ErrHung)).To(BeFalse())
					t.Code("close-failed").Expect(err).NotTo(HaveOccurred())
				}
				for range 1000 { // leftovers may still be read, the end must come
					if !o.next(ctx, t.Budgets.Call) {
						break
					}
				}
				t.Code("pull-hung-after-close").Expect(o.Ended).To(BeTrue())
			}),
		},
		// Two observers of a run see the same events in the same order, and closing one
		// does not touch the other.
		{
			ID: "executor.stream.two-observers", Case: "events-round-trip", Clause: "executor#observers",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.Observers},
			Codes: []check.Code{"observers-differ", "observer-silenced-by-close"},
			Title: "shows every observer the same run",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				a, b, c := t.Observe(ctx, live.Handle), t.Observe(ctx, live.Handle), t.Observe(ctx, live.Handle)
				live.speak(ctx, c, "one ")
				_, _ = check.Await(ctx, t.C, t.Budgets.Call, func(context.Context) (any, error) { return nil, c.stream.Close() })
				live.Say(ctx, live.Text(" two"))
				live.Say(ctx, live.Ok())
				t.Code("observer-silenced-by-close").Expect(a.Done(ctx)).To(BeTrue())
				t.Code("observers-differ").Expect(b.Done(ctx)).To(BeTrue())
				t.Code("observers-differ").Expect(outline(b.Events)).To(Equal(outline(a.Events)))
				live.Shown(a)
			}),
		},
		// Pulls that wait at once each get an event of their own.
		{
			ID: "executor.stream.concurrent-pulls", Case: "events-round-trip", Clause: "executor#concurrent-pulls",
			Level: check.Must, Provenance: check.Implied, Needs: []check.Feature{fakes.Deltas, fakes.LiveText},
			Codes: []check.Code{"pull-lost", "event-shared"},
			Title: "answers every pull that waits",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				const pulls = 3
				got := make(chan executor.Event, pulls)
				wait, cancel := context.WithTimeout(ctx, t.Budgets.FirstEvent)
				defer cancel()
				var pulling sync.WaitGroup
				pulling.Add(pulls)
				for range pulls {
					go func() {
						pulling.Done()
						e, _ := o.stream.Next(wait)
						got <- e
					}()
				}
				pulling.Wait() // they are about to wait before there is anything to give
				word := t.Word()
				live.Say(ctx, append(live.Hello(), live.Text("a"), live.Text("b"), live.Text("c"), live.Text(word))...)
				seen := map[int64]bool{}
				for range pulls {
					select {
					case e := <-got:
						t.Code("pull-lost").Expect(e).NotTo(BeNil())
						t.Code("event-shared").Expect(seen[e.Head().Seq]).To(BeFalse())
						seen[e.Head().Seq] = true
					case <-wait.Done():
						t.Fail("pull-lost", "a pull got nothing")
					}
				}
				t.Expect(o.Hears(ctx, word)).To(BeTrue())
			}),
		},
		// A handle that the adapter never gave out has a stream that ends or fails at
		// once.
		{
			ID: "executor.stream.unknown-handle", Case: "late-binding", Clause: "executor#unknown-handle",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"unknown-handle-hung", "unknown-handle-events"},
			Title: "ends the stream of a handle it does not know",
			Run: with(func(ctx context.Context, t *T) {
				// An adapter that ends every stream at once would pass for nothing.
				t.sees(ctx)
				o := t.Observe(ctx, executor.NewRun(t.Adapter.ID(), "nobody-"+t.Word()))
				got := o.next(ctx, t.Budgets.Call)
				t.Code("unknown-handle-events").Expect(got).To(BeFalse())
				t.Code("unknown-handle-hung").Expect(o.Ended).To(BeTrue())
			}),
		},
	}
}

// sees fails the check unless the adapter delivers the text of an ordinary run: a
// check for absence means nothing on a subject that never shows anything.
func (t *T) sees(ctx context.Context) {
	live := t.Start(ctx, t.Opts("control"))
	o := t.Observe(ctx, live.Handle)
	word := t.Word()
	live.Say(ctx, append(live.Hello(), live.Text(word), live.Ok())...)
	o.Done(ctx)
	t.Expect(o.Text()).To(ContainSubstring(word))
}

// outline is what two observers must agree on: kinds, ids, payloads, order.
func outline(events []executor.Event) []executor.Event {
	var out []executor.Event
	for _, e := range events {
		if e.Kind() == executor.KindDone {
			h := e.Head()
			out = append(out, e.WithHead(executor.Envelope{RunID: h.RunID}))
			break
		}
		out = append(out, e.WithHead(executor.Envelope{RunID: e.Head().RunID}))
	}
	return out
}

func secondStart() []check.Check {
	return []check.Check{
		// A second start on a session with a live run is queued or refused. It is never
		// lost, and never ends or silences the first.
		{
			ID: "executor.second-start.first-goes-on", Case: "start", Clause: "executor#second-start",
			Level: check.Must, Provenance: check.Decided,
			Codes: []check.Code{"first-run-lost", "first-run-cancelled", "second-start-lost", "second-start-undeclared"},
			Title: "queues or refuses a second start and leaves the first run alone",
			Run: with(func(ctx context.Context, t *T) {
				live := t.Start(ctx, t.Opts("s"))
				o := t.Observe(ctx, live.Handle)
				live.speak(ctx, o, "one ")
				two := t.Word()
				h, err := check.Await(ctx, t.C, t.Budgets.Call, func(ctx context.Context) (*executor.Run, error) {
					return t.Adapter.Start(ctx, executor.TaskHandle{}, t.Opts("s"))
				})
				queued := err == nil
				switch t.Subject.Declares.SecondStart {
				case check.Queues:
					t.Code("second-start-undeclared").Expect(queued).To(BeTrue())
				case check.Refuses:
					t.Code("second-start-undeclared").Expect(queued).To(BeFalse())
				}
				t.Code("first-run-cancelled").Expect(count(live.Native.Calls(), fakes.MethodCancel)).To(BeZero())
				live.Say(ctx, live.Text(" "+two), live.Ok())
				done := o.MustDone(ctx, "first-run-lost")
				t.Code("first-run-cancelled").Expect(done.Reason).To(Equal(executor.ReasonSuccess))
				t.Code("first-run-lost").Expect(verify.Words(o.Events, "", executor.Assistant)).To(ContainSubstring(two))
				if !queued {
					return
				}
				native, err := check.Await(ctx, t.C, t.Budgets.FirstEvent, t.Runtime.Next)
				if err != nil {
					t.Fail("second-start-lost", "an accepted start never reached the runtime")
				}
				next := t.live(h, native)
				next.NativeSession = live.NativeSession
				o2 := t.Observe(ctx, h)
				next.Say(ctx, append(next.Hello(), next.Text("three "+t.Word()), next.Ok())...)
				o2.MustDone(ctx, "second-start-lost")
				next.Shown(o2)
			}),
		},
	}
}
