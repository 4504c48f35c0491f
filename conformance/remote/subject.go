package remote

import (
	"context"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Subject starts the command and returns what is to be judged, and the process,
// which the caller closes. An error is a [*Error] where it is about the subject,
// and then nothing is left running.
//
// What the subject offers is what it says; in wire mode, what the fake plays of it.
func Subject(ctx context.Context, o Options) (check.Subject, *Process, error) {
	p, err := spawn(ctx, o)
	if err != nil {
		return check.Subject{}, nil, err
	}
	s, err := p.subject(ctx)
	if err != nil {
		_ = p.Close(context.WithoutCancel(ctx))
		return check.Subject{}, nil, err
	}
	return s, p, nil
}

func (p *Process) subject(ctx context.Context) (check.Subject, error) {
	h := p.hello
	s := check.Subject{Name: h.Name, Offers: slices.Clone(h.Features), Declares: h.declarations(), Elsewhere: true}
	if p.o.Name != "" {
		s.Name = p.o.Name
	}
	if slices.Contains(h.Contracts, contractHistory) {
		s.History = p.history
	}
	if !slices.Contains(h.Contracts, contractExecutor) {
		if p.o.Fake != nil {
			return s, p.session.fail(ErrMode, "a fake runtime is for executor adapters, and it has none")
		}
		return s, nil
	}
	s.Executor = p.executor
	switch {
	case h.Mode == modeHarness && p.o.Fake != nil:
		return s, p.session.fail(ErrMode, "it brings its own fake runtime (harness) and takes no other")
	case h.Mode == modeWire && p.o.Fake == nil:
		return s, p.session.fail(ErrMode, "it needs a fake runtime (wire) and none was named")
	case h.Mode == modeWire:
		s.Runtime = p.o.Fake
		runtime, err := p.o.Fake(ctx, check.RuntimeOptions{})
		if err != nil {
			return s, fmt.Errorf("start the fake runtime: %w", err)
		}
		plays := runtime.Features()
		if err := runtime.Close(); err != nil {
			return s, fmt.Errorf("end the fake runtime: %w", err)
		}
		s.Offers = slices.DeleteFunc(s.Offers, func(f fakes.Feature) bool { return !plays.Has(f) && !ofAdapter(f) })
	}
	return s, nil
}

// ofAdapter are features that no fake runtime has: they are the adapter's own.
func ofAdapter(f fakes.Feature) bool {
	return f == fakes.Observers || f == fakes.Source || f == fakes.Append || f == fakes.Ports
}
