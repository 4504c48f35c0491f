package provider

import "strconv"

func requestID(h *holes) string {
	var id [len("req_") + idLength]byte
	copy(id[:], "req_")
	copy(id[len("req_"):], h.id(1))
	return string(id[:])
}

// head sets the headers that all answers of a provider have.
func (x *exchange) head(d Dialect, h *holes) {
	header := x.w.Header()
	x.id[0] = requestID(h)
	if d.openAI() {
		header["X-Request-Id"] = x.id[:]
		header["Openai-Version"] = openAIVersion
		return
	}
	header["Request-Id"] = x.id[:]
}

// Values of headers that many answers have. Nobody changes them.
var (
	openAIVersion = []string{"2020-10-01"}
	jsonType      = []string{"application/json"}
	streamType    = []string{"text/event-stream; charset=utf-8"}
	noCache       = []string{"no-cache"}
	chunked       = []string{"chunked"}
)

// typed is the value of a header with a content type.
func typed(contentType string) []string {
	switch contentType {
	case jsonType[0]:
		return jsonType
	case streamType[0]:
		return streamType
	}
	return []string{contentType}
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
	header["Content-Type"] = typed(contentType)
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
	x.conn.deadline(x.space.server.options.WriteTimeout)
}

// flush writes what net/http holds back.
func (x *exchange) flush() error { return x.w.(interface{ FlushError() error }).FlushError() }
