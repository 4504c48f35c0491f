package provider

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Limit is how many requests a space answers in what time. The zero value is any number.
type Limit struct {
	Requests int
	// Per is how long it takes until all of them may come again, from the first one; 0 is
	// a minute.
	Per time.Duration
	// Quota says that it is money that is used up, not a rate: OpenAI's error is
	// insufficient_quota then, Anthropic's that the credit is too low, and nobody says
	// when to come again.
	Quota bool
}

// limiter counts requests, and remembers which clients were told to wait.
type limiter struct {
	mu    sync.Mutex
	limit Limit
	used  int
	until time.Time            // when the count begins anew
	wait  map[string]time.Time // by key
}

func (l *limiter) set(limit Limit) {
	if limit.Per == 0 {
		limit.Per = time.Minute
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit, l.used, l.until, l.wait = limit, 0, time.Time{}, nil
}

// admit counts a request, and sets the headers that tell how many are left. Ignored says
// that the client was told to wait longer than it did.
func (l *limiter) admit(header http.Header, d Dialect, key string) (refusal *Refusal, ignored bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wait == nil && l.limit.Requests == 0 {
		return nil, false
	}
	now := time.Now()
	if until, told := l.wait[key]; told {
		ignored = now.Before(until)
		delete(l.wait, key)
	}
	if l.limit.Requests == 0 {
		return nil, ignored
	}
	if !now.Before(l.until) {
		l.used, l.until = 0, now.Add(l.limit.Per)
	}
	over := l.used >= l.limit.Requests
	if !over {
		l.used++
	}
	l.tell(header, d, now)
	switch {
	case !over:
		return nil, ignored
	case l.limit.Quota && d.openAI():
		return &Refusal{Status: 429, Type: quotaExhausted, Message: "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."}, ignored
	case l.limit.Quota:
		return &Refusal{Status: 400, Message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}, ignored
	}
	r := Refusal{Status: 429, RetryAfter: l.until.Sub(now)}
	l.note(key, r, now)
	return &r, ignored
}

// tell sets the headers of a rate.
func (l *limiter) tell(header http.Header, d Dialect, now time.Time) {
	if l.limit.Quota {
		return
	}
	total, left, rest := strconv.Itoa(l.limit.Requests), strconv.Itoa(l.limit.Requests-l.used), l.until.Sub(now)
	if d.openAI() {
		header.Set("X-Ratelimit-Limit-Requests", total)
		header.Set("X-Ratelimit-Remaining-Requests", left)
		header.Set("X-Ratelimit-Reset-Requests", rest.Round(time.Millisecond).String())
		return
	}
	header.Set("Anthropic-Ratelimit-Requests-Limit", total)
	header.Set("Anthropic-Ratelimit-Requests-Remaining", left)
	header.Set("Anthropic-Ratelimit-Requests-Reset", l.until.UTC().Format(time.RFC3339))
}

// told remembers that a client was told to wait.
func (l *limiter) told(key string, r Refusal) {
	if r.RetryAfter <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(key, r, time.Now())
}

func (l *limiter) note(key string, r Refusal, now time.Time) {
	if l.wait == nil {
		l.wait = map[string]time.Time{}
	}
	l.wait[key] = now.Add(r.RetryAfter)
}
