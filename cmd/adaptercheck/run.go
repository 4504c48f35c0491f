package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/baseline"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// maxParallel bounds how many workers run at a time: checks wait more than they
// work, so there is one more than there are processors, but budgets are wall time.
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
	files        projectFlags
	process      processFlags
	host         hostFlags
	traces       traceDir
}

func (sys system) runCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [SUBJECT...] [-- COMMAND ARGS...]",
		Short: "Judge subjects and report",
		Long: `Judge the subjects, or all of them, under every profile that they implement. Each
subject and profile runs in a process of its own. Subjects are those of
adaptercheck.yaml in the current directory, see adaptercheck init, and the adapters
of this program; all of them are those of the file, where there is one.

With a command after "--" the subject is what the command starts: a program in any
language that speaks the subject protocol, as the bridges for Node and Python do.
It gets a short list of variables of the environment and those named by --env.

With --url the subject is a native runtime host that somebody started. It is
disconnected: give it a home of its own. What --outbound, --vault and --log name lets
more of it be seen.

A report holds no content: no prompts, history, paths, environment or error texts.
With -v, what the checks saw is printed to stderr, and that quotes the conversation;
--trace writes it to files.`,
		Example: `  adaptercheck run
  adaptercheck run codex --check 'executor.abort.*' -v
  adaptercheck run --profile executor -- node bridge.mjs my-adapter.mjs
  adaptercheck run --fake codex -- ./my-codex-adapter
  adaptercheck run --profile host --url http://127.0.0.1:18790
  adaptercheck run --report report.json --report report.md --report junit.xml
  adaptercheck run --json --seed 1 --reproducible
  adaptercheck run --shard 1/3 --seed 7 --reproducible --report s1.json`,
		ValidArgsFunction: completeArgs(sys.offered),
		RunE: func(cmd *cobra.Command, args []string) error {
			pr, err := sys.project(flags.files)
			if err != nil {
				return err
			}
			targets, named, err := sys.targets(cmd, args, 0, &flags.process, pr)
			if err == nil {
				targets, named, err = flags.host.instead(cmd, args, targets, named)
			}
			if err != nil {
				return err
			}
			if err := flags.validate(); err != nil {
				return err
			}
			files, err := reportFiles(flags.reports)
			if err != nil {
				return err
			}
			return sys.run(pr, targets, named, flags, files)
		},
	}
	flags.add(cmd)
	flags.process.add(cmd, sys)
	flags.host.add(cmd)
	flags.files.add(cmd)
	flags.files.addBaseline(cmd)
	f := cmd.Flags()
	f.Var((*shardFlag)(&flags.Shard), "shard", "run only this part of the checks, the first is 1/N; /N takes the part from "+jobIndex)
	f.StringVar((*string)(&flags.traces), "trace", "", "write what crosses the wire to files in `DIR`, redacted; they hold content")
	f.StringVar(&flags.version, "runtime-version", "", "which `VERSION` of a runtime the fakes play")
	f.Var(&flags.seed, "seed", "seed of everything random (default random, printed)")
	f.Var(&flags.scale, "timeout", "multiply every time budget by this number")
	f.StringArrayVar(&flags.reports, "report", nil, "write a report to `FILE`, .json, .md, .xml (JUnit), .tap, .html or .sarif; may be repeated")
	f.BoolVar(&flags.json, "json", false, "print the report as JSON instead of the summary, schema "+report.Schema)
	f.BoolVar(&flags.reproducible, "reproducible", false, "leave out of reports what differs from run to run")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "list every check, and print what the checks saw")
	return cmd
}

// run meets the subjects, plans, judges and reports.
func (sys system) run(pr project, targets []target, named bool, flags runFlags, files []reportFile) error {
	ctx, kill, stop := interrupts()
	defer stop()
	if err := flags.traces.make(targets); err != nil {
		return err
	}
	if err := sys.meet(ctx, targets, flags.traces); err != nil {
		return err
	}
	if err := pr.known(sys, targets); err != nil {
		return err
	}
	p, err := sys.plan(ctx, targets, named, flags)
	if err != nil {
		return err
	}
	if err := p.versions(ctx, flags.version); err != nil {
		return err
	}
	return sys.judge(ctx, kill, pr, p, flags, files)
}

// judge runs the plan and says what came of it.
func (sys system) judge(ctx context.Context, kill <-chan struct{}, pr project, p plan, flags runFlags, files []reportFile) error {
	seed := flags.seed.seed()
	fmt.Fprintf(sys.stderr, "seed %d\n", seed)
	show := sys.progress(p, flags.verbose)
	results := supervise.Supervise(ctx, p.jobs(seed, pr.config.Budgets, flags), supervise.Options{
		Parallel: min(maxParallel, runtime.NumCPU()+1),
		Grace:    sys.grace,
		Kill:     kill,
		Progress: show.event,
	})
	show.close()

	r := report.Report{Schema: report.Schema, Tool: report.Tool{Name: "adaptercheck", Version: toolVersion()}, Seed: seed, Runs: []report.Run{}}
	var timing report.Timing
	now := time.Now()
	for i, e := range p {
		var result supervise.Result
		if e.cut == nil {
			result, results = results[0], results[1:]
		}
		known := pr.entries(p, i, flags.profile)
		run, broken := judged(e, result, known, now)
		r.Runs = append(r.Runs, run)
		timing.Runs = append(timing.Runs, check.Timing(result.Outcomes))
		sys.local(e, result, flags.verbose)
		sys.broken(pr.baseline, broken)
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

// judged is the judgement of one entry, and the known failures that do not hold.
// These fail the run, and so does a breach of the subject protocol.
func judged(e entry, result supervise.Result, known []baseline.Entry, now time.Time) (report.Run, []baseline.Broken) {
	checks, cut := conformance.Checks(e.profile), cutOf(e, result)
	outcomes, broken := baseline.Apply(known, checks, result.Outcomes, now)
	run := check.Judge(e.profile, e.subject, checks, outcomes, cut)
	run.Baseline = baseline.Mismatches(broken)
	for code, n := range result.Breaches {
		if run.Breaches == nil {
			run.Breaches = map[report.Name]int{}
		}
		run.Breaches[report.Name(code)] = n
	}
	if len(run.Baseline)+len(run.Breaches) > 0 {
		run.Verdict = report.Fails
	}
	return run, broken
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
