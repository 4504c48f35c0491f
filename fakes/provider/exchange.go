package provider

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// exchange is one request while it is answered, and as the journal keeps it.
type exchange struct {
	space  *Space
	number int
	at     time.Time
	method string
	path   string
	query  string
	header http.Header
	key    string    // that the client has
	bearer bool      // it came as OpenAI wants it
	id     [1]string // of the request, as the answer's header has it

	// Of the handler, gone when it returns.
	ctx  context.Context
	w    http.ResponseWriter
	conn *conn
	// filling is what the answer's holes are filled with.
	filling holes

	mu        sync.Mutex
	over      chan struct{} // closed at the end; nil if nobody waits
	body      []byte
	request   *request
	turn      int
	rule      string
	status    int
	refused   string
	unmatched string
	breaches  []Breach
	receipt   fakes.Receipt
	strikes   []Strike
	outcome   Outcome
	late      time.Duration
	left      bool
}

func newExchange(s *Space, w http.ResponseWriter, r *http.Request, path string) *exchange {
	x := &exchange{space: s, at: time.Now(), method: r.Method, path: path, query: r.URL.RawQuery, header: r.Header, w: w, ctx: r.Context()}
	x.conn = connOf(x.ctx)
	x.key = r.Header.Get("X-Api-Key")
	if bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
		x.key, x.bearer = strings.TrimSpace(bearer), true
	}
	x.conn.serve(x)
	return x
}

// leave marks the exchange as over: its connection has done with it.
func (x *exchange) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.left {
		return
	}
	x.left = true
	if x.outcome == "" {
		x.outcome = Done
	}
	if x.over != nil {
		close(x.over)
	}
}

// ended is closed when the exchange is over.
func (x *exchange) ended() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over == nil {
		x.over = make(chan struct{})
		if x.left {
			close(x.over)
		}
	}
	return x.over
}

// end notes how the exchange ended; the first word counts.
func (x *exchange) end(o Outcome) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.outcome == "" {
		x.outcome = o
	}
}

func (x *exchange) breach(b Breach) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.breaches = append(x.breaches, b)
}

// forget lets the body go and says how long it was.
func (x *exchange) forget() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := int64(len(x.body))
	if x.request != nil {
		r := *x.request
		r.messages, r.system = nil, nil
		x.request = &r
	}
	x.body = nil
	return n
}

// show is the exchange as people see it.
func (x *exchange) show(keys []string) Exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	secrets := redact.New(append([]string{x.key}, keys...), nil)
	e := Exchange{Number: x.number, Method: x.method, Path: secrets.String(x.path), Header: masked(x.header), Body: secrets.String(string(x.body)),
		Rule: x.rule, Status: x.status, Refused: secrets.String(x.refused), Unmatched: secrets.String(x.unmatched),
		Breaches: append([]Breach(nil), x.breaches...), Receipt: x.receipt, Strikes: append([]Strike(nil), x.strikes...),
		Outcome: x.outcome, Late: x.late, At: x.at}
	if !x.left {
		e.Outcome = ""
	}
	if x.query != "" {
		e.Path += "?" + secrets.String(x.query)
	}
	for name, values := range e.Header {
		for i, v := range values {
			e.Header[name][i] = secrets.String(v)
		}
	}
	if r := x.request; r != nil {
		e.Dialect, e.Model, e.Stream, e.Turn = r.dialect, r.model, r.stream, x.turn
		e.Text = secrets.String(string(r.text()))
	}
	return e
}
