package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"

	"github.com/gofrs/flock"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// lockVar names a file that a subject locks as long as it lives.
const lockVar = "ADAPTERCHECK_TEST_LOCK"

// lock is reachable, so that it is not closed before the process ends.
var lock *flock.Flock

// served are the subjects that the program test-subject can be.
var served = map[string]func() check.Subject{
	"memory":  subjects.Memory,
	"codex":   subjects.Codex,
	"history": subjects.JSONLReference,
	// Named after something that it was given.
	"env":  func() check.Subject { return called(os.Getenv("TEST_SUBJECT_NAME")) },
	"dir":  func() check.Subject { return called(filepath.Base(at(os.Getwd()))) },
	"home": func() check.Subject { return called(filepath.Base(at(os.UserHomeDir()))) },
	// Its state outlives its instances: there is one in each process.
	"once": func() check.Subject {
		var built atomic.Bool
		return misbuilt("once", func(context.Context) error {
			if built.Swap(true) {
				return errors.New("there was one already")
			}
			return nil
		})
	},
	// It says a word on stdout that is none of the protocol's.
	"noisy": func() check.Subject {
		return misbuilt("noisy", func(context.Context) error { fmt.Println("canary-noise"); return nil })
	},
	// It ends in the middle, after many words.
	"dies": func() check.Subject {
		return misbuilt("dies", func(context.Context) error {
			for i := range 30 {
				fmt.Fprintf(os.Stderr, "canary-word %d\n", i)
			}
			os.Exit(7)
			return nil
		})
	},
	// It answers nothing, and is not ended by being asked to.
	"stubborn": func() check.Subject {
		return misbuilt("stubborn", func(context.Context) error {
			signal.Ignore()
			lock = flock.New(os.Getenv(lockVar))
			if err := lock.Lock(); err != nil {
				return err
			}
			select {}
		})
	},
	"wrong": func() check.Subject {
		return wrapped(func(a executor.Adapter) executor.Adapter { return loudAdapter{a} })
	},
	"nameless": namelessSubject,
	// It says what it was given where that does not belong.
	"telling": func() check.Subject {
		return wrapped(func(a executor.Adapter) executor.Adapter { return tellingAdapter{a} })
	},
}

type tellingAdapter struct{ executor.Adapter }

func (tellingAdapter) ParticipantKind() executor.ParticipantKind {
	return executor.ParticipantKind(os.Getenv("TEST_SUBJECT_NAME"))
}

// wrapped is memory in the hands of another adapter.
func wrapped(wrap func(executor.Adapter) executor.Adapter) check.Subject {
	s := subjects.Memory()
	right := s.Executor
	s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
		in, err := right(ctx, at)
		if err == nil {
			in.Adapter = wrap(in.Adapter)
		}
		return in, err
	}
	return s
}

func called(name string) check.Subject {
	s := subjects.Memory()
	s.Name = name
	return s
}

// at is a path, or the reason why there is none, which is no name.
func at(path string, err error) string {
	if err != nil {
		return err.Error()
	}
	return path
}

// serveSubject is the program test-subject NAME: a subject of another process.
func serveSubject() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if name == "old" { // another version of the protocol
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"protocol":"adaptercheck-subject-v0"}}`)
		name = "memory"
	}
	make, ok := served[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "no subject %q\n", name)
		os.Exit(2)
	}
	if err := remote.Serve(context.Background(), os.Stdin, os.Stdout, make()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
