package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// PlayScript acts as the CLI and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it is as strict about them as the CLI and reads stdin where the CLI
// does; without, it plays at once. A script that ends without a terminal frame ends
// the stream, one that ends with silent waits for a signal or for ctx. Frames that
// the wire has no form for are reported on stderr before anything is played, with
// exit code 2. Threads are not remembered from one process to the next.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	return playAlone(ctx, p, o, func(r *renderer, s *stage) error {
		if err := playable(frames); err != nil {
			return &badScript{err}
		}
		for _, f := range frames {
			if err := f.Accept(r); err != nil {
				return fmt.Errorf("%s: %w", f.Word(), err)
			}
		}
		if s.leaving == nil && !r.muted {
			s.Leave(0, "")
		}
		return nil
	})
}

// PlayRecording acts as the CLI and prints recorded lines, byte for byte. It returns
// the exit code given. Args and stdin are treated as by [PlayScript].
func PlayRecording(ctx context.Context, recording []byte, exit int, p fakes.Play) int {
	return playAlone(ctx, p, Options{}, func(_ *renderer, s *stage) error {
		s.Leave(exit, "")
		return replay(s.out, recording)
	})
}

// replay writes recorded lines as frames, and what follows the last line end as it
// is.
func replay(w *wire.Writer, recording []byte) error {
	for len(recording) > 0 {
		line, rest, whole := bytes.Cut(recording, []byte("\n"))
		if !whole {
			return w.Raw(line)
		}
		if err := w.Frame(line); err != nil {
			return err
		}
		recording = rest
	}
	return nil
}

// badScript is a script that this wire cannot play.
type badScript struct{ err error }

func (e *badScript) Error() string { return e.err.Error() }

func playAlone(ctx context.Context, p fakes.Play, o Options, act func(*renderer, *stage) error) int {
	v, err := versionOf(o.Version)
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, stopSignals...)
	defer signal.Stop(signals)

	inv := invocation{command: cmdExec, json: true, prompt: new(string)}
	thread, spent := threadID(o.Seed, 0), totals{}
	if len(p.Args) > 0 {
		var code int
		var done bool
		if inv, code, done = front(p, v); done {
			return code
		}
		if drainsStdin(inv, v, p) {
			select {
			case stdin := <-readAll(p.Stdin):
				_, err = message(inv, stdin)
			case s := <-signals:
				return stopBy(nameOf(s), v)
			case <-ctx.Done():
				return stopBy("INT", v)
			}
		}
		if err == nil {
			thread, _, spent, err = open(inv, v, store{}, thread)
		}
		if err != nil {
			fmt.Fprintln(p.Stderr, err)
			return 1
		}
	}

	s := &stage{out: wire.NewWriter(p.Stdout, o.Wire), play: p, deaf: map[string]bool{}}
	r := &renderer{version: v, out: s, asJSON: inv.json, thread: thread, spent: spent, calls: map[string]*call{}, lastFile: inv.message}
	err = act(r, s)
	if flushed := s.out.Close(); err == nil {
		err = flushed
	}
	var bad *badScript
	switch {
	case errors.As(err, &bad):
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 2
	case errors.Is(err, wire.ErrCut):
		s.Leave(0, "")
	case err != nil:
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 1
	}
	return s.wait(ctx, signals, v)
}

// stopBy is what a stop signal does to the CLI: SIGINT lets it exit, the others
// kill it.
func stopBy(name string, v version) int {
	if name == "INT" {
		return v.onInterrupt
	}
	return dieBy(name)
}

// stage is the sink of a fake without a puppet: it writes at once.
type stage struct {
	out     *wire.Writer
	play    fakes.Play
	deaf    map[string]bool
	leaving *departure
}

// departure is how a process ends.
type departure struct {
	code   int
	signal string
}

func (d departure) take() int {
	if d.signal != "" {
		return dieBy(d.signal)
	}
	return d.code
}

// wait ends as the script asked for, or by a signal.
func (s *stage) wait(ctx context.Context, signals <-chan os.Signal, v version) int {
	if s.leaving != nil {
		return s.leaving.take()
	}
	for {
		select {
		case got := <-signals:
			if name := nameOf(got); !s.deaf[name] {
				return stopBy(name, v)
			}
		case <-ctx.Done():
			return stopBy("INT", v)
		}
	}
}

func (s *stage) Frame(line []byte) error { return s.out.Frame(line) }
func (s *stage) Raw(b []byte) error      { return s.out.Raw(b) }
func (s *stage) Ignore(signal string)    { s.deaf[signal] = true }
func (s *stage) Stay()                   { s.leaving = nil }

func (s *stage) Stderr(b []byte) error {
	_, err := s.play.Stderr.Write(b)
	return err
}

func (s *stage) Leave(code int, signal string) { s.leaving = &departure{code, signal} }

// Cut closes stdout if it can be closed.
func (s *stage) Cut() {
	if c, ok := s.play.Stdout.(interface{ Close() error }); ok {
		if s.out.Close() == nil {
			c.Close()
		}
	}
}

// Child starts a descendant that ends by itself after a while, as nobody is there
// to end it.
func (s *stage) Child(ownSession bool) error {
	if err := fakes.Startable(Name); err != nil {
		return err
	}
	return startSleeper(s.play.Env, ownSession)
}
