package hermes

import (
	"errors"
	"fmt"
	"os"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// front plays what comes before a run: argv, the version, usage errors. It reports the
// exit code if that was all.
func front(p fakes.Play, v version) (inv invocation, code int, done bool) {
	inv, err := parseArgs(p.Args, v)
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprint(p.Stderr, usage.text)
		return inv, 2, true
	case inv.command == cmdVersion:
		fmt.Fprintf(p.Stdout, "Hermes Agent v%s (%s)\nPython: 3.11.14\nUp to date\n", v.name, v.date)
		return inv, 0, true
	case !inv.asks(): // a terminal program whose input ends at once
		fmt.Fprintln(p.Stderr, "Warning: Input is not a terminal (fd=0).")
		fmt.Fprintln(p.Stdout, "\nGoodbye! ⚕")
		return inv, 0, true
	}
	return inv, 0, false
}

// prompt is the query, from argv, a file or stdin. It reports the exit code if there is
// none.
func (r *renderer) prompt() (text string, code int, ended bool) {
	if r.inv.query != "" {
		return r.inv.query, 0, false
	}
	var data []byte
	var err error
	if r.inv.queryFile == "-" {
		var end error
		r.process.Listen(func(piece []byte, err error) { data, end = append(data, piece...), err })
		if code, ended := r.process.Await(func() bool { return end != nil }); ended {
			return "", code, true
		}
	} else {
		data, err = os.ReadFile(r.inv.queryFile)
	}
	if err == nil && len(data) == 0 {
		err = errors.New("the query is empty")
	}
	if err != nil {
		fmt.Fprintf(r.process.Play.Stderr, "Error: --query-file: %v\n", err)
		return "", r.process.Quit(2), true
	}
	return string(data), 0, false
}

// errNoSession says that the session that was asked for is not there.
var errNoSession = errors.New("no such session")

// enter opens the session that the run goes on with, or a fresh one, and returns the id
// that was asked for.
func (r *renderer) enter(inv invocation) (asked string, err error) {
	old, asked, found, err := r.seek(inv)
	switch {
	case err != nil:
		return asked, err
	case !found:
		r.unnamed = true
		if r.session, err = r.fresh(); err != nil {
			return asked, err
		}
	default:
		r.session, r.known = old.id, old.spent
		if inv.model == "" && old.model != "" {
			r.model = old.model
		}
		if err := r.welcome(old); err != nil {
			return asked, err
		}
	}
	return asked, r.state.begin(r.session, r.newSession(""))
}

// seek finds the session that argv names: by id, by title, or as the last one. One that
// was compressed stands for the one in which it goes on. That the last one is missing is
// no error.
func (r *renderer) seek(inv invocation) (found session, asked string, known bool, err error) {
	asked = inv.resume
	switch {
	case inv.goesOn || asked == "latest" && r.version.streamJSON:
		found, known, err = r.state.last()
		if asked = found.id; err != nil || !known {
			return found, asked, false, err
		}
	case asked == "":
		return found, "", false, nil
	case r.state == nil: // nothing is kept, so nothing is unknown
		return session{id: asked}, asked, true, nil
	default:
		if found, known, err = r.state.find(asked); err == nil && !known {
			found, known, err = r.state.titled(asked)
		}
		if err == nil && !known {
			err = errNoSession
		}
	}
	for err == nil && found.endReason == "compression" {
		heir, has, failed := r.state.heir(found.id)
		if failed != nil || !has {
			return found, asked, known, failed
		}
		if err = r.note(fmt.Sprintf("Session %s was compressed into %s; resuming the descendant with your transcript.", found.id, heir.id)); err == nil {
			found = heir
		}
	}
	return found, asked, known, err
}

// welcome says what a session holds that is gone on with.
func (r *renderer) welcome(s session) error {
	switch {
	case r.state == nil:
		return nil
	case s.messages == 0:
		return r.note(fmt.Sprintf("Session %s found but has no messages. Starting fresh.", s.id))
	}
	title, plural := "", "s"
	if s.title != "" {
		title = fmt.Sprintf(" %q", s.title)
	}
	if s.users == 1 {
		plural = ""
	}
	return r.note(fmt.Sprintf("↻ Resumed session %s%s (%d user message%s, %d total messages)", s.id, title, s.users, plural, s.messages))
}

// refuse ends a process whose session is not there. With stream-json it says so on stdout
// too.
func (r *renderer) refuse(asked string) int {
	r.session = asked
	err := r.printInit()
	for _, line := range []string{"Session not found: " + asked, "Use a session ID from a previous CLI run (hermes sessions list)."} {
		err = errors.Join(err, r.note(line))
	}
	if r.inv.stream {
		err = errors.Join(err, r.printResult(1, "", "credentials or agent init failed"), r.printSession())
	}
	if err != nil {
		return r.Broken(err)
	}
	return r.process.Quit(1)
}

// started is the call that a run begins with.
func (r *renderer) started(text, asked string) fakes.Call {
	return fakes.Call{Method: fakes.MethodStart, Session: r.session, Message: text, Model: r.inv.model, Resume: asked,
		Args: r.process.Play.Args, Env: child.EnvNames(r.process.Play.Env), Dir: r.dir}
}
