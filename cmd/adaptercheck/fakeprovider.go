package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// providerName is the fake that is no runtime: what a runtime asks for answers.
const providerName = "provider"

// providerFlags are the flags that only this fake has.
type providerFlags struct {
	proxy, record string
	load          bool
}

func (p *providerFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&p.proxy, "proxy", "", "provider: hand requests on to the real provider at `URL`, and record what it answers")
	flags.StringVar(&p.record, "record", "", "provider: write what was recorded to `FILE`, a file of rules, in the end")
	flags.BoolVar(&p.load, "load", false, "provider: tell in the end how late answers were; exit code 3 if that is too late to measure a client by")
}

// check reports flags that a fake has no use for.
func (p providerFlags) check(name, script, recording, version string, args []string) error {
	if name != providerName {
		if p != (providerFlags{}) {
			return fmt.Errorf("flags --proxy, --record and --load: only fake %s has them", providerName)
		}
		return nil
	}
	switch {
	case recording != "":
		return fmt.Errorf("flag --recording: fake %s plays scripts only", name)
	case version != "":
		return fmt.Errorf("flag --runtime-version: fake %s has one version", name)
	case len(args) > 0:
		return fmt.Errorf("fake %s listens, it takes no arguments", name)
	case (script == "") == (p.proxy == ""):
		return fmt.Errorf("fake %s needs one of --script FILE and --proxy URL", name)
	case (p.proxy == "") != (p.record == ""):
		return errors.New("flags --proxy and --record go together")
	case p.proxy != "" && p.load:
		return errors.New("flag --load: what is recorded has no plan")
	}
	return nil
}

// serveProvider serves the answers of a file until it is interrupted. What no rule was
// for is told as it comes, and makes the exit code 1.
func (sys system) serveProvider(file, address string, seed uint64, flags providerFlags) error {
	if flags.proxy != "" {
		return sys.recordProvider(address, flags)
	}
	o, err := provider.Open(file)
	if err != nil {
		return err
	}
	o.Listen, o.Seed = address, seed
	ctx, _, stop := interrupts()
	defer stop()
	s, err := provider.New(context.WithoutCancel(ctx), o)
	if err != nil {
		return err
	}
	fmt.Fprintln(sys.stdout, s.URL())
	strangers, next := 0, 1
	tell := func(x provider.Exchange) {
		next = x.Number + 1
		if x.Unmatched != "" {
			strangers++
			sys.complain("%s", x.Unmatched)
		}
	}
	for ctx.Err() == nil {
		x, err := s.Wait(ctx, next)
		switch {
		case err == nil:
			tell(x)
		case ctx.Err() == nil: // it is no longer kept
			next++
		}
	}
	late := s.Lateness()
	if err := s.Close(); err != nil {
		return err
	}
	for _, x := range s.Journal() { // what came last
		if x.Number >= next {
			tell(x)
		}
	}
	if flags.load {
		fmt.Fprintln(sys.stdout, late)
		if err := late.Err(); err != nil {
			sys.complain("%v", err)
			return exitCode(exitInconclusive)
		}
	}
	if strangers > 0 {
		return exitCode(exitFails)
	}
	return nil
}

// recordProvider stands before a real provider until it is interrupted, and writes what
// that answered into a file that is not there yet.
func (sys system) recordProvider(address string, flags providerFlags) error {
	ctx, _, stop := interrupts()
	defer stop()
	r, err := provider.Record(context.WithoutCancel(ctx), address, flags.proxy)
	if err != nil {
		return err
	}
	fmt.Fprintln(sys.stdout, r.URL())
	<-ctx.Done()
	if err := r.Close(); err != nil {
		return err
	}
	rules, err := r.Rules()
	if err != nil {
		return err
	}
	return create(flags.record, rules)
}
