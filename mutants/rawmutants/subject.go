package rawmutants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// farewell bounds how long an instance is asked to close before its process is ended:
// many of them do not answer.
const farewell = 200 * time.Millisecond

// subject makes a subject of which each instance has a process of its own.
func subject(id string, p report.Profile) check.Subject {
	s := base(p)
	s.Name, s.Elsewhere = id, true
	switch p {
	case report.History:
		s.History = func(ctx context.Context, f check.Fixture) (*check.HistoryInstance, error) {
			there, process, err := start(ctx, id)
			if err != nil {
				return nil, err
			}
			in, err := there.History(ctx, f)
			if err != nil {
				return nil, errors.Join(err, process.Close(ctx))
			}
			in.Close = closing(process, in.Close)
			return in, nil
		}
	default:
		s.Executor = func(ctx context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			there, process, err := start(ctx, id)
			if err != nil {
				return nil, err
			}
			in, err := there.Executor(ctx, at)
			if err != nil {
				return nil, errors.Join(err, process.Close(ctx))
			}
			in.Adapter, in.Close = overheard{in.Adapter.(whole), process}, closing(process, in.Close)
			return in, nil
		}
	}
	return s
}

// start starts this binary again to play the subject of that id.
func start(ctx context.Context, id string) (check.Subject, *remote.Process, error) {
	if err := fakes.Startable(playerName); err != nil {
		return check.Subject{}, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return check.Subject{}, nil, fmt.Errorf("raw subject: %w", err)
	}
	return remote.Subject(ctx, remote.Options{
		// A process under the race detector would sleep a second before it ends.
		Command: []string{"env", fakes.EnvFake + "=" + playerName, "GORACE=atexit_sleep_ms=0", self, id},
		Env:     []string{"GOCOVERDIR"},
	})
}

// closing closes the instance and ends its process.
func closing(p *remote.Process, instance func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		brief, cancel := context.WithTimeout(ctx, farewell)
		defer cancel()
		return errors.Join(instance(brief), p.Close(ctx))
	}
}

// whole is the proxy of an adapter in a subject.
type whole interface {
	executor.Adapter
	executor.SessionCodec
	executor.Disposer
	executor.Approver
	check.Misread
}

// overheard is such a proxy with the process that it speaks to.
type overheard struct {
	whole
	process *remote.Process
}
