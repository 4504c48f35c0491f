package executortest

import (
	"context"
	"crypto/rand"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/gomega"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// clean plays a run to its end and its release, waits until the adapter holds nothing
// of it any more, and notes what it still does.
func (t *T) clean(ctx context.Context, play func()) {
	before := t.warm(ctx, play)
	play()
	held := func() map[check.Code]int {
		r := t.Runtime.Residue()
		if !t.Adapter.Capabilities().OneShot() {
			r.Connections = 0 // a connected adapter keeps its connection between runs
		}
		return map[check.Code]int{
			"process-left": r.Children - before.Children, "file-left": r.Files - before.Files,
			"subscription-left": r.Subscribers, "connection-left": r.Connections,
		}
	}
	wait, cancel := context.WithTimeout(ctx, t.Budgets.Terminal)
	defer cancel()
	left := held()
	if pollEvery(wait, residuePace, func() bool { left = held(); return nothing(left) }) {
		return
	}
	for code, n := range left {
		if n > 0 {
			t.Notef(code, "%d", n)
		}
	}
}

// residuePace is how often what is held is counted again, which may take a look at
// every process of the machine.
const residuePace = 5 * time.Millisecond

// warm is what is there before the run that is judged: nothing, but where the fake
// lives in another process, and what it holds itself is told apart from what the
// adapter does by playing a run before.
func (t *T) warm(ctx context.Context, play func()) fakes.Residue {
	switch t.Runtime.Residue().Sight {
	case fakes.SightWhole:
		return fakes.Residue{}
	case fakes.SightNone:
		t.Unobserved(fakes.InProcess)
	}
	play()
	before := t.Runtime.Residue()
	quiet, cancel := context.WithTimeout(ctx, t.Budgets.Quiet)
	defer cancel()
	pollEvery(quiet, residuePace, func() bool { // some may still be on their way out
		now := t.Runtime.Residue()
		before.Children, before.Files = min(before.Children, now.Children), min(before.Files, now.Files)
		return false
	})
	return before
}

// seesResidue ends the check where fake and adapter live in another process: what one
// holds of the other cannot be counted there.
func (t *T) seesResidue() {
	if t.Runtime.Residue().Sight != fakes.SightWhole {
		t.Unobserved(fakes.InProcess)
	}
}

func nothing(left map[check.Code]int) bool {
	for _, n := range left {
		if n > 0 {
			return false
		}
	}
	return true
}

// round plays one whole run on a session of its own and lets go of its stream.
func (t *T) round(ctx context.Context) {
	live := t.Start(ctx, t.Opts("round-"+t.Word()))
	o := t.Observe(ctx, live.Handle)
	live.Say(ctx, append(live.Hello(), live.Text("fine "+t.Word()), live.Ok())...)
	o.Done(ctx)
	live.Shown(o)
	_, _ = check.Await(ctx, t.C, t.Budgets.Call, func(context.Context) (any, error) { return nil, o.stream.Close() })
	live.Released(ctx)
}

// labelled counts the goroutines that carry the label, which a goroutine has from
// the one that started it: whatever else runs in this process does not count.
func labelled(value string) int {
	var all strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
		return 0
	}
	n, group := 0, 0
	for line := range strings.Lines(all.String()) {
		if count, _, ok := strings.Cut(line, " @ "); ok {
			group, _ = strconv.Atoi(count) // a line that only looks like it is followed by no label
		}
		if strings.HasPrefix(line, "# labels:") && strings.Contains(line, strconv.Quote(value)) {
			n += group
		}
	}
	return n
}

