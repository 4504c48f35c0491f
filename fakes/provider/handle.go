package provider

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// serve answers one request to the space.
func (s *Space) serve(w http.ResponseWriter, r *http.Request, path string) {
	if name, is := strings.CutPrefix(path, controlPath); is {
		s.control(w, r, name)
		return
	}
	x := s.arrive(w, r, path)
	defer x.release()
	x.address(r.URL)
	switch where := place(path); {
	case r.Method == http.MethodHead, path == "/", path == "", path == "/api/hello":
		x.say(http.StatusOK, "text/plain", nil)
	case where.list != nil:
		if r.Method != http.MethodGet {
			x.refuse(where.dialect(r), wrongMethod(r))
			return
		}
		where.list(x, r)
	case where.answers == "":
		x.refuse(where.dialect(r), nowhere(r, where.dialect(r)))
	case r.Method != http.MethodPost:
		x.refuse(where.answers, wrongMethod(r))
	default:
		x.answer(r, where)
	}
}

// spot is what a path leads to.
type spot struct {
	answers Dialect // that is answered there
	count   bool    // only tokens are counted
	list    func(x *exchange, r *http.Request)
}

// place reads a path by its end: providers have the same below addresses of their own.
func place(path string) spot {
	switch {
	case strings.HasSuffix(path, "/messages/count_tokens"):
		return spot{answers: Anthropic, count: true}
	case strings.HasSuffix(path, "/messages"):
		return spot{answers: Anthropic}
	case strings.HasSuffix(path, "/chat/completions"):
		return spot{answers: Chat}
	case strings.HasSuffix(path, "/responses"):
		return spot{answers: Responses}
	case strings.HasSuffix(path, "/models"):
		return spot{list: (*exchange).models}
	case strings.HasSuffix(path, "/api/tags"):
		return spot{list: (*exchange).tags}
	}
	if _, name, found := strings.Cut(path, "/models/"); found && name != "" {
		return spot{list: (*exchange).oneModel}
	}
	return spot{}
}

// dialect is whose errors a client understands.
func (p spot) dialect(r *http.Request) Dialect {
	switch {
	case p.answers != "":
		return p.answers
	case r.Header.Get("Anthropic-Version") != "" || r.Header.Get("X-Api-Key") != "":
		return Anthropic
	}
	return Chat
}

func nowhere(r *http.Request, d Dialect) Refusal {
	if d.openAI() {
		return Refusal{Status: 404, Type: "invalid_request_error", Message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)}
	}
	return Refusal{Status: 404}
}

func wrongMethod(r *http.Request) Refusal {
	return Refusal{Status: 405, Type: "invalid_request_error", Message: fmt.Sprintf("Not allowed to %s on %s.", r.Method, r.URL.Path)}
}

// answer is the way of a request for an answer.
func (x *exchange) answer(r *http.Request, where spot) {
	d := where.answers
	if refusal := x.admit(r, d); refusal != nil {
		x.refuseClient(d, *refusal)
		return
	}
	body, refusal := x.read(r)
	if refusal != nil {
		x.refuseClient(d, *refusal)
		return
	}
	scanner := newScanner(body)
	defer scanner.close()
	q, err := scan(d, scanner)
	if where.count && q.maxTokens < 0 {
		q.maxTokens = 1
	}
	x.mu.Lock()
	x.body, x.request = body, q
	if err == nil {
		x.turn = q.turn()
	}
	x.mu.Unlock()
	x.space.journal.body(len(body))
	if err != nil {
		x.refuseClient(d, *notJSON(d, err))
		return
	}
	q.strict = r.Header.Get("Anthropic-Version") == stricter
	if refusal := manners(q, scanner); refusal != nil {
		x.refuseClient(d, *refusal)
		return
	}
	if !x.knows(q.model) {
		x.refuseClient(d, unknownModel(d, q.model))
		return
	}
	if where.count {
		x.say(http.StatusOK, "application/json", jsonText(map[string]int{"input_tokens": len(body)/4 + 1}))
		return
	}
	if refusal, ignored := x.space.limit.admit(x.w.Header(), d, x.key); refusal != nil || ignored {
		if ignored {
			x.breach(IgnoredRetryAfter)
		}
		if refusal != nil {
			x.refuse(d, *refusal)
			return
		}
	}
	x.match(q)
}

// match finds the rule for a request, and plays it.
func (x *exchange) match(q *request) {
	asked := &query{request: q, number: x.space.ask(), turns: x.turn}
	r := x.space.book.find(asked)
	if r == nil {
		why := x.space.book.unmatched(asked)
		x.mu.Lock()
		x.unmatched = why
		x.mu.Unlock()
		x.w.Header().Set("X-Adaptercheck-Unmatched", "1")
		x.w.Header().Set("X-Should-Retry", "false") // the SDKs obey it
		x.refuse(q.dialect, Refusal{Status: http.StatusBadRequest, Message: "adaptercheck: " + why})
		return
	}
	x.mu.Lock()
	x.rule = or(r.Name, strconv.Itoa(r.number))
	x.mu.Unlock()
	x.filling = holes{model: inner(q.modelText), seed: x.space.seed, n: uint64(asked.number)}
	filling := &x.filling
	switch {
	case r.Live:
		x.live(q, filling)
	case r.Refuse != nil:
		if len(r.Faults)+len(r.Holds) == 0 && r.Pace == (Pace{}) {
			x.space.limit.told(x.key, *r.Refuse)
			x.refuse(q.dialect, *r.Refuse)
			return
		}
		x.space.limit.told(x.key, *r.Refuse)
		contentType, body := r.Refuse.body(q.dialect, requestID(filling))
		t := &timeline{events: []event{{[]part{{body, noHole}}, true}}}
		x.head(q.dialect, filling)
		x.retryAfter(*r.Refuse)
		x.play(r, t, filling, r.Refuse.status(), contentType)
	default:
		t, err := r.timeline(q)
		if err != nil { // a tool of this request has no form for what the rule says
			x.refuse(q.dialect, Refusal{Status: http.StatusBadRequest, Message: "adaptercheck: " + r.name() + ": " + err.Error()})
			return
		}
		x.head(q.dialect, filling)
		switch {
		case t.refusal != nil:
			x.space.limit.told(x.key, *t.refusal)
			x.refuse(q.dialect, *t.refusal)
		case q.stream:
			x.play(r, t, filling, http.StatusOK, streamType[0])
		default:
			x.play(r, t, filling, http.StatusOK, jsonType[0])
		}
	}
}

// inner is a JSON string without its quotes.
func inner(text []byte) []byte { return text[1 : len(text)-1] }

// release lets go of what belongs to the handler.
func (x *exchange) release() {
	if x.ctx.Err() != nil {
		x.end(x.goneBy())
	}
	x.ctx, x.w, x.conn, x.filling = nil, nil, nil, holes{}
}

// goneBy says who ended the connection before the answer was over.
func (x *exchange) goneBy() Outcome {
	if x.space.server.closing.Load() {
		return Stopped
	}
	return Gone
}

func unescaped(path string) string {
	if p, err := url.PathUnescape(path); err == nil {
		return p
	}
	return path
}
