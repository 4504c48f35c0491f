package rawmutants

import (
	"context"
	"fmt"

	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/fakes"
)

const playerName = "raw-subject"

// Player plays the subjects of this package in a process of their own.
func Player() fakes.Player { return fakes.Player{Name: playerName, Play: play} }

// play serves the subject that the first argument names, until the input ends.
func play(ctx context.Context, p fakes.Play) int {
	subject, behaves, ok := find(p.Args)
	if !ok {
		fmt.Fprintln(p.Stderr, "raw subject: want the id of one as the only argument")
		return 2
	}
	l := newLine(p, behaves)
	if err := remote.Serve(ctx, l.input(), l, subject); err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 1
	}
	return 0
}
