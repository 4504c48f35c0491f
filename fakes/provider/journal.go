package provider

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// Exchange is a request and what became of it.
type Exchange struct {
	// Number of the request in its space, from 1, in order of arrival.
	Number int    `json:"number"`
	Method string `json:"method"`
	Path   string `json:"path"` // in the space
	// Header and Body as they came, with keys masked. A body that is no longer kept is
	// empty.
	Header http.Header `json:"header"`
	Body   string      `json:"body,omitempty"`
	// Dialect is empty for what asks for no answer. So are the four after it.
	Dialect Dialect `json:"dialect,omitempty"`
	Model   string  `json:"model,omitempty"`
	Stream  bool    `json:"stream,omitzero"`
	Turn    int     `json:"turn,omitzero"`
	Text    string  `json:"text,omitempty"` // what the user said last

	// Rule that answered; empty if none did.
	Rule   string `json:"rule,omitempty"`
	Status int    `json:"status"`
	// Refused is what the provider's own manners said, Unmatched why no rule was for it.
	Refused   string `json:"refused,omitempty"`
	Unmatched string `json:"unmatched,omitempty"`
	// Breaches are what the client did that no client should: closed codes.
	Breaches []Breach `json:"breaches,omitempty"`

	// Receipt says what left of the answer: whole events, and bytes of the body.
	Receipt fakes.Receipt `json:"receipt"`
	// Strikes are the faults that took effect.
	Strikes []Strike `json:"strikes,omitempty"`
	// Outcome is how it ended; empty if it has not.
	Outcome Outcome `json:"outcome,omitempty"`
	// Late is how much later than planned an event left, at most. At is when the request
	// arrived. They are the journal's only parts that no seed decides.
	Late time.Duration `json:"-"`
	At   time.Time     `json:"-"`
}

// Strike is a fault that took effect after so many bytes of the body.
type Strike struct {
	Kind  Kind  `json:"kind"`
	Bytes int64 `json:"bytes"`
}

// Outcome is how an exchange ended.
type Outcome string

// The closed set of outcomes.
const (
	Done    Outcome = "done"    // the whole answer has left
	Broken  Outcome = "broken"  // a fault ended it
	Gone    Outcome = "gone"    // the client went away
	Unread  Outcome = "unread"  // the client did not read, and its connection was closed
	Stopped Outcome = "stopped" // the server was closed
)

// Breach is something that a client did wrong.
type Breach string

// The closed set of breaches.
const (
	// IgnoredRetryAfter: a request came before the time that an answer asked to wait.
	IgnoredRetryAfter Breach = "retry-after-ignored"
	// RefusedRequest: the provider's own manners refused the request.
	RefusedRequest Breach = "request-refused"
	// KeyInURL: a key was in the address, where logs keep it.
	KeyInURL Breach = "key-in-url"
)

// journal keeps the newest exchanges.
type journal struct {
	mu     sync.Mutex
	keep   int
	most   int64 // bytes of bodies that are kept
	list   []*exchange
	bodied int           // index in list of the first whose body is kept
	bodies int64         // bytes
	before int           // exchanges that are no longer kept
	more   chan struct{} // closed by the next that comes; nil if nobody waits
}

func (j *journal) add(x *exchange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = append(j.list, x)
	if len(j.list) >= 2*j.keep { // half of them go at once, so that each costs little
		gone := len(j.list) - j.keep
		for _, old := range j.list[:gone] {
			j.bodies -= old.forget()
		}
		j.list = append([]*exchange(nil), j.list[gone:]...)
		j.before += gone
		j.bodied = max(0, j.bodied-gone)
	}
	if j.more != nil { // somebody waits
		close(j.more)
		j.more = nil
	}
}

// body counts a body, and lets old ones go. The newest is always kept.
func (j *journal) body(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bodies += int64(n)
	for j.bodies > j.most && j.bodied < len(j.list)-1 {
		j.bodies -= j.list[j.bodied].forget()
		j.bodied++
	}
}

func (j *journal) snapshot() []*exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]*exchange(nil), j.list[max(0, len(j.list)-j.keep):]...)
}

func (j *journal) all(keys []string) []Exchange {
	list := j.snapshot()
	out := make([]Exchange, len(list))
	for i, x := range list {
		out[i] = x.show(keys)
	}
	return out
}

// wait waits for an exchange to come and to be over.
func (j *journal) wait(ctx context.Context, number int) (*exchange, error) {
	for {
		j.mu.Lock()
		i := number - 1 - j.before
		if j.more == nil {
			j.more = make(chan struct{})
		}
		var more <-chan struct{} = j.more
		var x *exchange
		if i < 0 {
			j.mu.Unlock()
			return nil, errors.New("it is no longer kept")
		}
		if i < len(j.list) {
			x = j.list[i]
		}
		j.mu.Unlock()
		if x != nil {
			more = x.ended()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-more:
		}
		if x != nil {
			return x, nil
		}
	}
}

// secretHeaders are masked whole.
func secretHeader(name string) bool {
	lower := strings.ToLower(name)
	for _, word := range []string{"key", "authorization", "cookie", "token", "secret"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// masked is a header without secrets.
func masked(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		if secretHeader(name) {
			values = []string{redact.Mask}
		}
		out[name] = append([]string(nil), values...)
	}
	return out
}
