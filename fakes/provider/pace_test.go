package provider_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// pipes is a listener in memory, so that time may be virtual.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.done) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		here, there := net.Pipe()
		select {
		case p.conns <- there:
			return here, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}}
}

// virtual runs a test with a server whose time is the test's own.
func virtual(t *testing.T, o provider.Options, f func(t *testing.T, s *provider.Server, client *http.Client)) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		o.Listener = p
		s, err := provider.New(t.Context(), o)
		must(t, err)
		f(t, s, p.client())
		must(t, s.Close())
	})
}

// arrivals reads a stream and notes when each event has come.
func arrivals(t *testing.T, client *http.Client, r *http.Request) []time.Duration {
	began := time.Now()
	resp, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	var at []time.Duration
	held := ""
	buffer := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buffer)
		held += string(buffer[:n])
		for {
			_, rest, whole := strings.Cut(held, "\n\n")
			if !whole {
				break
			}
			held = rest
			at = append(at, time.Since(began))
		}
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			return at
		}
	}
}

// Events leave when they are due: what frames a piece of the answer, with it.
func TestPace(t *testing.T) {
	ms := time.Millisecond
	rule := provider.Rule{Frames: deltas("a", "b", "c"), Pace: provider.Pace{First: 300 * ms, Every: 50 * ms}}
	virtual(t, provider.Options{Rules: []provider.Rule{rule}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		got := arrivals(t, client, request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, true, "x")))
		want := []time.Duration{300 * ms, 300 * ms, 350 * ms, 400 * ms, 400 * ms, 400 * ms} // role, a, b, c, stop, [DONE]
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("events at %v, want %v", got, want)
		}
		x, err := s.Wait(t.Context(), 1)
		must(t, err)
		if x.Late != 0 || x.Receipt.Frames != 6 {
			t.Errorf("late by %v, %+v", x.Late, x.Receipt)
		}
		began := time.Now()
		resp, err := client.Do(request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, false, "x")))
		must(t, err)
		resp.Body.Close()
		if took := time.Since(began); took != 300*ms {
			t.Errorf("a body that is no stream took %v", took)
		}
	})
}

// A schedule is absolute: 256 streams of two seconds take two seconds, all at once.
func TestPlannedStreams(t *testing.T) {
	rule := provider.Rule{Frames: deltas(strings.Split(strings.Repeat("word ", 101), " ")[:101]...), Pace: provider.Pace{Every: 20 * time.Millisecond}}
	virtual(t, provider.Options{Rules: []provider.Rule{rule}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		var wg sync.WaitGroup
		for range 256 {
			wg.Go(func() {
				at := arrivals(t, client, request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, true, "x")))
				if last := at[len(at)-1]; last != 2*time.Second {
					t.Errorf("the stream took %v", last)
				}
			})
		}
		wg.Wait()
	})
}

// A delay makes one event late; the others keep their times. The journal tells.
func TestLate(t *testing.T) {
	ms := time.Millisecond
	rule := provider.Rule{Frames: deltas("a", "b", "c"), Pace: provider.Pace{Every: 50 * ms}, Faults: []provider.Fault{{Kind: provider.Delay, Event: 2, N: 30}}}
	virtual(t, provider.Options{Rules: []provider.Rule{rule}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		got := arrivals(t, client, request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, true, "x")))
		want := []time.Duration{0, 0, 80 * ms, 100 * ms, 100 * ms, 100 * ms}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("events at %v, want %v", got, want)
		}
		if x, err := s.Wait(t.Context(), 1); err != nil || x.Late != 30*ms {
			t.Errorf("late by %v, error %v", x.Late, err)
		}
	})
}

// Equal seeds give equal jitter, other seeds another; all of it below its bound.
func TestJitter(t *testing.T) {
	rule := provider.Rule{Frames: deltas("a", "b", "c", "d"), Pace: provider.Pace{Every: 50 * time.Millisecond, Jitter: 20 * time.Millisecond}}
	seen := map[uint64]string{}
	for _, seed := range []uint64{1, 1, 2} {
		virtual(t, provider.Options{Seed: seed, Rules: []provider.Rule{rule}}, func(t *testing.T, s *provider.Server, client *http.Client) {
			got := arrivals(t, client, request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, true, "x")))
			for i, at := range got[1:5] {
				if late := at - time.Duration(i)*50*time.Millisecond; late < 0 || late >= 20*time.Millisecond {
					t.Errorf("event %d at %v", i, at)
				}
			}
			if before, known := seen[seed]; known && before != fmt.Sprint(got) {
				t.Errorf("seed %d: events at %v, and before at %s", seed, got, before)
			}
			seen[seed] = fmt.Sprint(got)
		})
	}
	if seen[1] == seen[2] {
		t.Errorf("seeds 1 and 2 give the same times %s", seen[1])
	}
}

