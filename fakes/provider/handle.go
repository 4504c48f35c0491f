package provider

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
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

// address looks for keys where logs keep them.
func (x *exchange) address(u *url.URL) {
	if u.RawQuery == "" {
		return
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if v != "" && (v == x.key || slices.Contains(x.space.server.options.Keys, v)) {
				x.breach(KeyInURL)
			}
		}
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
	filling := &holes{model: inner(q.modelText), seed: x.space.seed, n: uint64(asked.number)}
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
			x.play(r, t, filling, http.StatusOK, "text/event-stream; charset=utf-8")
		default:
			x.play(r, t, filling, http.StatusOK, "application/json")
		}
	}
}

// inner is a JSON string without its quotes.
func inner(text []byte) []byte { return text[1 : len(text)-1] }

func requestID(h *holes) string { return "req_" + string(h.id(1)) }

// head sets the headers that all answers of a provider have.
func (x *exchange) head(d Dialect, h *holes) {
	header := x.w.Header()
	if d.openAI() {
		header["X-Request-Id"] = []string{requestID(h)}
		header["Openai-Version"] = []string{"2020-10-01"}
		return
	}
	header["Request-Id"] = []string{requestID(h)}
}

// admit checks what stands in the headers: the key, and the version.
func (x *exchange) admit(r *http.Request, d Dialect) *Refusal {
	keys := x.space.server.options.Keys
	known := len(keys) == 0 || slices.Contains(keys, x.key)
	if d.openAI() {
		switch {
		case x.key == "" || !x.bearer:
			return &Refusal{Status: 401, Type: "invalid_request_error", Message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. You can obtain an API key from https://platform.openai.com/account/api-keys."}
		case !known:
			return &Refusal{Status: 401, Code: "invalid_api_key", Type: "invalid_request_error", Message: "Incorrect API key provided: " + veiled(x.key) + ". You can find your API key at https://platform.openai.com/account/api-keys."}
		}
		return nil
	}
	switch {
	case x.key == "":
		return &Refusal{Status: 401, Message: "x-api-key header is required"}
	case !known && r.Header.Get("X-Api-Key") == "":
		return &Refusal{Status: 401, Message: "Invalid bearer token"}
	case !known:
		return &Refusal{Status: 401, Message: "invalid x-api-key"}
	case r.Header.Get("Anthropic-Version") == "":
		return bad("anthropic-version: header is required")
	case r.Header.Get("Anthropic-Version") != "2023-06-01" && r.Header.Get("Anthropic-Version") != "2023-01-01":
		return bad("anthropic-version: %q is not a valid version", r.Header.Get("Anthropic-Version"))
	}
	return nil
}

// veiled is how the provider shows a key that is wrong.
func veiled(key string) string {
	if len(key) < 16 {
		return strings.Repeat("*", len(key))
	}
	return key[:4] + strings.Repeat("*", 8) + key[len(key)-4:]
}

// read reads the body of a request.
func (x *exchange) read(r *http.Request) ([]byte, *Refusal) {
	limit := x.space.server.options.MaxBody
	if r.ContentLength > limit {
		return nil, tooLarge(r, limit)
	}
	var in io.Reader = r.Body
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
		if r.ContentLength >= 0 {
			body := make([]byte, r.ContentLength)
			if _, err := io.ReadFull(in, body); err != nil {
				return nil, bad("the body ends early: %v", err)
			}
			return body, nil
		}
	case "gzip":
		zipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, bad("the body is not what Content-Encoding says: %v", err)
		}
		in = zipped
	default:
		return nil, &Refusal{Status: 415, Type: "invalid_request_error", Message: "Unsupported content encoding " + strconv.Quote(coding)}
	}
	body, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case int64(len(body)) > limit:
		return nil, tooLarge(r, limit)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, bad("the body ends early: %v", err)
	}
	return body, nil
}

// tooLarge refuses a body. What is left of it is read, within bounds: a client that is
// still sending does not look for an answer.
func tooLarge(r *http.Request, limit int64) *Refusal {
	_, _ = io.CopyN(io.Discard, r.Body, 8*limit) // it may end at any place
	return &Refusal{Status: 413}
}

// refuseClient refuses what the client should not have asked.
func (x *exchange) refuseClient(d Dialect, r Refusal) {
	x.breach(RefusedRequest)
	x.mu.Lock()
	if d.openAI() {
		x.refused = r.openAI().Error.Message
	} else {
		x.refused = r.anthropic().Error.Message
	}
	x.mu.Unlock()
	x.refuse(d, r)
}

// refuse answers with an error.
func (x *exchange) refuse(d Dialect, r Refusal) {
	h := &holes{seed: x.space.seed, n: uint64(x.number)<<32 | 1}
	x.head(d, h)
	contentType, body := r.body(d, requestID(h))
	x.retryAfter(r)
	x.say(r.status(), contentType, body)
}

func (x *exchange) retryAfter(r Refusal) {
	if after := r.retryAfter(); after != "" {
		x.w.Header().Set("Retry-After", after)
	}
}

// say answers with one body, at once.
func (x *exchange) say(status int, contentType string, body []byte) {
	header := x.w.Header()
	header["Content-Type"] = []string{contentType}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.deadline()
	x.w.WriteHeader(status)
	n, err := x.w.Write(body)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.status = status
	x.receipt.Bytes += int64(n)
	if err == nil && len(body) > 0 {
		x.receipt.Frames++
	}
}

// deadline bounds the writes that follow.
func (x *exchange) deadline() {
	_ = x.conn.SetWriteDeadline(time.Now().Add(x.space.server.options.WriteTimeout)) // a connection without deadlines writes without
}

// flush writes what net/http holds back.
func (x *exchange) flush() error { return x.w.(interface{ FlushError() error }).FlushError() }

// release lets go of what belongs to the handler.
func (x *exchange) release() {
	if x.ctx.Err() != nil {
		x.end(x.goneBy())
	}
	x.ctx, x.w, x.conn = nil, nil, nil
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
