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

// clean waits until the adapter holds nothing of the runtime any more, and notes
// what it still does.
func (t *T) clean(ctx context.Context) {
	wait, cancel := context.WithTimeout(ctx, t.Budgets.Terminal)
	defer cancel()
	held := func() fakes.Residue {
		r := t.Runtime.Residue()
		if !t.Adapter.Capabilities().OneShot() {
			r.Connections = 0 // a connected adapter keeps its connection between runs
		}
		return r
	}
	if poll(wait, func() bool { return held().Zero() }) {
		return
	}
	left := held()
	for code, n := range map[check.Code]int{"process-left": left.Children, "subscription-left": left.Subscribers, "connection-left": left.Connections, "file-left": left.Files} {
		if n > 0 {
			t.Notef(code, "%d", n)
		}
	}
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
				t.round(ctx)
				t.clean(ctx)
			}),
		},
		// Nor of one that was aborted.
		{
			ID: "executor.residue.abort", Case: "abort", Clause: "executor#residue",
			Level: check.Must, Provenance: check.Decided,
			Codes: append([]check.Code{"abort-hung", "abort-failed", "abort-without-done", "abort-reason-wrong"}, left...),
			Title: "holds nothing of a run that was aborted",
			Run: with(func(ctx context.Context, t *T) {
				live, o := t.speaking(ctx, "s")
				t.Code("abort-failed").Expect(t.stop(ctx, live.Handle)).To(Succeed())
				t.aborted(ctx, o)
				_, _ = check.Await(ctx, t.C, t.Budgets.Call, func(context.Context) (any, error) { return nil, o.stream.Close() })
				t.clean(ctx)
			}),
		},
		// Goroutines do not gather from run to run.
		{
			ID: "executor.residue.goroutines", Case: "events-round-trip", Clause: "executor#residue",
			Level: check.Must, Provenance: check.Decided,
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
			Level: check.Must, Provenance: check.Decided,
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
