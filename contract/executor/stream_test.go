package executor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// scripted is a stream that gives these results, then io.EOF.
type scripted struct {
	results []pull
	pulls   int
	closed  int
}

func (s *scripted) Next(context.Context) (executor.Event, error) {
	s.pulls++
	if len(s.results) == 0 {
		return nil, io.EOF
	}
	r := s.results[0]
	s.results = s.results[1:]
	return r.event, r.err
}

func (s *scripted) Close() error { s.closed++; return nil }

func TestAll(t *testing.T) {
	broken := errors.New("broken pipe")
	malformed := &executor.EventError{Field: "seq", Problem: executor.ProblemMissing, Want: "a number"}
	for _, c := range []struct {
		name    string
		results []pull
		want    []string
		pulls   int
	}{
		{"at once over", nil, []string{}, 1},
		{"the end is no item", []pull{{event: delta(1)}, {event: done(2)}}, []string{"text 1", "done 2"}, 3},
		{"a wrapped end is an end", []pull{{event: delta(1)}, {err: fmt.Errorf("stream: %w", io.EOF)}}, []string{"text 1"}, 2},
		{"an error is the last item", []pull{{event: delta(1)}, {err: broken}, {event: done(2)}}, []string{"text 1", "broken pipe"}, 2},
		{"the error of a context is too", []pull{{err: context.Canceled}, {event: done(2)}}, []string{"context canceled"}, 1},
		{
			"an event that could not be read ends nothing",
			[]pull{{event: delta(1)}, {err: malformed}, {err: fmt.Errorf("line 3: %w", malformed)}, {event: done(2)}},
			[]string{"text 1", malformed.Error(), "line 3: " + malformed.Error(), "done 2"}, 5,
		},
		{"done does not end a stream", []pull{{event: done(1)}, {event: delta(2)}}, []string{"done 1", "text 2"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scripted{results: c.results}
			got := []string{}
			for e, err := range executor.All(t.Context(), s) {
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				got = append(got, brief(e))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			if s.pulls != c.pulls {
				t.Errorf("%d pulls, want %d", s.pulls, c.pulls)
			}
			if s.closed != 0 {
				t.Error("All closed the stream")
			}
		})
	}
}

// Who leaves the loop has pulled nothing more.
func TestAllBreak(t *testing.T) {
	s := &scripted{results: []pull{{event: delta(1)}, {event: done(2)}}}
	for range executor.All(t.Context(), s) {
		break
	}
	if s.pulls != 1 || s.closed != 0 {
		t.Errorf("%d pulls, %d closes; want 1, 0", s.pulls, s.closed)
	}
	for e := range executor.All(t.Context(), s) {
		if brief(e) != "done 2" {
			t.Errorf("a second loop goes on with %s, want done 2", brief(e))
		}
	}
}

// All gives every pull the caller's context.
func TestAllContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	q := executor.NewQueue(executor.QueueOptions{})
	q.Push(delta(1))
	var last error
	for _, err := range executor.All(ctx, q) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("last error %v, want context.Canceled", last)
	}
}

func TestEnded(t *testing.T) {
	var s executor.Stream = executor.Ended{}
	for range 2 {
		if e, err := s.Next(t.Context()); e != nil || !errors.Is(err, io.EOF) {
			t.Errorf("Next = %v, %v; want io.EOF", e, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
