package pi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// play is a process of the fake from start to end.
func play(p *child.Process) int {
	home := child.Home(p.Play)
	if home != "" {
		home = filepath.Dir(home) // that of the program, which the endpoint names
	}
	r, code, ended := begin(p, home)
	if ended {
		return code
	}
	defer r.session.close()
	defer r.leave()
	p.Begin(r.start)
	return p.Serve()
}

// PlayScript acts as the program and says the frames, without a puppet: a fake that is
// started by hand. It returns the exit code.
//
// With Args it reads them as the program does and obeys the client on stdin: in RPC mode
// each init waits for the prompt whose run it is, an ask for its answer, and silent for
// an abort, after which the script goes on with its next init. Without Args it plays at
// once what RPC mode says. A script that ends within a run ends the process. Frames that
// the wire has no form for are reported on stderr before anything is played, with exit
// code 2.
func PlayScript(ctx context.Context, frames []fakes.Frame, p fakes.Play, o Options) int {
	if err := playable(o.Version, frames); err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return 2
	}
	return playAlone(ctx, p, o, func(process *child.Process) int { return process.Perform(frames) })
}

// PlayRecording acts as the program and prints recorded lines, byte for byte. It returns
// the exit code given. Args and stdin are treated as by [PlayScript].
func PlayRecording(ctx context.Context, recording []byte, exit int, p fakes.Play) int {
	return playAlone(ctx, p, Options{Recording: recording, Exit: exit}, (*child.Process).Serve)
}

func playAlone(ctx context.Context, p fakes.Play, o Options, act func(*child.Process) int) int {
	v, err := versionOf(o.Version)
	if err == nil {
		err = o.Wire.Check()
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return 2
	}
	start := o.start()
	start.Version = v.name
	return child.Alone(ctx, program(), p, start, func(process *child.Process) int {
		if len(p.Args) > 0 {
			r, code, ended := begin(process, o.Home)
			if ended {
				return code
			}
			defer r.session.close()
			defer r.leave()
			return act(process)
		}
		r := newRenderer(process, v, invocation{mode: modeRPC}, newIDs(o.Seed, 0))
		r.process = process
		r.session.dir = workDir()
		r.input.begun, r.input.closed = true, true
		process.Cast(r)
		if err := r.newSession(); err != nil {
			fmt.Fprintln(p.Stderr, err)
			return 2
		}
		r.accept("hello")
		return act(process)
	})
}

// begin reads argv, opens the session and waits for the prompt. It reports the exit code
// if that was all.
func begin(p *child.Process, home string) (r *renderer, code int, ended bool) {
	v, err := versionOf(p.Start.Version)
	if err != nil {
		fmt.Fprintf(p.Play.Stderr, "adaptercheck: %v\n", err)
		return nil, p.Quit(2), true
	}
	inv, parsed := parseArgs(p.Play.Args, v)
	r = newRenderer(p, v, inv, newIDs(p.Start.Seed, p.Start.Nth))
	r.process = p
	p.Cast(r)
	if code, ended := p.Front(func() (int, bool) { return r.front(parsed) }); ended {
		return nil, code, true
	}
	dir := workDir()
	r.agent = agentDir(home, p.Play)
	asked, err := r.prepare(dir)
	if err != nil {
		fmt.Fprint(p.Play.Stderr, err)
		return nil, p.Quit(1), true
	}
	p.Session = r.session.id
	r.start = fakes.Call{
		Method: fakes.MethodStart, Session: r.session.id, Resume: asked, Model: inv.model, Blocklist: inv.excluded,
		Args: p.Play.Args, Env: child.EnvNames(p.Play.Env), Dir: dir,
	}
	if inv.mode == modeRPC {
		p.Listen(r.hear)
		if code, ended := p.Await(func() bool { return r.run != nil }); ended {
			return nil, code, true
		}
	} else if code, ended := r.readPrompt(); ended {
		return nil, code, true
	}
	r.start.Message = *r.run.prompt
	r.input.begun = true
	return r, 0, false
}

// front plays what argv alone decides.
func (r *renderer) front(parsed error) (code int, done bool) {
	p := r.process.Play
	switch {
	case r.inv.version:
		fmt.Fprintln(p.Stdout, r.version.name)
		return 0, true
	case r.inv.help:
		fmt.Fprintln(p.Stdout, "pi - AI coding assistant with read, bash, edit, write tools")
		return 0, true
	case parsed != nil:
		fmt.Fprint(p.Stderr, parsed)
		return 1, true
	}
	return 0, false
}

// prepare chooses the model and opens the session.
func (r *renderer) prepare(dir string) (asked string, err error) {
	if r.known, err = loadModels(r.agent); err != nil {
		return "", refused("Error: %v\n", err)
	}
	m, warning, err := r.known.choose(r.inv.provider, r.inv.model)
	if err != nil {
		return "", err
	}
	if warning != "" {
		fmt.Fprint(r.process.Play.Stderr, warning)
	}
	r.model, r.level = m, m.level()
	asked, err = r.open(dir)
	switch {
	case errors.Is(err, errNoSession):
		return "", refused("No session found matching '%s'\n", r.inv.session)
	case err != nil:
		return "", refused("Error: %v\n", err)
	}
	return asked, nil
}

// readPrompt takes the prompt of a mode that has one: what argv says, after all of stdin,
// which is waited for even where argv has a prompt.
func (r *renderer) readPrompt() (code int, ended bool) {
	p := r.process
	var read []byte
	f, isFile := p.Play.Stdin.(*os.File)
	over := p.Play.Stdin == nil || isFile && term.IsTerminal(int(f.Fd()))
	if !over {
		p.Listen(func(piece []byte, err error) {
			read = append(read, piece...)
			over = err != nil
			if err != nil && !errors.Is(err, io.EOF) {
				read = nil
			}
		})
	}
	if code, ended := p.Await(func() bool { return over }); ended {
		return code, true
	}
	parts := r.inv.messages
	if text := strings.TrimSpace(string(read)); text != "" {
		parts = append([]string{text}, parts...)
	}
	r.input.closed = true
	r.accept(strings.Join(parts, "\n"))
	if r.inv.mode != modeJSON {
		return 0, false
	}
	s := r.session
	if err := r.event("session", member{"version", 3}, member{"id", s.id}, member{"timestamp", iso(r.clock.now())}, member{"cwd", s.dir}); err != nil {
		return r.Broken(err), true
	}
	return 0, false
}

// workDir is the directory that a process works in; empty if it is gone.
func workDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
