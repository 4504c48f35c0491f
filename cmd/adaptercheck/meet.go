package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
	"github.com/adaptercheck/adaptercheck/internal/config"
)

// open starts the target if it is a process, which is the caller's to close, and
// else gives a nil process. The trace, if not nil, gets what crosses the wire.
func (sys system) open(ctx context.Context, t target, trace io.Writer) (check.Subject, *remote.Process, error) {
	if t.process == nil {
		return t.subject, nil, nil
	}
	s, p, err := t.process.Start(ctx, sys.runtimes(), trace)
	if errors.Is(err, remote.ErrMode) && t.process.Fake == "" {
		err = fmt.Errorf("%w; name one with --fake, or as its fake in %s: %s", err, config.File, strings.Join(sys.fakeNames(), ", "))
	}
	return s, p, err
}

// start is open for a command that is nothing without the subject: it says at once
// why that cannot be started.
func (sys system) start(ctx context.Context, t target, trace io.Writer) (check.Subject, *remote.Process, error) {
	s, p, err := sys.open(ctx, t, trace)
	if err == nil || errors.Is(err, remote.ErrMode) {
		return s, p, err
	}
	sys.notStarted(err)
	return s, nil, code(exitInconclusive)
}

// meet starts each process once and ends it, to see whether it starts, what it is
// called and what it offers. The checks have processes of their own, one per worker.
// An error is a mistake of the user's; a process that cannot be started is none, and
// is told at once.
func (sys system) meet(ctx context.Context, targets []target, traces traceDir) error {
	for i := range targets {
		t := &targets[i]
		if t.process == nil {
			continue
		}
		trace, closed, err := traces.open(*t.process, "start")
		if err != nil {
			return fmt.Errorf("flag --trace: %w", err)
		}
		s, err := sys.look(ctx, *t, trace)
		closed()
		if errors.Is(err, remote.ErrMode) {
			return err
		}
		if t.fault = err; err != nil {
			s = check.Subject{Name: label(*t.process)}
			if ctx.Err() == nil {
				sys.notStarted(err)
			}
		}
		t.subject = s
	}
	return nil
}

// look is what a process says it is.
func (sys system) look(ctx context.Context, t target, trace io.Writer) (check.Subject, error) {
	s, p, err := sys.open(ctx, t, trace)
	if err != nil {
		return check.Subject{}, err
	}
	return s, p.Close(ctx)
}

// runtimes are the fakes that a process can be given.
func (sys system) runtimes() supervise.Fakes {
	all := supervise.Fakes{}
	for _, f := range sys.fakes {
		all[f.player.Name] = f.runtime
	}
	return all
}
