//go:build unix

package hermes

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

func TestMain(m *testing.M) { os.Exit(double.Main(m)) }

// stage is a test's adapter with its double, and the home of both.
type stage struct {
	*double.Stage
	adapter *Adapter
	options Options
}

func newStage(t *testing.T, steps ...string) *stage {
	t.Helper()
	t.Setenv("HOST_SECRET", "host-secret-value")
	s := &stage{Stage: double.NewStage(t)}
	s.options = Options{
		Command: s.Command(), Dir: t.TempDir(), Home: t.TempDir(), Grace: 50 * time.Millisecond,
		Now: func() time.Time { return time.UnixMilli(1234) },
	}
	s.perform(steps...)
	t.Cleanup(func() {
		if err := s.adapter.Dispose(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stage) perform(steps ...string) {
	s.Play(steps...)
	s.options.Env = append(s.Env(), "API_KEY=canary-key-123")
	s.adapter = New(s.options)
}

// fresh replaces the adapter by a new one with other steps, as a new process of the
// host would have it.
func (s *stage) fresh(steps ...string) {
	s.Helper()
	if err := s.adapter.Dispose(context.Background()); err != nil {
		s.Error(err)
	}
	s.perform(steps...)
}

func (s *stage) start(opts executor.StartOpts) *executor.Run {
	s.Helper()
	return s.Start(s.adapter, opts)
}

func (s *stage) run(opts executor.StartOpts) (*executor.Run, []executor.Event) {
	s.Helper()
	return s.Run(s.adapter, opts)
}
