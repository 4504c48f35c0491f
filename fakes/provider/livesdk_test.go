package provider_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

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
