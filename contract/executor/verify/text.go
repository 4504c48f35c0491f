package verify

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Text joins the deltas of one run on one channel, in order: what an observer
// reads. An empty run id takes every run.
func Text(events []executor.Event, run string, channel executor.Channel) string {
	var b strings.Builder
	for _, e := range events {
		d, ok := e.(executor.TextDelta)
		if ok && (run == "" || d.RunID == run) && d.OnReasoning() == (channel == executor.Reasoning) {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

// Words is Text with white space folded: between messages it is free.
func Words(events []executor.Event, run string, channel executor.Channel) string {
	return strings.Join(strings.Fields(Text(events, run, channel)), " ")
}

// Last returns the run's done, and false if it has none.
func Last(events []executor.Event, run string) (executor.Done, bool) {
	for _, e := range events {
		if d, ok := e.(executor.Done); ok && (run == "" || d.RunID == run) {
			return d, true
		}
	}
	return executor.Done{}, false
}
