package executormutants

import (
	"strings"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// torn is text that was decoded in reads of n bytes, each by itself.
func torn(s string, n int) string {
	var b strings.Builder
	for len(s) > 0 {
		piece := s[:min(n, len(s))]
		b.WriteString(strings.ToValidUTF8(piece, string(utf8.RuneError)))
		s = s[len(piece):]
	}
	return b.String()
}

func cumulativeMutants() []Mutant {
	const topic = "executor.text."
	const snapshots, placed, again, reconnect, retracted, long = topic + "snapshots", topic + "placed", topic + "same-again", topic + "reconnect", topic + "retracted", topic + "long"
	asDelta := hears(func(f fakes.Snapshot) []fakes.Frame { return []fakes.Frame{fakes.Delta{Text: f.Text}} })
	restarted := func(e executor.Status) bool { return e.Detail == executor.DetailTextRestarted }
	return []Mutant{
		mutant("R13", snapshots, "text-doubled", "passes cumulative text on as increments", asDelta),
		mutant("x-snapshots-last", snapshots, "text-lost", "gives the first of several cumulative texts only", func(*right) hooks {
			seen := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if _, ok := f.(fakes.Snapshot); ok {
					if seen {
						return nil
					}
					seen = true
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-snapshot-rest-trimmed", snapshots, "text-altered", "trims what a cumulative text adds", says(strings.TrimSpace)),
		mutant("x-place-ignored", placed, "text-doubled", "ignores the place of an increment", hears(func(f fakes.Delta) []fakes.Frame {
			f.At = nil
			return []fakes.Frame{f}
		})),
		mutant("x-placed-lost", placed, "text-lost", "drops an increment that overlaps", func(*right) hooks {
			end := 0
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if d, ok := f.(fakes.Delta); ok && d.At != nil {
					if *d.At < end {
						return nil
					}
					end = *d.At + len(d.Text)
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-same-text-once", again, "text-lost", "takes a text that it knows for a restatement", rewriting(func() func(executor.Event) []executor.Event {
			known := map[string]bool{}
			return func(e executor.Event) []executor.Event {
				if d, ok := e.(executor.TextDelta); ok {
					if known[d.Text] {
						return nil
					}
					known[d.Text] = true
				}
				return one(e)
			}
		})),
		mutant("R14", again, "text-doubled", "passes on text from both channels on which it comes", edit(func(e executor.TextDelta) []executor.Event {
			return []executor.Event{e, e}
		})),
		mutant("x-reconnect-doubles", reconnect, "text-doubled", "says an item again after a reconnect", hears(func(f fakes.Turn) []fakes.Frame {
			f.State = "running"
			return []fakes.Frame{f}
		})),
		mutant("x-reconnect-loses", reconnect, "text-lost", "skips the item after the one that a reconnect repeats", func(*right) hooks {
			retried, skipped := false, 0
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if turn, ok := f.(fakes.Turn); ok && turn.State == "retry" {
					retried = true
				}
				if _, ok := f.(fakes.Final); ok && retried && skipped < 2 {
					skipped++
					return nil
				}
				return []fakes.Frame{f}
			}}
		}),
		mutant("x-restart-unmarked", retracted, "restart-unmarked", "puts new text behind the old one that it replaces", drop(restarted)),
		mutant("x-restart-late", retracted, "restart-unmarked", "marks a replacement after its text", rewriting(func() func(executor.Event) []executor.Event {
			var held executor.Event
			return func(e executor.Event) []executor.Event {
				if s, ok := e.(executor.Status); ok && restarted(s) {
					held = e
					return nil
				}
				if mark := held; mark != nil {
					held = nil
					return []executor.Event{e, mark}
				}
				return one(e)
			}
		})),
		mutant("x-restart-each-time", retracted, "restart-invented", "marks every cumulative text as a replacement", rewriting(func() func(executor.Event) []executor.Event {
			return func(e executor.Event) []executor.Event {
				if _, ok := e.(executor.TextDelta); ok {
					return []executor.Event{executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailTextRestarted}, e}
				}
				return one(e)
			}
		})),
		mutant("x-restart-rest-only", retracted, "text-lost", "says of a replacement only what differs", rewriting(func() func(executor.Event) []executor.Event {
			said, restart := "", false
			return func(e executor.Event) []executor.Event {
				switch e := e.(type) {
				case executor.Status:
					restart = restart || restarted(e)
				case executor.TextDelta:
					if restart {
						n := 0
						for n < min(len(said), len(e.Text)) && said[n] == e.Text[n] {
							n++
						}
						e.Text, restart = e.Text[n:], false
						return one(e)
					}
					said += e.Text
				}
				return one(e)
			}
		})),
		mutant("x-restart-early-text", retracted, "restart-late", "says the beginning of a replacement before the mark", rewriting(func() func(executor.Event) []executor.Event {
			var held executor.Event
			return func(e executor.Event) []executor.Event {
				if s, ok := e.(executor.Status); ok && restarted(s) {
					held = e
					return nil
				}
				d, ok := e.(executor.TextDelta)
				if mark := held; mark != nil && ok {
					held = nil
					if cut := strings.Index(d.Text, "No,"); cut >= 0 {
						first, rest := d, d
						first.Text, rest.Text = d.Text[:cut+len("No,")], d.Text[cut+len("No,"):]
						return []executor.Event{first, mark, rest}
					}
				}
				return one(e)
			}
		})),
		mutant("x-summary-retracted", retracted, "summary-retracted", "sums up what was taken back as well", rewriting(func() func(executor.Event) []executor.Event {
			all := ""
			return func(e executor.Event) []executor.Event {
				switch e := e.(type) {
				case executor.TextDelta:
					all += e.Text
				case executor.Done:
					e.Summary = all
					return one(e)
				}
				return one(e)
			}
		})),
		mutant("R54", long, "text-altered", "decodes each read by itself, and tears characters", says(func(s string) string { return torn(s, 4096) })),
		mutant("x-long-cut", long, "text-cut", "cuts a message at 64 KiB", says(func(s string) string { return s[:min(len(s), 64<<10)] })),
		mutant("x-long-hangs", long, "done-missing", "stops reading at a line that is too long", func(*right) hooks {
			stopped := false
			return hooks{hear: func(_ string, f fakes.Frame) []fakes.Frame {
				if d, ok := f.(fakes.Delta); ok && len(d.Text) > 64<<10 {
					stopped = true
				}
				if stopped {
					return nil
				}
				return []fakes.Frame{f}
			}}
		}),
	}
}
