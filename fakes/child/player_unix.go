//go:build unix

package child

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Player lets a binary play the program, see [fakes.Main].
func (p Program) Player() fakes.Player {
	return fakes.Player{Name: p.Name, Playable: p.Playable, Play: func(ctx context.Context, play fakes.Play) int {
		if play.Getenv(envRole) == string(roleSleeper) {
			return sleep(ctx, play)
		}
		// A reader that closed its end is an error of the write, not a death.
		broken := make(chan os.Signal, 1)
		signal.Notify(broken, syscall.SIGPIPE)
		defer signal.Stop(broken)

		as := roleHealth
		if p.Runs(play.Args) {
			as = roleRun
		}
		link, start, err := connect(ctx, play, as)
		if err != nil {
			fmt.Fprintf(play.Stderr, "adaptercheck: fake %s: %v\n", p.Name, err)
			return exitUnheard
		}
		defer link.conn.Close()
		process := newProcess(p, play, start, newOutbox(file(play.Stdout, os.Stdout)), newOutbox(file(play.Stderr, os.Stderr)))
		defer process.end()
		process.puppet = link
		go link.receive(process.over) // ends with the connection, at the latest with the process
		return p.Play(process)
	}}
}

func file(w any, otherwise *os.File) *os.File {
	if f, ok := w.(*os.File); ok {
		return f
	}
	return otherwise
}
