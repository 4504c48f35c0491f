package property

import (
	"context"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

// execute runs the body of a law on the kernel: in a goroutine of its own, inside
// budgets, behind a panic guard, with everything released at the end. The findings
// are the kernel's own: a panic, a hang, or a call that failed.
func execute(ctx context.Context, o Options, s check.Subject, hurry bool, ch check.Check) verdict {
	r := &check.Runner{Subject: s, Budgets: o.budgets(s, hurry), Seed: o.Seed}
	out := r.Execute(ctx, ch)
	v := verdict{details: out.Details}
	for _, code := range out.Codes {
		v.found = append(v.found, finding{code: code})
	}
	if len(out.Codes) == 0 {
		v.fault = out.Fault // nil if the subject could be built
	}
	return v
}

// sighting carries what a body saw out of its goroutine. What a body that hangs
// puts there later is of no interest to anybody.
type sighting[T any] struct {
	mu   sync.Mutex
	seen *T
}

func (s *sighting[T]) put(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = &v
}

// get returns nil if the body did not come to its end.
func (s *sighting[T]) get() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}
