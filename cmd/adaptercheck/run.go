package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// maxParallel bounds how many workers run at a time: checks wait more than they
// work, but budgets are wall time.
const maxParallel = 4

// runFlags are the choices of one run.
type runFlags struct {
	selectionFlags
	version      string
	seed         seedFlag
	scale        scaleFlag
	reports      []string
	json         bool
	reproducible bool
	verbose      bool
}

func (sys system) runCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [SUBJECT...]",
		Short: "Judge subjects and report",
		Long: `Judge the subjects, or all of them, under every profile that they implement. Each
subject and profile runs in a process of its own.

A report holds no content: no prompts, history, paths, environment or error texts.
With -v, what the checks saw is printed to stderr, and that quotes the conversation.`,
		Example: `  adaptercheck run
  adaptercheck run codex --check 'executor.abort.*' -v
  adaptercheck run --report report.json --report report.md --report junit.xml
  adaptercheck run --json --seed 1 --reproducible`,
		ValidArgsFunction: completeArgs(sys.subjectNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() >= 0 {
				return errors.New(`nothing can follow "--": subjects are given by name, see adaptercheck help run`)
			}
			p, err := sys.plan(args, flags)
			if err != nil {
				return err
			}
			files, err := reportFiles(flags.reports)
			if err != nil {
				return err
			}
			if err := p.versions(cmd.Context(), flags.version); err != nil {
				return err
			}
			return sys.judge(p, flags, files)
		},
	}
	flags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.version, "runtime-version", "", "which `VERSION` of a runtime the fakes play")
	f.Var(&flags.seed, "seed", "seed of everything random (default random, printed)")
	f.Var(&flags.scale, "timeout", "multiply every time budget by this number")
	f.StringArrayVar(&flags.reports, "report", nil, "write a report to `FILE`, .json, .md or .xml (JUnit); may be repeated")
	f.BoolVar(&flags.json, "json", false, "print the report as JSON instead of the summary, schema "+report.Schema)
	f.BoolVar(&flags.reproducible, "reproducible", false, "leave out of reports what differs from run to run")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "list every check, and print what the checks saw")
	return cmd
}

// judge runs the plan and says what came of it.
func (sys system) judge(p plan, flags runFlags, files []reportFile) error {
	ctx, kill, stop := interrupts()
	defer stop()
	seed := flags.seed.seed()
	fmt.Fprintf(sys.stderr, "seed %d\n", seed)
	show := sys.progress(p, flags.verbose)
	results := supervise.Supervise(ctx, p.jobs(seed, flags), supervise.Options{
		Parallel: min(maxParallel, runtime.NumCPU()),
		Grace:    sys.grace,
		Kill:     kill,
		Progress: show.event,
	})
	show.close()

	r := report.Report{Schema: report.Schema, Tool: report.Tool{Name: "adaptercheck", Version: toolVersion()}, Seed: seed, Runs: []report.Run{}}
	var timing report.Timing
	for _, e := range p {
		var result supervise.Result
		if e.cut == nil {
			result, results = results[0], results[1:]
		}
		cut := cutOf(e, result)
		r.Runs = append(r.Runs, check.Judge(e.profile, e.subject, conformance.Checks(e.profile), result.Outcomes, cut))
		timing.Runs = append(timing.Runs, check.Timing(result.Outcomes))
		sys.local(e, result, flags.verbose)
	}
	if !flags.reproducible {
		r.Timing = &timing
	}
	failed := sys.publish(r, flags, files)
	if failed != nil {
		return failed
	}
	return code(r.ExitCode())
}

// cutOf is the reason of the plan or of the worker; or that the subject could not
// be built, where that is all that was seen of it.
func cutOf(e entry, r supervise.Result) *report.Cut {
	switch {
	case e.cut != nil:
		return e.cut
	case r.Cut != nil:
		return r.Cut
	case len(faults(r)) == 0:
		return nil
	}
	seen := slices.ContainsFunc(r.Outcomes, func(o check.Outcome) bool {
		return o.State == report.Passed || o.State == report.Failed
	})
	if seen {
		return nil // the checks that could not be judged say so themselves
	}
	return &report.Cut{Reason: report.CutNotStarted}
}

// faults are the reasons why a subject could not be built, without repetition.
func faults(r supervise.Result) []string {
	var out []string
	for _, o := range r.Outcomes {
		if o.Fault != nil && !slices.Contains(out, o.Fault.Error()) {
			out = append(out, o.Fault.Error())
		}
	}
	return out
}
