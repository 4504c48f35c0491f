package property_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/memory"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/memory"
	"github.com/adaptercheck/adaptercheck/property"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// counting counts what it builds.
func counting(n *int) check.Subject {
	s := subjects.Memory()
	build := s.Executor
	s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
		*n++
		return build(ctx, at)
	}
	return s
}

func TestCases(t *testing.T) {
	process := func(s check.Subject) check.Subject {
		s.Offers = append(s.Offers[:len(s.Offers):len(s.Offers)], fakes.Process)
		return s
	}
	for _, c := range []struct {
		name  string
		cases int
		shape func(check.Subject) check.Subject
		want  int
	}{
		{"default", 0, nil, 100},
		{"default of a process", 0, process, 20},
		{"few", 3, nil, 3},
		{"more than rapid's own number", 250, nil, 250},
		{"many of a process", 30, process, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			s := counting(&n)
			if c.shape != nil {
				s = c.shape(s)
			}
			r := outcome(t, func(tb property.TB) { property.Executor(tb, s, property.Options{Cases: c.cases}) })
			if r.failed || n != c.want {
				t.Errorf("built %d subjects, want %d; failed = %v\n%s", n, c.want, r.failed, r.log.String())
			}
			if want := fmt.Sprintf("%d inputs keep the law\n", c.want); r.log.String() != want {
				t.Errorf("log (-want +got):\n%s", cmp.Diff(want, r.log.String()))
			}
		})
	}
}

// One seed gives one sequence of scripts; another gives another; so does none.
func TestSeed(t *testing.T) {
	said := func(seed uint64, cases int) string {
		var all strings.Builder
		s := subjects.Memory()
		s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
			runtime := fake.New()
			return &check.ExecutorInstance{Adapter: memory.New(runtime, memory.Options{}), Runtime: listening{runtime, &all}}, nil
		}
		r := outcome(t, func(tb property.TB) { property.Executor(tb, s, property.Options{Seed: seed, Cases: cases}) })
		if r.failed {
			t.Fatal(r.log.String())
		}
		return all.String()
	}
	one := said(1, 100)
	if said(1, 100) != one {
		t.Error("two runs with one seed differ")
	}
	if said(2, 100) == one {
		t.Error("another seed gives the same scripts")
	}
	if first := said(0, 100); first == said(0, 100) {
		t.Error("two runs without a seed are the same")
	}
	more := said(1, 200)
	if rest, ok := strings.CutPrefix(more, one); !ok || rest == one {
		t.Error("more cases must begin with those of a shorter run and go on with others")
	}
}

// Everything that a law has built is released.
func TestReleases(t *testing.T) {
	built, closed := 0, 0
	s := subjects.Memory()
	s.Executor = func(context.Context, fakes.Endpoint) (*check.ExecutorInstance, error) {
		built++
		runtime := fake.New()
		return &check.ExecutorInstance{
			Adapter: memory.New(runtime, memory.Options{}), Runtime: closing{runtime, &closed},
			Close: func(context.Context) error { closed++; return nil },
		}, nil
	}
	property.Executor(t, s, property.Options{Cases: 5})
	if built != 5 || closed != 2*built {
		t.Errorf("%d subjects, %d closes of subject or runtime, want twice as many", built, closed)
	}
}

// closing counts that it is closed.
type closing struct {
	*fake.Runtime
	closed *int
}

func (c closing) Close() error { *c.closed++; return c.Runtime.Close() }

// listening notes what a runtime is made to say.
type listening struct {
	*fake.Runtime
	all *strings.Builder
}

func (l listening) Next(ctx context.Context) (fakes.Run, error) {
	r, err := l.Runtime.Next(ctx)
	return listeningRun{r, l.all}, err
}

type listeningRun struct {
	fakes.Run
	all *strings.Builder
}

func (l listeningRun) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	for _, f := range frames {
		l.all.WriteString(f.Word() + " ")
	}
	return l.Run.Emit(ctx, frames...)
}

// A test that has failed before can still be given a law, which holds.
func TestLawAfterAFailure(t *testing.T) {
	r := outcome(t, func(tb property.TB) {
		tb.Errorf("before")
		property.Executor(tb, subjects.Memory(), property.Options{Cases: 1})
	})
	if diff := cmp.Diff("before\n1 inputs keep the law\n", r.log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// What a subject says is content: it is shown where it is asked for.
func TestVerbose(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		r := outcome(t, func(tb property.TB) {
			property.Executor(tb, wrong(panics), property.Options{Seed: 7, Verbose: verbose})
		})
		if !r.failed || strings.Contains(r.log.String(), "no float for you") != verbose {
			t.Errorf("verbose = %v:\n%s", verbose, r.log.String())
		}
	}
}

// cancelled is a test whose context has ended.
type cancelled struct{ *recorder }

func (cancelled) Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestExecutorInterrupted(t *testing.T) {
	r := outcome(t, func(tb property.TB) {
		property.Executor(cancelled{tb.(*recorder)}, subjects.Memory(), property.Options{})
	})
	if diff := cmp.Diff("no judgement: context canceled\n", r.log.String()); diff != "" || !r.failed {
		t.Errorf("failed = %v, log (-want +got):\n%s", r.failed, diff)
	}
}
