//go:build sdk

// The SDKs take minutes to build: go test -tags sdk, as make test does.

package provider_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

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

// A test says an answer piece by piece, and each is read before the next is said.
func TestLive(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Live: true}))
	opened := make(chan *ssestream.Stream[anthropic.MessageStreamEventUnion], 1)
	go func() { opened <- anthropicClient(s.Space).Messages.NewStreaming(t.Context(), anthropicParams()) }()
	var stream *ssestream.Stream[anthropic.MessageStreamEventUnion]
	next := func(want string) {
		t.Helper()
		if stream == nil { // it opens with the first bytes
			stream = <-opened
		}
		for stream.Next() {
			if e, is := stream.Current().AsAny().(anthropic.ContentBlockDeltaEvent); is {
				if e.Delta.Text != want {
					t.Errorf("read %q, want %q", e.Delta.Text, want)
				}
				return
			}
		}
		t.Fatalf("the stream ended: %v", stream.Err())
	}
	call, err := s.Next(t.Context())
	must(t, err)
	if x := call.Exchange(); x.Text != "look" || x.Dialect != provider.Anthropic {
		t.Errorf("exchange %+v", x)
	}
	receipt, err := call.Emit(t.Context(), fakes.Delta{Text: "a"})
	must(t, err)
	if receipt.Frames != 4 || receipt.Bytes == 0 { // message_start, block_start, ping, delta
		t.Errorf("receipt %+v", receipt)
	}
	next("a")
	if _, err = call.Emit(t.Context(), fakes.Delta{Text: "never"}, fakes.Exit{}); !errors.Is(err, fakes.ErrUnplayable) {
		t.Errorf("error %v", err)
	}
	_, err = call.Emit(t.Context(), fakes.Delta{Text: "b"})
	must(t, err)
	next("b")
	_, err = call.Emit(t.Context(), fakes.Usage{Out: new(int64(5))}, fakes.End{Reason: fakes.EndOK})
	must(t, err)
	defer stream.Close()
	if stop := stream.Next(); !stop || stream.Current().Type != "content_block_stop" {
		t.Errorf("event %q", stream.Current().Type)
	}
	must(t, call.Gone(t.Context()))
	if _, err := call.Emit(t.Context(), fakes.Delta{Text: "late"}); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("error %v after the end", err)
	}
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

// Who goes away is gone, for the test as well.
func TestLiveGone(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Live: true}))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		stream := openaiClient(s.Space).Chat.Completions.NewStreaming(ctx, chatParams())
		defer stream.Close()
		stream.Next()
		cancel()
	})
	call, err := s.Next(t.Context())
	must(t, err)
	_, err = call.Emit(t.Context(), fakes.Delta{Text: "a"})
	must(t, err)
	wg.Wait()
	must(t, call.Gone(t.Context()))
	if _, err := call.Emit(t.Context(), fakes.Delta{Text: "b"}); !errors.Is(err, fakes.ErrGone) {
		t.Errorf("error %v", err)
	}
	if x, err := s.Wait(t.Context(), 1); err != nil || x.Outcome != provider.Gone {
		t.Errorf("outcome %s, error %v", x.Outcome, err)
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
