package codex

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// stopBy is what a stop signal does to the CLI: SIGINT lets it exit, the others
// kill it.
func stopBy(signal string, v version) int {
	if signal == "INT" {
		return v.onInterrupt
	}
	return child.DieBy(signal)
}

// Stop ends the process; its tools are ended by SIGINT alone.
func (r *renderer) Stop(signal string) (code int, ended bool) {
	if signal == "INT" {
		r.process.EndChildren()
	}
	return stopBy(signal, r.version), true
}

// Broken ends the process as the CLI ends when nobody reads its stdout.
func (r *renderer) Broken(err error) int {
	r.process.LastWord(fmt.Sprintf("thread 'main' panicked: failed printing to stdout: %v\n", err))
	return 101
}

// Over ends the stream of a script that has no terminal frame.
func (r *renderer) Over() {
	if !r.process.Leaving() && !r.Muted {
		r.Stage.Leave(0, "")
	}
}