// A gate holds a stream exactly where it stands, and the schedule stands still with it.
func TestGate(t *testing.T) {
	gate := provider.NewGate()
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Frames: deltas("a", "b", "c"), Holds: []provider.Hold{{Event: 3, Gate: gate}}}))
	text := body(provider.Chat, true, "x")
	_, in := raw(t, s.Space, fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
	<-gate.Reached()
	chunk, err := readChunk(in)
	must(t, err)
	if n := strings.Count(chunk, "\n\n"); n != 3 {
		t.Errorf("%d events left before the gate, want 3 in one write", n)
	}
	if x := s.Journal()[0]; x.Outcome != "" {
		t.Errorf("an exchange at a gate is %s", x.Outcome)
	}
	gate.Open()
	chunk, err = readChunk(in)
	must(t, err)
	if n := strings.Count(chunk, "\n\n"); n != 3 {
		t.Errorf("%d events left after it, want 3 in one write", n)
	}
	if x, err := s.Wait(t.Context(), 1); err != nil || x.Outcome != provider.Done || x.Receipt.Frames != 6 {
		t.Errorf("outcome %s, receipt %+v, error %v", x.Outcome, x.Receipt, err)
	}
}

func TestGateAndPace(t *testing.T) {
	ms := time.Millisecond
	rule := provider.Rule{Frames: deltas("a", "b"), Pace: provider.Pace{First: 10 * ms, Every: 50 * ms}, Holds: []provider.Hold{{Event: 2, Name: "g"}}}
	virtual(t, provider.Options{Rules: []provider.Rule{rule}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		go func() {
			<-s.Gate("g").Reached()
			time.Sleep(time.Second) // virtual
			s.Gate("g").Open()
		}()
		got := arrivals(t, client, request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, true, "x")))
		want := []time.Duration{10 * ms, 10 * ms, 1060 * ms, 1060 * ms, 1060 * ms}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("events at %v, want %v", got, want)
		}
	})
}

// A client that goes away ends its answer, whatever it stood before.
func TestGoneAtAGate(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Frames: deltas("a"), Holds: []provider.Hold{{Event: 1, Name: "never"}}}))
	text := body(provider.Chat, true, "x")
	conn, _ := raw(t, s.Space, fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
	<-s.Gate("never").Reached()
	must(t, conn.Close())
	if x, err := s.Wait(t.Context(), 1); err != nil || x.Outcome != provider.Gone || x.Receipt.Frames != 1 {
		t.Errorf("outcome %s, receipt %+v, error %v", x.Outcome, x.Receipt, err)
	}
}

// Closing the server ends what stands before gates.
func TestClosedAtAGate(t *testing.T) {
	s, err := provider.New(t.Context(), provider.Options{})
	must(t, err)
	must(t, s.Add(provider.Rule{Frames: deltas("a"), Holds: []provider.Hold{{Event: 1, Name: "never"}}}))
	text := body(provider.Chat, true, "x")
	raw(t, s.Space, fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
	<-s.Gate("never").Reached()
	must(t, s.Close())
	if x, err := s.Wait(t.Context(), 1); err != nil || x.Outcome != provider.Stopped {
		t.Errorf("outcome %s, error %v", x.Outcome, err)
	}
}

// A client that does not read is let go of, and its answer is not built up.
func TestUnread(t *testing.T) {
	frames := []fakes.Frame{}
	for range 100 {
		frames = append(frames, fakes.Delta{Text: strings.Repeat("x", 10_000)})
	}
	rule := provider.Rule{Frames: frames}
	virtual(t, provider.Options{WriteTimeout: 3 * time.Second, Rules: []provider.Rule{rule}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		began := time.Now()
		resp, err := client.Do(request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, true, "x")))
		must(t, err)
		x, err := s.Wait(t.Context(), 1)
		must(t, err)
		if took := time.Since(began); x.Outcome != provider.Unread || took < 3*time.Second || took > 4500*time.Millisecond || x.Receipt.Bytes > 200<<10 {
			t.Errorf("outcome %s after %v, receipt %+v", x.Outcome, time.Since(began), x.Receipt)
		}
		resp.Body.Close()
	})
}
