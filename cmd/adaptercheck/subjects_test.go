package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// testSubjects are those of the tree and some that misbehave.
func testSubjects() []check.Subject {
	all := subjects.All()
	for name, f := range map[string]func(context.Context) error{
		"test-exits":  func(context.Context) error { os.Exit(0); return nil },
		"test-panics": func(ctx context.Context) error { go panic("canary-panic"); <-ctx.Done(); return ctx.Err() },
		"test-hangs":  func(context.Context) error { return stopSelf() },
		"test-absent": func(context.Context) error { return errors.New("no such program\r\n\x1b[31m/home/canary-path") },
		"test-slow":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"test-prints": func(context.Context) error {
			fmt.Println(`{"finished":true}`) // not for the parent to see
			fmt.Fprintln(os.Stderr, "canary-print")
			return nil
		},
		"test-litters": func(context.Context) error {
			_, err := os.MkdirTemp("", "litter-")
			return err
		},
	} {
		all = append(all, misbuilt(name, f))
	}
	return append(all, loud(), recorded(), namelessSubject())
}

// misbuilt is memory, with something done whenever it is built.
func misbuilt(name string, build func(context.Context) error) check.Subject {
	s := subjects.Memory()
	s.Name = name
	right := s.Executor
	s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
		if err := build(ctx); err != nil {
			return nil, err
		}
		return right(ctx, at)
	}
	return s
}

// loud is memory with canaries wherever an adapter can say something.
func loud() check.Subject {
	s := subjects.Memory()
	s.Name = "test-loud"
	right := s.Executor
	s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
		fmt.Println("canary-stdout sk-canary-0123456789abcdef")
		fmt.Fprintln(os.Stderr, "canary-stderr sk-canary-0123456789abcdef")
		in, err := right(ctx, at)
		if err == nil {
			in.Adapter = loudAdapter{in.Adapter}
		}
		return in, err
	}
	return s
}

type loudAdapter struct{ executor.Adapter }

const canary = "canary-loud sk-canary-0123456789abcdef /home/canary-user"

func (loudAdapter) ID() string { return canary }

func (loudAdapter) ParticipantKind() executor.ParticipantKind { return canary }

func (a loudAdapter) Capabilities() executor.Capabilities {
	c := a.Adapter.Capabilities()
	c.Models = append(c.Models, canary)
	c.RuntimeClass = canary
	return c
}

func (loudAdapter) Health(context.Context) (executor.Health, error) {
	return executor.Health{OK: true, Message: canary}, errors.New(canary)
}

func (loudAdapter) SetModel(context.Context, *executor.Run, string) error { panic(canary) }

func (loudAdapter) WriteContext(context.Context, *executor.Run, string, string) error {
	return errors.New(canary)
}

// recordVar names a file into which a worker writes every word that the suite gave
// to a subject.
const recordVar = "ADAPTERCHECK_TEST_RECORD"

// recorded is the reference adapter of the history contract, which refuses some
// sessions and writes down what it was given.
func recorded() check.Subject {
	s := subjects.JSONLReference()
	s.Name = "test-recorded"
	right := s.History
	built := 0
	s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
		path := os.Getenv(recordVar)
		if path == "" {
			return nil, errors.New("there is no file to write to")
		}
		words := []string{f.SessionID, f.Root, f.Dir, filepath.Dir(f.Dir), f.Model.Provider, f.Model.ID}
		for _, m := range f.Messages {
			text := fmt.Sprintf("%+v", m)
			for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"{}[]:,.;", r) }) {
				// Words of the suite's vocabulary are four with hyphens between.
				if strings.Count(w, "-") == 3 && !strings.ContainsAny(w, `/\`) {
					words = append(words, w)
				}
			}
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		if _, err := file.WriteString(strings.Join(words, "\n") + "\n"); err != nil {
			return nil, err
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
		if built++; built%5 == 0 {
			return nil, errors.New("refused: " + strings.Join(words, " "))
		}
		return right(ctx, f)
	}
	return s
}

// namelessSubject is the reference adapter of the history contract without a name,
// which is found.
func namelessSubject() check.Subject {
	s := subjects.JSONLReference()
	s.Name = "test-nameless"
	right := s.History
	s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
		in, err := right(ctx, f)
		if err == nil {
			in.Adapter = nameless{in.Adapter}
		}
		return in, err
	}
	return s
}

type nameless struct{ history.Adapter }

func (n nameless) Identity() history.Identity {
	id := n.Adapter.Identity()
	id.AdapterName = ""
	return id
}