func residue() []check.Check {
	left := []check.Code{"process-left", "subscription-left", "connection-left", "file-left"}
	return []check.Check{
		// When a run has ended and its observers are gone, nothing of it is held.
		{
			ID: "executor.residue.run-end", Case: "events-round-trip", Clause: "executor#residue",
			Level: check.Must, Provenance: check.Decided,
			Codes: left,
			Title: "holds nothing of a run that is over",
			Run: with(func(ctx context.Context, t *T) {
				t.clean(ctx, func() { t.round(ctx) })
			}),
		},
		// Nor of one that was aborted.
		{
			ID: "executor.residue.abort", Case: "abort", Clause: "executor#residue",
			Level: check.Must, Provenance: check.Decided,
			Codes: append([]check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"}, left...),
			Title: "holds nothing of a run that was aborted",
			Run: with(func(ctx context.Context, t *T) {
				t.clean(ctx, func() {
					live, o := t.speaking(ctx, "aborted-"+t.Word())
					t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
					t.aborted(ctx, o)
					_, _ = check.Await(ctx, t.C, t.Budgets.Call, func(context.Context) (any, error) { return nil, o.stream.Close() })
				})
			}),
		},
		// When an observer is closed, nobody is subscribed for it any more.
		{
			ID: "executor.residue.closed-stream", Case: "late-binding", Clause: "executor#close",
			Level: check.Must, Provenance: check.Stated,
			Codes: []check.Code{"subscription-leaked"},
			Title: "releases the subscription of a stream that is closed",
			Run: with(func(ctx context.Context, t *T) {
				t.seesResidue()
				live, o := t.speaking(ctx, "s")
				_, _ = check.Await(ctx, t.C, t.Budgets.Call, func(context.Context) (any, error) { return nil, o.stream.Close() })
				live.Say(ctx, live.Ok())
				wait, cancel := context.WithTimeout(ctx, t.Budgets.Terminal)
				defer cancel()
				t.Code("subscription-leaked").Expect(poll(wait, func() bool { return t.Runtime.Residue().Subscribers == 0 })).To(BeTrue())
			}),
		},
		// When an adapter is disposed of, nothing at all is held, also of a run that was
		// live.
		{
			ID: "executor.residue.dispose", Case: "abort", Clause: "executor#dispose",
			Level: check.Must, Provenance: check.Implied,
			Codes: []check.Code{"residue-after-dispose"},
			Title: "holds nothing when it is disposed of",
			Run: with(func(ctx context.Context, t *T) {
				t.seesResidue()
				t.speaking(ctx, "s")
				t.Expect(t.dispose(ctx)).To(Succeed())
				wait, cancel := context.WithTimeout(ctx, t.Budgets.Abort)
				defer cancel()
				t.Code("residue-after-dispose").Expect(poll(wait, func() bool { return t.Runtime.Residue().Zero() })).To(BeTrue())
			}),
		},
		// Goroutines do not gather from run to run.
		{
			ID: "executor.residue.goroutines", Case: "events-round-trip", Clause: "executor#residue",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.InProcess},
			Codes: []check.Code{"goroutines-gather"},
			Title: "leaves no goroutine behind with each run",
			Run: with(func(ctx context.Context, t *T) {
				const more = 3
				mine := rand.Text() // this execution's own: others may run at once
				round := func() {
					pprof.Do(ctx, pprof.Labels("adaptercheck", mine), func(ctx context.Context) { t.round(ctx) })
				}
				round() // what is made once is there after it
				first := labelled(mine)
				quiet, over := context.WithTimeout(ctx, t.Budgets.Quiet)
				defer over()
				pollEvery(quiet, 5*time.Millisecond, func() bool { // some may still be on their way out
					first = min(first, labelled(mine))
					return false
				})
				for range more {
					round()
				}
				wait, cancel := context.WithTimeout(ctx, t.Budgets.Terminal)
				defer cancel()
				t.Code("goroutines-gather").Expect(pollEvery(wait, 5*time.Millisecond, func() bool { return labelled(mine) < first+more })).To(BeTrue())
			}),
		},
		// Nor do open files, pipes and sockets.
		{
			ID: "executor.residue.descriptors", Case: "events-round-trip", Clause: "executor#residue",
			Level: check.Must, Provenance: check.Decided, Needs: []check.Feature{fakes.InProcess},
			Codes: []check.Code{"descriptors-gather"},
			Title: "leaves no open file behind with each run",
			Run: with(func(ctx context.Context, t *T) {
				if _, can := descriptors(); !can {
					t.Unobserved(fakes.Process)
				}
				// What others in this process open meanwhile counts too: only a descriptor
				// from each of several rounds that stays is the adapter's.
				var fresh []map[string]bool
				for range 3 {
					before, _ := descriptors()
					t.round(ctx)
					after, _ := descriptors()
					for d := range before {
						delete(after, d)
					}
					fresh = append(fresh, after)
				}
				wait, cancel := context.WithTimeout(ctx, t.Budgets.Terminal)
				defer cancel()
				t.Code("descriptors-gather").Expect(pollEvery(wait, 5*time.Millisecond, func() bool {
					now, _ := descriptors()
					for _, opened := range fresh {
						stays := false
						for d := range opened {
							stays = stays || now[d]
						}
						if !stays {
							return true
						}
					}
					return false
				})).To(BeTrue())
			}),
		},
	}
}
