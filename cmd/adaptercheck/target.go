package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/hosttest"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
	"github.com/adaptercheck/adaptercheck/internal/config"
)

// target is something to judge: an adapter that is linked in, or a process.
type target struct {
	// subject of a process is known once the process has been met.
	subject check.Subject
	process *supervise.Process // nil for one that is linked in
	host    *hosttest.At       // of a host that somebody started, else nil
	// profiles that it must be judged by; nil is all that it implements.
	profiles []report.Profile
	// fault says why the process could not be started.
	fault error
}

// linked is a target that needs no process.
func linked(s check.Subject) target { return target{subject: s} }

// configured is a target of the project's file, which says where it is started.
func configured(s config.Subject, c config.Config) (target, error) {
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return target{}, fmt.Errorf("%s:%d:%d: subject %s: cwd: %q is no directory", c.Path, s.At.Line, s.At.Col, s.Name, s.Dir)
	}
	return target{profiles: s.Profiles, process: &supervise.Process{
		Command: selfFound(s.Command), Dir: s.Dir, Env: s.Env, PrivateHome: s.PrivateHome, Restart: s.Restart, Name: s.Name, Fake: s.Fake,
	}}, nil
}

// label is a word for a process whose own name is not known yet.
func label(p supervise.Process) string {
	if p.Name != "" {
		return p.Name
	}
	base := filepath.Base(p.Command[0])
	if report.Name(base).Valid() {
		return base
	}
	return "subject"
}

// cut says why the target cannot be run; nil if it can.
func (t target) cut(ctx context.Context) *report.Cut {
	switch {
	case t.fault == nil:
		return nil
	case ctx.Err() != nil:
		return &report.Cut{Reason: report.CutInterrupted}
	default:
		return &report.Cut{Reason: report.CutNotStarted}
	}
}
