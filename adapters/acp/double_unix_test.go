//go:build unix

package acp_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/acp"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

func TestMain(m *testing.M) { os.Exit(double.Main(m)) }

// stage is a test's adapter with its double.
type stage struct {
	*double.Stage
	adapter *acp.Adapter
	options acp.Options
}

// newStage has an adapter that ends no process by itself, however slow the machine is.
func newStage(t *testing.T, steps ...string) *stage {
	t.Helper()
	t.Setenv("HOST_SECRET", "host-secret-value")
	s := &stage{Stage: double.NewStage(t)}
	s.options = acp.Options{Command: s.Command(), Dir: t.TempDir(), Grace: time.Minute, Now: func() time.Time { return time.UnixMilli(1234) }}
	s.perform(steps...)
	t.Cleanup(func() {
		if err := s.adapter.Dispose(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// impatient is newStage for what ends processes.
func impatient(t *testing.T, steps ...string) *stage {
	t.Helper()
	s := newStage(t)
	s.options.Grace = 50 * time.Millisecond
	s.perform(steps...)
	return s
}

func (s *stage) perform(steps ...string) {
	s.Play(steps...)
	s.options.Env = append(s.Env(), "API_KEY=canary-key-123")
	if s.adapter != nil {
		if err := s.adapter.Dispose(s.Context()); err != nil {
			s.Error(err)
		}
	}
	s.adapter = acp.New(s.options)
}

func (s *stage) start(opts executor.StartOpts) *executor.Run {
	s.Helper()
	return s.Start(s.adapter, opts)
}

func (s *stage) run(opts executor.StartOpts) (*executor.Run, []executor.Event) {
	s.Helper()
	return s.Run(s.adapter, opts)
}
