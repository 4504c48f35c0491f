package check

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/onsi/gomega"
	gtypes "github.com/onsi/gomega/types"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// C is what a check is given: the subject, the budgets, and the places where
// findings go. Its methods that end the check must be called from the check's own
// goroutine.
type C struct {
	Subject Subject
	Budgets Budgets
	// Rand is seeded from the run's seed and the check's id.
	Rand *rand.Rand
	// Seed is the run's seed.
	Seed uint64
	// Scratch is where the check makes its directories; empty is the system's place.
	Scratch string

	check Check
	rec   *record

	mu       sync.Mutex
	cleanups []func(context.Context) error
}

// Expectation is a Gomega assertion that reports a code when it fails.
type Expectation interface {
	Expect(actual any, extra ...any) gtypes.Assertion
}

// Code returns expectations that report the code and end the check when they fail.
// A code that the check does not declare is a defect of the suite and panics.
func (c *C) Code(code Code) Expectation {
	c.declared(code)
	return gomega.NewGomega(func(message string, _ ...int) {
		c.rec.note(code)
		c.rec.detail(fmt.Sprintf("%s: %s", code, message))
		runtime.Goexit()
	})
}

// Expect is an expectation under the case's own assertion code.
func (c *C) Expect(actual any, extra ...any) gtypes.Assertion {
	return c.Code(c.check.AssertionFailed()).Expect(actual, extra...)
}

// Note reports a code and goes on.
func (c *C) Note(code Code) {
	c.declared(code)
	c.rec.note(code)
}

// Notef reports a code with a detail for the local trace, which never enters a
// report, and goes on.
func (c *C) Notef(code Code, format string, args ...any) {
	c.Note(code)
	c.rec.detail(fmt.Sprintf("%s: %s", code, fmt.Sprintf(format, args...)))
}

// Fail reports a code and ends the check.
func (c *C) Fail(code Code, format string, args ...any) {
	c.Notef(code, format, args...)
	runtime.Goexit()
}

// NoError ends the check with the case's threw code if err is not nil: the
// subject refused what it must be able to do.
func (c *C) NoError(err error) {
	if err != nil {
		c.Fail(c.check.Threw(), "unexpected error: %v", err)
	}
}

// Hung ends the check with the case's hung code.
func (c *C) Hung() { c.Fail(c.check.Hung(), "no answer within the budget") }

// Stop ends the check if it has found something.
func (c *C) Stop() {
	c.rec.mu.Lock()
	found := len(c.rec.codes) > 0
	c.rec.mu.Unlock()
	if found {
		runtime.Goexit()
	}
}

// Unobserved ends the check: the subject does not offer the features.
func (c *C) Unobserved(features ...Feature) {
	for _, f := range features {
		c.rec.lack(f)
	}
	runtime.Goexit()
}

// Cannot ends the check without a judgement: the subject could not be built, or
// the suite's own tools failed.
func (c *C) Cannot(err error) {
	c.rec.cannot(err)
	c.rec.detail(err.Error())
	runtime.Goexit()
}

// Count adds to a deterministic number in the report, under a closed name.
func (c *C) Count(name string, n int) { c.rec.count(name, n) }

// Cleanup registers a function for the end of the check; the last one registered
// runs first, each inside the call budget. Its error ends nowhere: a check that
// judges cleaning up calls it itself.
func (c *C) Cleanup(f func(context.Context) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = append(c.cleanups, f)
}

func (c *C) declared(code Code) {
	if !slices.Contains(c.check.AllCodes(), code) {
		panic(fmt.Sprintf("check %s reports code %q, which it does not declare", c.check.ID, code))
	}
}

// ErrHung says that a call did not return within its budget.
var ErrHung = errors.New("no answer within the budget")

// ErrNoJudgement is in the error of a call that did not come to the adapter, as what
// stands between the suite and it could not make the call. Such an error says nothing
// about the contract: the check ends without a judgement.
var ErrNoJudgement = errors.New("the adapter was not asked")

// ErrNoSuchValue is in the error of a call that was to give the adapter a value which
// its language does not have. The check is unobserved.
var ErrNoSuchValue = errors.New("the adapter's language has no such value")

// Answered ends the check if the error is of a call that did not come to the adapter.
// [Await] does that for the error that it returns.
func (c *C) Answered(err error) {
	switch {
	case errors.Is(err, ErrNoSuchValue):
		c.Unobserved(fakes.InProcess)
	case errors.Is(err, ErrNoJudgement):
		c.Cannot(err)
	}
}

// panicked is a panic in a call of the subject.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Unwrap is the value, if that is an error.
func (p panicked) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// Await runs f in a goroutine of its own and waits for it, for the budget and a
// quarter more: f's context ends with the budget, and a call that heeds it needs a
// moment to come back. What it brings then still counts, but an error that comes
// only then is a hang as well. The error is f's, or ErrHung; a panic in f ends the
// check with the case's threw code, and what [C.Answered] names without one.
func Await[T any](ctx context.Context, c *C, budget time.Duration, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	inner, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = panicked{p}
			}
			done <- r
		}()
		r.value, r.err = f(inner)
	}()
	var r result
	select {
	case r = <-done:
	case <-inner.Done():
		// One moment for a call that heeds its context to come back.
		timer := time.NewTimer(budget/4 + time.Millisecond)
		defer timer.Stop()
		select {
		case r = <-done:
		case <-timer.C:
			r.err = ErrHung
		}
		if r.err != nil {
			r.err = errors.Join(ErrHung, r.err)
			if budget > c.Budgets.Quiet { // within it, nothing is an answer too
				c.rec.tooLate()
			}
		}
	}
	c.Answered(r.err)
	var p panicked
	if errors.As(r.err, &p) {
		c.Fail(c.check.Threw(), "%v", p)
	}
	return r.value, r.err
}

// Call is Await for a call that must succeed: an error ends the check with the
// case's threw code, a hang with the given code, or the case's own if it is empty.
func Call[T any](ctx context.Context, c *C, hung Code, budget time.Duration, f func(context.Context) (T, error)) T {
	v, err := Await(ctx, c, budget, f)
	if errors.Is(err, ErrHung) {
		if hung == "" {
			hung = c.check.Hung()
		}
		c.Fail(hung, "no answer within the budget")
	}
	c.NoError(err)
	return v
}

// Do is Call for functions without a result.
func Do(ctx context.Context, c *C, hung Code, budget time.Duration, f func(context.Context) error) {
	Call(ctx, c, hung, budget, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) })
}

// Generic returns a generic code of the case: assertion-failed, threw or hung.
func (c *C) Generic(suffix string) Code { return Code(c.check.Case + "-" + suffix) }
