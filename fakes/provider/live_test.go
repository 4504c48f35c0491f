package provider_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// later asks in the background.
func later(t *testing.T, s *provider.Space, d provider.Dialect, stream bool) func() answer {
	var got answer
	var wg sync.WaitGroup
	wg.Go(func() { got = ask(t, s, d, stream, "x") })
	return func() answer { wg.Wait(); return got }
}

func TestLivePlain(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Live: true}))
	each(t, func(t *testing.T, d provider.Dialect) {
		got := later(t, s.Space, d, false)
		call, err := s.Next(t.Context())
		must(t, err)
		if receipt, err := call.Emit(t.Context(), deltas("in ", "pieces")...); err != nil || receipt.Frames != 0 {
			t.Errorf("receipt %+v, error %v", receipt, err)
		}
		receipt, err := call.Emit(t.Context(), fakes.End{Reason: fakes.EndOK})
		if err != nil || receipt.Frames != 1 {
			t.Errorf("receipt %+v, error %v", receipt, err)
		}
		if a := got(); a.status != 200 || !strings.Contains(a.body, "in pieces") {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	})
}

// What was begun is an answer: what goes wrong then is told in it, and not as a status.
func TestLiveBegin(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Live: true}))
	each(t, func(t *testing.T, d provider.Dialect) {
		got := later(t, s.Space, d, true)
		call, err := s.Next(t.Context())
		must(t, err)
		receipt, err := call.Begin(t.Context())
		if err != nil || receipt.Frames == 0 || receipt.Bytes == 0 {
			t.Errorf("receipt %+v, error %v", receipt, err)
		}
		if again, err := call.Begin(t.Context()); err != nil || again.Frames != 0 {
			t.Errorf("a second time: receipt %+v, error %v", again, err)
		}
		if _, err := call.Emit(t.Context(), fakes.Delta{Text: "never"}, fakes.Exit{}); !errors.Is(err, fakes.ErrUnplayable) {
			t.Errorf("error %v", err)
		}
		_, err = call.Emit(t.Context(), fakes.Failure{Code: "overloaded_error", Message: "too much"})
		must(t, err)
		if a := got(); a.status != 200 || !strings.Contains(a.body, "too much") || strings.Contains(a.body, "never") {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	})
}

// A whole message that is another than the one before is no continuation of it.
func TestLiveMessages(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Live: true}))
	got := later(t, s.Space, provider.Anthropic, false)
	call, err := s.Next(t.Context())
	must(t, err)
	_, err = call.Emit(t.Context(), fakes.Delta{Msg: "m1", Text: "a"}, fakes.Final{Msg: "m1", Text: new("ab")}, fakes.Delta{Msg: "m2", Text: "a"}, fakes.Final{Msg: "m3", Text: new("ab")}, fakes.End{Reason: fakes.EndOK})
	must(t, err)
	if a := got(); !strings.Contains(a.body, `[{"type":"text","text":"ab"},{"type":"text","text":"a"},{"type":"text","text":"ab"}]`) {
		t.Errorf("body %s", a.body)
	}
}

func TestLiveEnds(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Live: true}))
	for _, test := range []struct {
		name   string
		do     func(*provider.Call) error
		status int
		err    error
	}{
		{"refused", func(c *provider.Call) error { return c.Refuse(t.Context(), provider.Refusal{Status: 503}) }, 503, nil},
		{"failed at once", func(c *provider.Call) error {
			_, err := c.Emit(t.Context(), fakes.Failure{Code: "429", Message: "slow"})
			return err
		}, 429, nil},
		{"reset", func(c *provider.Call) error { return c.Fault(t.Context(), provider.Fault{Kind: provider.Reset}) }, 200, syscall.ECONNRESET},
		{"cut", func(c *provider.Call) error { _, err := c.Emit(t.Context(), fakes.Cut{}); return err }, 200, io.ErrUnexpectedEOF},
		{"cut inside", func(c *provider.Call) error {
			if err := c.Fault(t.Context(), provider.Fault{Kind: provider.FIN, Byte: 20}); err != nil {
				return err
			}
			_, err := c.Emit(t.Context(), fakes.Delta{Text: "x"})
			return err
		}, 200, io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := later(t, s.Space, provider.Chat, true)
			call, err := s.Next(t.Context())
			must(t, err)
			must(t, test.do(call))
			a := got()
			if a.status != test.status || !errors.Is(a.err, test.err) {
				t.Errorf("status %d, error %v", a.status, a.err)
			}
			if test.name == "cut inside" && len(a.body) != 20 {
				t.Errorf("%d bytes came", len(a.body))
			}
			must(t, call.Gone(t.Context()))
		})
	}
}

func TestNobodyAsks(t *testing.T) {
	s := start(t, provider.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
