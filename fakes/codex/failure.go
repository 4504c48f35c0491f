package codex

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

const (
	reconnecting = "Reconnecting..."
	brokenStream = "stream disconnected before completion"
	outOfTokens  = "Incomplete response returned, reason: max_output_tokens"
)

// cause says a failure as the CLI does: of its code, and of what the provider said
// where the CLI repeats that. What has no known code is said as it is.
func (r *renderer) cause(code, said string) string {
	switch code {
	case "429":
		return "exceeded retry limit, last status: 429 Too Many Requests, request id: " + r.requestID()
	case "500":
		return "We’re currently experiencing high demand, which may cause temporary errors."
	case "503":
		return "Selected model is at capacity. Please try a different model."
	case "quota":
		return "Quota exceeded. Check your plan and billing details."
	case "prompt_too_long":
		return "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying."
	case "rate_limit":
		return "rate limit exceeded: " + said
	case "disconnected":
		return brokenStream + ": " + said
	case "connection_failed":
		return fmt.Sprintf("%s: error sending request for url (%s)", brokenStream, r.inv.config.endpoint())
	case "max_output_tokens":
		if r.version.retriesLength {
			return brokenStream + ": " + outOfTokens
		}
		return outOfTokens
	case "400", "404":
		return said
	}
	if status, err := strconv.Atoi(code); err == nil {
		return r.unexpected(status, said)
	}
	return said
}

// unexpected is what the CLI says of a status that it has no words for.
func (r *renderer) unexpected(status int, said string) string {
	name := http.StatusText(status)
	if name == "" {
		name = "<unknown status code>"
	}
	text := fmt.Sprintf("unexpected status %d %s: %s, url: %s", status, name, said, r.inv.config.endpoint())
	if status == http.StatusBadGateway || status == http.StatusGatewayTimeout { // a gateway knows no request
		return text
	}
	return text + ", request id: " + r.requestID()
}

// requestID is the provider's id of one more request.
func (r *renderer) requestID() string {
	r.requests++
	var seed, nth uint64
	if r.process != nil {
		seed, nth = r.process.Start.Seed, r.process.Start.Nth
	}
	return fmt.Sprintf("req_%016x", rand.New(rand.NewPCG(seed, nth<<16|r.requests)).Uint64())
}

// retry prints a reconnect notice. A text that is one already is taken as it is.
func (r *renderer) retry(cause string) error {
	switch {
	case strings.HasPrefix(cause, reconnecting):
		return r.print(errorLine{"error", cause})
	case cause == "":
		cause = brokenStream
	}
	r.retries++
	return r.notice(fmt.Sprintf("%d/%d (%s)", r.retries, r.inv.config.maxRetries(), cause))
}

func (r *renderer) notice(text string) error {
	return r.print(errorLine{"error", reconnecting + " " + text})
}
