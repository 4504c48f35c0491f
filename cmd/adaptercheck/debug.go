package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/remote"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// lifted is how long anything may take while somebody looks at it.
const lifted = 12 * time.Hour

// debugFlags say how one check is looked at.
type debugFlags struct {
	files   projectFlags
	process processFlags
	seed    seedFlag
	scale   scaleFlag
	wait    bool
}

func (sys system) debugCommand() *cobra.Command {
	var flags debugFlags
	cmd := &cobra.Command{
		Use:   "debug CHECK (SUBJECT | -- COMMAND ARGS...)",
		Short: "Run one check slowly and show what happens",
		Long: `Run one check and print what happens, step by step: for a subject that is a process,
each request and each answer. Budgets are lifted, so that a breakpoint may hold for
as long as it likes; Ctrl-C ends what never comes. With --timeout they are those of a
run again.

What is printed quotes the conversation. The values of variables that were passed on
by name are masked. Exit codes are those of a run; a check that is not observed has no
judgement.`,
		Example: `  adaptercheck debug executor.abort.stops -- node bridge.mjs my-adapter.mjs
  adaptercheck debug executor.abort.stops my-adapter --wait`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return checkIDs(), cobra.ShellCompDirectiveNoFileComp
			}
			return sys.offered(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
				return errors.New("debug needs one CHECK: the id of one check, see adaptercheck list")
			}
			ch, found := conformance.Find(args[0])
			if !found {
				return unknown("check", args[0], checkIDs())
			}
			t, err := sys.one(cmd, args, 1, flags.files, &flags.process)
			if err != nil {
				return err
			}
			return sys.debug(ch, t, flags)
		},
	}
	flags.files.add(cmd)
	flags.process.add(cmd, sys)
	f := cmd.Flags()
	f.Var(&flags.seed, "seed", "seed of everything random (default random, printed)")
	f.Var(&flags.scale, "timeout", "keep the budgets of a run, multiplied by this number")
	f.BoolVar(&flags.wait, "wait", false, "print the subject's process id and wait for Enter before the check begins")
	return cmd
}

// debug runs the check in this process.
func (sys system) debug(ch check.Check, t target, flags debugFlags) error {
	ctx, _, stop := interrupts()
	defer stop()
	s, p, err := sys.start(ctx, t, newSteps(sys.stdout))
	if err != nil {
		return err
	}
	if p != nil {
		defer p.Close(context.Background())
	}
	if !s.Implements(ch.Profile()) {
		return fmt.Errorf("subject %s does not implement the profile %s", s.Name, ch.Profile())
	}
	fmt.Fprintf(sys.stdout, "%s: the adapter %s\nseed %d\n", ch.ID, ch.Title, flags.seed.seed())
	if flags.wait {
		if err := sys.hold(ctx, p); err != nil {
			return code(exitInconclusive)
		}
	}
	runner := check.Runner{Subject: s, Seed: flags.seed.seed(), Budgets: flags.budgets()}
	ended := make(chan check.Outcome, 1)
	go func() { ended <- runner.Execute(ctx, ch) }()
	select {
	case o := <-ended:
		return sys.tell(o, p)
	case <-ctx.Done(): // the check itself may hear of it much later
		sys.complain("%s was interrupted", ch.ID)
		return code(exitInconclusive)
	}
}

// budgets are without end, but for the one that shows that nothing comes.
func (f debugFlags) budgets() check.Budgets {
	b := check.DefaultBudgets(true)
	if f.scale != 0 {
		return b.Scale(float64(f.scale))
	}
	return check.Budgets{
		Call: lifted, FirstEvent: lifted, Terminal: lifted, Abort: lifted, Check: lifted, Run: lifted, Quiet: b.Quiet,
	}
}

// hold waits until somebody is there.
func (sys system) hold(ctx context.Context, p *remote.Process) error {
	pid := os.Getpid()
	if p != nil {
		pid = p.PID()
	}
	fmt.Fprintf(sys.stdout, "process %d waits: attach a debugger and press Enter\n", pid)
	entered := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(sys.stdin).ReadString('\n')
		entered <- err
	}()
	select {
	case err := <-entered:
		if errors.Is(err, io.EOF) {
			return nil // nobody can press it
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tell says what became of the check.
func (sys system) tell(o check.Outcome, p *remote.Process) error {
	fmt.Fprintf(sys.stdout, "%s: %s\n", o.ID, o.State)
	for _, c := range o.Codes {
		fmt.Fprintf(sys.stdout, "  %s\n", c)
	}
	for _, f := range o.Missing {
		fmt.Fprintf(sys.stdout, "  needs %s\n", f)
	}
	for _, d := range o.Details {
		if p != nil {
			d = p.Mask(d)
		}
		fmt.Fprintf(sys.stdout, "  %s\n", printable(d))
	}
	lost := false
	if p != nil {
		if text, _ := p.Stderr(); text != "" {
			fmt.Fprintf(sys.stdout, "its process printed:\n  %s\n", printable(text))
		}
		if exit := p.Exit(); exit != "" {
			lost = true
			sys.complain("its process ended before the check did: %s; there is no judgement", exit)
		}
	}
	switch {
	case lost:
		return code(exitInconclusive)
	case o.State == report.Passed:
		return nil
	case o.State == report.Failed:
		return code(exitFails)
	default:
		return code(exitInconclusive)
	}
}
