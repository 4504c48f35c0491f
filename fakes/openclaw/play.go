package openclaw

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Player describes the fake to who plays scripts. It is no child process: its Play says
// so and returns 2.
func Player() fakes.Player {
	return fakes.Player{Name: Name, Playable: Playable, Play: func(_ context.Context, p fakes.Play) int {
		fmt.Fprintf(p.Stderr, "adaptercheck: the fake %s listens: it is no program that an adapter starts\n", Name)
		return 2
	}}
}

// Playable reports the first frame that a version has no form for, as a
// [*fakes.FrameError]. An empty version is the newest.
func Playable(name string, frames []fakes.Frame) error {
	v, err := versionOf(name)
	if err != nil {
		return err
	}
	for i, f := range frames {
		if err := v.playable(f); err != nil {
			return &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	return nil
}

// PlayScript is a gateway that is started by hand. It prints its URL and, where Options
// has none, its token, and serves until the context ends; then it returns 0.
//
// A script is played in parts, each from an init to before the next: the first run that
// a client starts is told the first part, the next run the next one, and after the last
// part comes the first again. An ask waits for its answer, and silent for an abort, with
// which the part is over. Frames that the wire has no form for are reported on stderr
// before anything is played, with exit code 2, and so is an address that cannot be
// listened on.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	err := Playable(o.Version, frames)
	var rt *Runtime
	if err == nil {
		rt, err = New(ctx, o)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer rt.Close()
	end := rt.Endpoint()
	fmt.Fprintln(p.Stdout, end.URL)
	if o.Token == "" {
		fmt.Fprintln(p.Stdout, end.Env[0])
	}
	parts := parts(frames)
	for n := 0; ; n++ {
		next, err := rt.Next(ctx)
		if err != nil {
			return 0
		}
		run := next.(*Run)
		tasks.Go(func() { run.perform(ctx, parts[n%len(parts)]) })
	}
}

// parts splits a script before each init but the first.
func parts(frames []fakes.Frame) [][]fakes.Frame {
	var all [][]fakes.Frame
	begin, began := 0, false
	for i, f := range frames {
		if _, is := f.(fakes.Init); !is {
			continue
		}
		if began {
			all = append(all, frames[begin:i])
			begin = i
		}
		began = true
	}
	return append(all, frames[begin:])
}

// perform says a part of a script, as far as the run lets it.
func (run *Run) perform(ctx context.Context, frames []fakes.Frame) {
	for len(frames) > 0 {
		n := 1 + slices.IndexFunc(frames, func(f fakes.Frame) bool {
			_, asks := f.(fakes.Ask)
			_, silent := f.(fakes.Silent)
			return asks || silent
		})
		if n == 0 {
			n = len(frames)
		}
		last := frames[n-1]
		if _, silent := last.(fakes.Silent); silent {
			_, _ = run.Emit(ctx, frames[:n-1]...) // the gateway may have been closed
			run.until(ctx, run.cancelled)
			return
		}
		if _, err := run.Emit(ctx, frames[:n]...); err != nil {
			return
		}
		if ask, asks := last.(fakes.Ask); asks && !run.until(ctx, func() bool { return run.answered(ask.ID) || run.cancelled() }) {
			return
		}
		run.gateway.mu.Lock()
		stopped := run.cancelled()
		run.gateway.mu.Unlock()
		if stopped {
			return
		}
		frames = frames[n:]
	}
}

func (run *Run) cancelled() bool { return run.status == statusAborted || run.status == statusLost }

func (run *Run) answered(question string) bool {
	return slices.ContainsFunc(run.calls, func(c fakes.Call) bool { return c.Method == fakes.MethodAnswer && c.Question == question })
}

// until waits until something holds of the run. It reports false when the context or the
// gateway ended before.
func (run *Run) until(ctx context.Context, holds func() bool) bool {
	r := run.gateway
	for {
		r.mu.Lock()
		held, changed, closed := holds(), r.changed, r.closed
		r.mu.Unlock()
		if held || closed {
			return held
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
