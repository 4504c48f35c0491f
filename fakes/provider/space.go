package provider

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Space is rules, numbers, limits and a journal at one address. Tests that share a
// server have one each.
type Space struct {
	server  *Server
	name    string
	seed    uint64
	book    book
	journal journal
	limit   limiter
	late    lateness
	calls   chan *Call

	mu      sync.Mutex
	arrived int // requests of any kind
	asked   int // requests for an answer, with good manners
	gates   map[string]*Gate
}

// maxCalls bounds the requests that wait for a test to take them.
const maxCalls = 10_000

func newSpace(s *Server, name string) *Space {
	h := fnv.New64a()
	fmt.Fprint(h, name)
	return &Space{server: s, name: name, seed: s.options.Seed ^ h.Sum64(), calls: make(chan *Call, maxCalls), gates: map[string]*Gate{}, journal: journal{keep: s.options.Keep, most: s.options.KeepBodies}}
}

// URL is the address that a client of Anthropic is given; clients of OpenAI get it with
// "/v1" behind it.
func (s *Space) URL() string {
	if s.name == "" {
		return s.server.base()
	}
	return s.server.base() + spacesPath + url.PathEscape(s.name)
}

// Add adds rules behind those that there are: all of them, or none and the reason. A
// frame that a dialect of a rule has no form for is [fakes.ErrUnplayable].
func (s *Space) Add(rules ...Rule) error {
	for i := range rules {
		if err := rules[i].check(); err != nil {
			return fmt.Errorf("fake provider: rule %d of these: %w", i+1, err)
		}
	}
	for _, r := range rules {
		r.Holds = slices.Clone(r.Holds)
		for i, h := range r.Holds {
			if h.Gate == nil {
				r.Holds[i].Gate = s.Gate(h.Name)
			}
		}
		s.book.add(&rule{Rule: r})
	}
	return nil
}

// Answer adds a rule that answers with frames.
func (s *Space) Answer(w When, frames ...fakes.Frame) error {
	return s.Add(Rule{When: w, Frames: frames})
}

// Limit sets how many requests are answered in what time; the zero value is any number.
// It begins anew.
func (s *Space) Limit(l Limit) { s.limit.set(l) }

// Gate returns the gate of a name, which scripts use, and makes it if there is none.
func (s *Space) Gate(name string) *Gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = NewGate()
	}
	return s.gates[name]
}

// Journal returns what was asked and what became of it, in order of arrival, as far as
// it is kept. Secrets are masked. The slice is the caller's.
func (s *Space) Journal() []Exchange { return s.journal.all(s.server.options.Keys) }

// Wait waits until the exchange of a number is over: the last byte of its answer has
// been written, or its client is gone. It returns the exchange.
func (s *Space) Wait(ctx context.Context, number int) (Exchange, error) {
	x, err := s.journal.wait(ctx, number)
	if err != nil {
		return Exchange{}, fmt.Errorf("fake provider: wait for exchange %d: %w", number, err)
	}
	return x.show(s.server.options.Keys), nil
}

// arrive begins an exchange.
func (s *Space) arrive(w http.ResponseWriter, r *http.Request, path string) *exchange {
	x := newExchange(s, w, r, path)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived++
	x.number = s.arrived
	s.journal.add(x)
	return x
}

// ask counts a request for an answer.
func (s *Space) ask() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.asked
}
