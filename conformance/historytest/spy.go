package historytest

import (
	"context"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// Spy is the transport that the suite injects. It keeps what left the adapter as
// it was at that moment, whatever the adapter does to it later.
type Spy struct {
	// Output is what it answers by default.
	Output any

	mu    sync.Mutex
	sent  []Sent
	plans []behaviour
}

// Sent is one call of the transport.
type Sent struct {
	history.TransportRequest
	// Texts is every string in the payload, at the time of the call.
	Texts []string
}

// behaviour answers one call of the transport.
type behaviour func(ctx context.Context, req history.TransportRequest) (any, error)

func newSpy(word string) *Spy {
	return &Spy{Output: map[string]any{"role": "assistant", "content": "answer " + word}}
}

// Carry is the transport.
func (s *Spy) Carry(ctx context.Context, req history.TransportRequest) (any, error) {
	seen := texts(req.Payload)
	s.mu.Lock()
	s.sent = append(s.sent, Sent{req, seen})
	var plan behaviour
	if len(s.plans) > 0 {
		plan, s.plans = s.plans[0], s.plans[1:]
	}
	s.mu.Unlock()
	if plan != nil {
		return plan(ctx, req)
	}
	return s.Output, nil
}

// Then plans the next calls, one each.
func (s *Spy) Then(plans ...behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans = append(s.plans, plans...)
}

// Sent lists the calls so far.
func (s *Spy) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Sent(nil), s.sent...)
}

// Count counts the calls so far.
func (s *Spy) Count() int { return len(s.Sent()) }

// failing is a transport that fails.
func failing(err error) behaviour {
	return func(context.Context, history.TransportRequest) (any, error) { return nil, err }
}

// panicking is a transport that panics.
func panicking(value any) behaviour {
	return func(context.Context, history.TransportRequest) (any, error) { panic(value) }
}

// answering is a transport that gives one answer.
func answering(output any) behaviour {
	return func(context.Context, history.TransportRequest) (any, error) { return output, nil }
}
