package openclaw

import (
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// request is what a client asks.
type request struct {
	conn   *conn
	id     jsontext.Value // as it came
	method string
	params jsontext.Value
}

// failure is why a request is refused.
type failure struct {
	code      string
	message   string
	details   *object // nil is none
	payload   *object // of the run that failed; nil is none
	retryable bool
}

// The codes of failures.
const (
	invalidRequest = "INVALID_REQUEST"
	unavailable    = "UNAVAILABLE"
	forbidden      = "FORBIDDEN"
)

func invalid(message string) *failure { return &failure{code: invalidRequest, message: message} }

// lenient reads JSON as JavaScript does: of two members of one name the last counts.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// receive takes one message of a client.
func (r *Runtime) receive(c *conn, data []byte) {
	var frame map[string]jsontext.Value
	err := json.Unmarshal(data, &frame, lenient)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.breach(BreachFrame)
		if !c.known { // a client that is known may say anything
			c.post(parcel{close: websocket.StatusNormalClosure})
		}
		return
	}
	q := &request{conn: c, id: frame["id"], params: frame["params"]}
	if problem := requestShape.problem(frame); problem != "" {
		r.breach(BreachFrame)
		if !c.known {
			r.refuseConnect(q, invalid("invalid handshake: first request must be connect"), websocket.StatusPolicyViolation)
			return
		}
		if len(q.id) > 0 {
			q.fail(invalid("invalid request frame: " + problem))
		}
		return
	}
	q.method = text(frame["method"])
	switch {
	case !c.known && q.method != "connect":
		r.breach(BreachHandshake)
		r.refuseConnect(q, invalid("invalid handshake: first request must be connect"), websocket.StatusPolicyViolation)
	case !c.known:
		r.connect(q)
	case q.method == "connect":
		q.fail(invalid("connect is only valid as the first request"))
	default:
		r.call(q)
	}
}

// requestShape is what a frame of a client must be.
var requestShape = shape{
	required: []string{"type", "id", "method"},
	members:  map[string]rule{"type": constant("req"), "id": isText, "method": isText, "params": nil},
}

// ok answers that it was done. A nil payload is none.
func (q *request) ok(payload *object) {
	o := q.response(true)
	if payload != nil {
		o.obj("payload", payload)
	}
	q.reply(o)
}

// fail answers that it was not.
func (q *request) fail(f *failure) {
	o := q.response(false)
	if f.payload != nil {
		o.obj("payload", f.payload)
	}
	e := newObject().str("code", f.code).str("message", f.message)
	if f.details != nil {
		e.obj("details", f.details)
	}
	if f.retryable {
		e.flag("retryable", true)
	}
	q.reply(o.obj("error", e))
}

func (q *request) response(ok bool) *object {
	o := newObject().str("type", "res")
	if len(q.id) > 0 {
		o.raw("id", q.id)
	}
	return o.flag("ok", ok)
}

// reply posts a response, at once or when a slow gateway has come to it. The gateway's
// lock is held.
func (q *request) reply(o *object) {
	r := q.conn.gateway
	if q.method != "" && r.unanswered(q.method) || r.swallow && starts(q.method) {
		return
	}
	p := parcel{text: o.end(), response: true}
	if r.slow == 0 {
		q.conn.post(p)
		return
	}
	time.AfterFunc(r.slow, func() { q.conn.post(p) }) // a connection that has ended takes nothing
}

// starts reports whether a method begins a run.
func starts(method string) bool {
	return method == "chat.send" || method == "sessions.send" || method == "agent"
}
