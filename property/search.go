package property

import (
	"context"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// shrinkFor bounds how long a failing input is made smaller.
const shrinkFor = 5 * time.Second

// search looks for an input that breaks a law and lets rapid make it small.
type search[In fmt.GoStringer] struct {
	options Options
	cases   int
	// name of the input in what is reported.
	name string
	draw func(*rapid.T) In
	// judge tries one input. With hurry it need not wait as long as usual.
	judge func(ctx context.Context, in In, hurry bool) verdict

	ran   int
	fault error
	// latest is when looking ends; zero is never.
	latest time.Time
	// code of the first failure, empty while there is none. A smaller input must
	// fail by the same code, so that shrinking does not wander off to another bug.
	code  check.Code
	hurry bool
	until time.Time
	// least is the input that failed last, and worst what is wrong with it: when rapid is
	// done, the smallest.
	least In
	worst verdict
	// tried remembers what is wrong with each input, nothing for one that keeps the
	// law: rapid comes by an input in many ways, and one that fails now and then is to
	// be shown as failing.
	tried  map[string]string
	failed map[string]verdict
}

// run reports the smallest failing input to t and ends the test, or returns.
func (s *search[In]) run(t TB) {
	t.Helper()
	if s.options.Time > 0 {
		s.latest = time.Now().Add(s.options.Time)
	}
	s.tried, s.failed = map[string]string{}, map[string]verdict{}
	inner := &quiet{TB: t}
	for round := uint64(0); s.fault == nil; round++ {
		before := s.ran
		func() {
			restore := setSeed(s.options.Seed, round)
			defer restore()
			rapid.Check(inner, func(rt *rapid.T) {
				restore()
				s.property(contextOf(t), rt)
			})
		}()
		if s.enough() || s.ran == before {
			break
		}
	}
	switch {
	case s.fault != nil:
		t.Fatalf("no judgement: %v", s.fault)
	case s.ran == 0:
		t.Fatalf("no judgement: nothing was tried, as -rapid.checks is 0")
	default:
		t.Logf("%d inputs keep the law", s.ran)
	}
}

// enough reports whether as many inputs were tried as shall be.
func (s *search[In]) enough() bool {
	return s.ran >= s.cases || !s.latest.IsZero() && time.Now().After(s.latest)
}

func (s *search[In]) property(ctx context.Context, rt *rapid.T) {
	if s.fault != nil || s.code == "" && s.enough() {
		return
	}
	in := rapid.Custom(s.draw).Draw(rt, s.name)
	key := in.GoString()
	// While nothing has failed, an input that comes again is another chance.
	text, known := s.tried[key]
	if !known || s.code == "" {
		text = s.try(ctx, in, key)
		s.tried[key] = text
	}
	if text != "" {
		s.least, s.worst = in, s.failed[key]
		rt.Fatalf("%s", text)
	}
}

// try judges an input that has not failed before. It returns what is wrong with
// it, or nothing.
func (s *search[In]) try(ctx context.Context, in In, key string) string {
	if s.code != "" && time.Now().After(s.until) {
		return ""
	}
	s.ran++
	v := s.judge(ctx, in, s.hurry)
	if v.fault == nil {
		v.fault = ctx.Err()
	}
	if v.fault != nil {
		// A subject that breaks down while a failure is made small does not undo it.
		if s.code == "" {
			s.fault = v.fault
			if ctx.Err() == nil {
				s.fault = fmt.Errorf("%w; it was given %s", v.fault, key)
			}
		}
		return ""
	}
	if len(v.found) == 0 || s.code != "" && !v.has(s.code) {
		return ""
	}
	if s.code == "" {
		s.code = v.found[0].code
		s.hurry = waits(v)
		s.until = time.Now().Add(shrinkFor)
	}
	s.failed[key] = v
	return v.text(s.options.Verbose)
}
