// Command realruntimes judges adapters over the programs that they are for, instead of
// over fakes of them.
//
//	realruntimes --codex /opt/codex/bin/codex --claude /opt/claude/claude
//
// Over Codex it judges the executor profile: it prints the version of the program, a line
// per check that was judged, and the summary of adaptercheck run, and exits with the same
// codes. A baseline names what is known to fail, and why. Over Claude Code it plays a few
// stories, and the exit code is 1 if one goes wrong. See docs/real-judges.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/baseline"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/report/render"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/realruntimes/claudecode"
	"github.com/adaptercheck/adaptercheck/realruntimes/codex"
)

func main() {
	if played, code := fakes.PlayChild(codex.Player()); played {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes for something that is not as it should be, and for a mistake in the
// arguments.
const (
	exitFails = 1
	exitUsage = 2
)

// floodScale multiplies the budgets of checks that flood the program: it takes seconds for
// thousands of messages.
const floodScale = 10

// flags are the choices of one run.
type flags struct {
	codex    string
	claude   string
	baseline string
	check    string
	scale    float64
	verbose  bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var f flags
	set := flag.NewFlagSet("realruntimes", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&f.codex, "codex", "", "`path` of the program of Codex, not of the script that starts it")
	set.StringVar(&f.claude, "claude", "", "`path` of the program of Claude Code, not of the script that starts it")
	set.StringVar(&f.baseline, "baseline", "", "`file` of known failures")
	set.StringVar(&f.check, "check", "*", "judge the checks that match `glob` alone")
	set.Float64Var(&f.scale, "timeout", 2, "multiply every time budget by this `number`: a real program is slower than a fake")
	set.BoolVar(&f.verbose, "v", false, "say what a check saw that failed; that quotes the conversation")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return exitUsage
	}
	code, err := judge(ctx, f, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "realruntimes:", err)
		return exitUsage
	}
	return code
}

// judge prints and returns the exit code.
func judge(ctx context.Context, f flags, stdout, stderr io.Writer) (code int, err error) {
	if f.codex == "" && f.claude == "" {
		return 0, errors.New("no --codex and no --claude: nothing to judge")
	}
	if f.claude != "" {
		if code, err = play(ctx, f.claude, stdout); err != nil {
			return 0, err
		}
	}
	if f.codex != "" {
		judged, err := judgeCodex(ctx, f, stdout, stderr)
		if err != nil {
			return 0, err
		}
		if code == 0 {
			code = judged
		}
	}
	return code, nil
}

// play plays the stories of Claude Code, and prints a line for each.
func play(ctx context.Context, program string, stdout io.Writer) (code int, err error) {
	version, err := claudecode.Version(ctx, program)
	if err != nil {
		return 0, err
	}
	fmt.Fprintln(stdout, version)
	for _, s := range claudecode.Stories() {
		told, err := s.Play(ctx, program)
		if err != nil {
			code = exitFails
			fmt.Fprintf(stdout, "FAIL %v\n", err)
			continue
		}
		fmt.Fprintf(stdout, "ok   %s: %s\n", s.Name, told)
	}
	return code, nil
}

// judgeCodex judges the executor profile.
func judgeCodex(ctx context.Context, f flags, stdout, stderr io.Writer) (int, error) {
	checks, err := conformance.Selection{Match: f.check}.Of(conformance.Checks(report.Executor))
	if err != nil {
		return 0, fmt.Errorf("--check: %w", err)
	}
	var known baseline.Baseline
	if f.baseline != "" {
		if known, err = baseline.Load(f.baseline); err != nil {
			return 0, err
		}
	}
	version, err := codex.Version(ctx, f.codex)
	if err != nil {
		return 0, err
	}
	fmt.Fprintln(stdout, version)
	r := report.Report{Schema: report.Schema, Tool: report.Tool{Name: "realruntimes", Version: report.Name(strings.ReplaceAll(version, " ", "-"))}, Runs: []report.Run{}}
	for _, s := range codex.Subjects(codex.Options{Program: f.codex}) {
		r.Runs = append(r.Runs, judged(ctx, s, checks, f, known, stdout, stderr))
	}
	if err := render.Summary(stdout, r, render.SummaryOptions{}); err != nil {
		return 0, err
	}
	return r.ExitCode(), nil
}

// judged judges one subject, and prints a line for each check that was judged.
func judged(ctx context.Context, s check.Subject, selected []check.Check, f flags, known baseline.Baseline, stdout, stderr io.Writer) report.Run {
	budgets := check.DefaultBudgets(true).Scale(f.scale)
	common := &check.Runner{Subject: s, Budgets: budgets}
	flooded := &check.Runner{Subject: codex.Flooded(s), Budgets: budgets.Scale(floodScale)}
	fmt.Fprintln(stdout, s.Name)
	var outcomes []check.Outcome
	var cut *report.Cut
	for _, ch := range selected {
		if ctx.Err() != nil {
			cut = &report.Cut{Reason: report.CutInterrupted}
			break
		}
		runner := common
		if ch.Flood {
			runner = flooded
		}
		o := runner.Execute(ctx, ch)
		outcomes = append(outcomes, o)
		if o.State == report.Unobserved && !f.verbose {
			continue
		}
		fmt.Fprintln(stdout, line(ch, o))
		if o.Fault != nil {
			fmt.Fprintf(stderr, "%s: %v\n", ch.ID, o.Fault)
		}
		if f.verbose {
			for _, d := range o.Details {
				fmt.Fprintf(stderr, "%s: %s\n", ch.ID, d)
			}
		}
	}
	checks := conformance.Checks(report.Executor)
	outcomes, broken := baseline.Apply(known.Of(report.Name(s.Name), report.Executor), checks, outcomes, time.Now())
	run := check.Judge(report.Executor, s, checks, outcomes, cut)
	if run.Baseline = baseline.Mismatches(broken); len(broken) > 0 {
		run.Verdict = report.Fails
	}
	return run
}

// line is what became of a check: its state, and what it found or could not see.
func line(ch check.Check, o check.Outcome) string {
	text := fmt.Sprintf("  %-12s %-6s %s %s", o.State, ch.Level, ch.ID, o.Took.Round(time.Millisecond))
	for _, code := range o.Codes {
		text += " " + string(code)
	}
	for _, f := range o.Missing {
		text += " needs " + string(f)
	}
	return text
}
