// Package oneshot runs agent runtimes that are one process per run: command-line
// programs that print one JSON object per line and exit.
//
// A [Host] holds what every adapter of such a program needs and none should write
// again: sessions and handles, one live run per session, the process with its
// pipes, the ladder of signals that ends it, observers, health and dispose. What
// the program says is the business of a [Wire], one per run; what it is asked is a
// [Plan].
//
//	host := oneshot.New[state, *wire](oneshot.Options{ID: "codex"})
//	run, err := host.Start(ctx, opts, func(r oneshot.Request[state]) oneshot.Plan[state, *wire] {
//		return oneshot.Plan[state, *wire]{Process: …, Wire: …, Interrupt: …}
//	})
//
// It imports contract/executor and internal packages.
package oneshot
