package provider

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Code is what kind of failure it was.
type Code string

// The closed set of codes.
const (
	CodeAuth       Code = "auth"        // the key is wrong, or its account may not or cannot pay
	CodeRateLimit  Code = "rate_limit"  // too much was asked
	CodeOverloaded Code = "overloaded"  // the provider cannot serve now
	CodeNetwork    Code = "network"     // it could not be reached, or did not answer in time
	CodeBadRequest Code = "bad_request" // it does not take the request, and no other would
	// CodeContextOverflow: the conversation is longer than the model takes.
	CodeContextOverflow Code = "context_overflow"
	// CodeMalformed: what came is no answer of the dialect.
	CodeMalformed Code = "malformed-answer"
	// CodeTruncated: the answer ended in the middle.
	CodeTruncated Code = "stream-truncated"
	CodeUnknown   Code = "unknown"
)

// Error is a turn that failed. Its text has no key and no address in it.
type Error struct {
	Code     Code
	Provider ID
	// Status of HTTP; 0 where there was none, or it was no failure.
	Status int
	// Message is what the provider said, without secrets and bounded. May be empty.
	Message string
	// Yielded: a piece of the answer had come before.
	Yielded bool
	cause   error
}

// Error says what failed.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "provider %s: %s", e.Provider, e.Code)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	return b.String()
}

// Unwrap returns the cause. Its text may hold what [Error] leaves out.
func (e *Error) Unwrap() error { return e.cause }

// fallsBack reports whether another provider may be asked in its place.
func (e *Error) fallsBack() bool {
	switch e.Code {
	case CodeAuth, CodeRateLimit, CodeOverloaded, CodeNetwork:
		return !e.Yielded
	}
	return false
}

// byStatus is the code of a status. Payment that is missing is a matter of the account, a
// timeout of the network, a conflict of load; a body that is too large is too large
// anywhere.
func byStatus(status int) Code {
	switch {
	case status == 401, status == 402, status == 403:
		return CodeAuth
	case status == 408:
		return CodeNetwork
	case status == 429:
		return CodeRateLimit
	case status == 409, status >= 500:
		return CodeOverloaded
	case status == 400, status == 404, status == 413, status == 422:
		return CodeBadRequest
	}
	return CodeUnknown
}

// byType is the code of an error that came in a stream, where there is no status.
func byType(kind string) Code {
	switch kind {
	case "authentication_error", "permission_error", "billing_error", "insufficient_quota", "invalid_api_key":
		return CodeAuth
	case "rate_limit_error", "rate_limit_exceeded":
		return CodeRateLimit
	case "overloaded_error", "api_error", "server_error", "internal_server_error":
		return CodeOverloaded
	case "timeout_error":
		return CodeNetwork
	case "invalid_request_error", "not_found_error", "request_too_large":
		return CodeBadRequest
	}
	return CodeUnknown
}

// overflow finds what providers say to a conversation that is too long. It is made when it
// is needed: few programs that this is in ever need it.
var overflow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)context[ _](overflow|length|window|limit)|(prompt|input) (is )?too (large|long)|maximum context|exceeds? (the )?(maximum )?context|too many tokens|reduce the length of the (messages|prompt)`)
})

// OverflowMessage is what a run says that failed with [CodeContextOverflow].
const OverflowMessage = "The task was too large for the model's context window."
