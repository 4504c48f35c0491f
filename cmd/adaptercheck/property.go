package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/mutants"
	"github.com/adaptercheck/adaptercheck/property"
)

// propertyFlags say what is looked for, and how long.
type propertyFlags struct {
	files   projectFlags
	process processFlags
	seed    seedFlag
	scale   scaleFlag
	law     string
	cases   int
	time    time.Duration
	should  bool
	mutant  string
	save    string
	verbose bool
}

func (sys system) propertyCommand() *cobra.Command {
	var flags propertyFlags
	cmd := &cobra.Command{
		Use:   "property [SUBJECT...] [-- COMMAND ARGS...]",
		Short: "Look for input that a law of its contract does not survive",
		Long: `Draw random input for each subject and look whether the laws of its contract hold:

  stream         whatever a runtime says, the events of a run keep the rules of streams
  conversations  whatever a host does with many runs, each run tells its own story
  groups         any history has the atomic groups that the contract gives it

An input that breaks a law is made as small as it gets and shown, with a token by
which adaptercheck replay looks for it again. A token holds no content.

Exit codes are those of a run: 1 when a law is broken.`,
		Example: `  adaptercheck property memory codex --cases 2000
  adaptercheck property --law conversations --time 5m -- ./my-adapter
  adaptercheck property --mutant executor-H01`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return sys.offered(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			laws, err := lawsNamed(flags.law)
			switch {
			case err != nil:
				return err
			case cmd.Flags().Changed("cases") && flags.cases < 1:
				return fmt.Errorf("flag --cases: %d is not a whole number from 1 up", flags.cases)
			case flags.time < 0:
				return fmt.Errorf("flag --time: %v is not a time", flags.time)
			case flags.save != "" && isThere(flags.save):
				return fmt.Errorf("flag --save: file %q is there, and is not overwritten", flags.save)
			case flags.seed.given && flags.seed.value == 0:
				return errors.New("flag --seed: 0 is not a whole number from 1 up")
			}
			found, err := sys.lawful(cmd, args, &flags)
			if err != nil {
				return err
			}
			return sys.lookFor(found, laws, flags)
		},
	}
	flags.files.add(cmd)
	flags.process.add(cmd, sys)
	f := cmd.Flags()
	f.StringVar(&flags.law, "law", "", "only this `LAW`: "+strings.Join(lawNames(), ", "))
	f.IntVar(&flags.cases, "cases", 0, "how many inputs to try of each law (default 100, of a process 20)")
	f.DurationVar(&flags.time, "time", 0, "how long to try inputs of each law, such as 5m")
	f.Var(&flags.seed, "seed", "seed of the inputs (default random, printed)")
	f.BoolVar(&flags.should, "should", false, "look at what is SHOULD as well")
	f.Var(&flags.scale, "timeout", "multiply every time budget by this number")
	f.StringVar(&flags.mutant, "mutant", "", "look at this wrong adapter, by its `ID` in adaptercheck mutants, as well as at the subjects that are named")
	f.StringVar(&flags.save, "save", "", "write an input that breaks a law to `FILE`, for adaptercheck replay")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print what was noted about a failure; that may quote what the subject said")
	complete(cmd, "law", lawNames)
	return cmd
}

func isThere(file string) bool {
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

func lawNames() []string {
	var names []string
	for _, l := range property.Laws() {
		names = append(names, l.Name())
	}
	return names
}

// lawsNamed are those of the name, all without one.
func lawsNamed(name string) ([]property.Law, error) {
	if name == "" {
		return property.Laws(), nil
	}
	l, ok := property.Find(name)
	if !ok {
		return nil, unknown("law", name, lawNames())
	}
	return []property.Law{l}, nil
}

// lawful are the targets that are looked at.
func (sys system) lawful(cmd *cobra.Command, args []string, flags *propertyFlags) ([]target, error) {
	var found []target
	if flags.mutant == "" || len(args) > 0 || cmd.ArgsLenAtDash() >= 0 {
		p, err := sys.project(flags.files)
		if err != nil {
			return nil, err
		}
		if found, _, err = sys.targets(cmd, args, 0, &flags.process, p); err != nil {
			return nil, err
		}
	}
	if flags.mutant == "" {
		return found, nil
	}
	all := mutants.All()
	i := slices.IndexFunc(all, func(m mutants.Mutant) bool { return m.ID == flags.mutant })
	if i < 0 {
		var ids []string
		for _, m := range all {
			ids = append(ids, m.ID)
		}
		return nil, unknown("mutant", flags.mutant, ids)
	}
	s := all[i].Subject()
	s.Name = all[i].ID
	return append(found, linked(s)), nil
}

// lawSeed is the seed of the inputs: 0 would be another one every time.
func (f *propertyFlags) lawSeed() uint64 { return max(1, f.seed.seed()) }

// options of one law. Rapid is made for tests: it reads its own flags.
func (f *propertyFlags) options(s check.Subject) property.Options {
	o := property.Options{Cases: f.cases, Time: f.time, Seed: f.lawSeed(), Should: f.should, Verbose: f.verbose}
	if f.scale != 0 {
		o.Budgets = check.DefaultBudgets(s.Offers.Has(fakes.Process)).Scale(float64(f.scale))
	}
	return o
}

// rapidly makes rapid believe that it is in a test, and keeps it from writing files.
func rapidly() error {
	testing.Init()
	if !flag.Parsed() {
		if err := flag.CommandLine.Parse(nil); err != nil {
			return err
		}
	}
	return flag.Set("rapid.nofailfile", "true")
}

// lookFor looks at each of the targets, law by law, and says what came of it.
func (sys system) lookFor(found []target, laws []property.Law, flags propertyFlags) error {
	if err := rapidly(); err != nil {
		return err
	}
	ctx, _, stop := interrupts()
	defer stop()
	fmt.Fprintf(sys.stdout, "seed %d\n", flags.lawSeed())
	worst := exitGood
	for _, t := range found {
		got, err := sys.lookAt(ctx, t, laws, &flags)
		if err != nil {
			return err
		}
		worst = graver(worst, got)
	}
	return code(worst)
}

// graver is the exit code of two that counts: 1 before 3 before 0.
func graver(a, b int) int {
	if a == exitFails || b == exitFails {
		return exitFails
	}
	return max(a, b)
}

func (sys system) lookAt(ctx context.Context, t target, laws []property.Law, flags *propertyFlags) (int, error) {
	s, p, err := sys.start(ctx, t, nil)
	if err != nil {
		var c exitCode
		if errors.As(err, &c) {
			return int(c), nil
		}
		return exitGood, err
	}
	if p != nil {
		defer p.Close(context.Background())
	}
	looked, result := false, exitGood
	for _, l := range laws {
		if !l.Fits(s) {
			continue
		}
		looked = true
		o := flags.options(s)
		r, err := l.Look(ctx, s, o)
		switch {
		case ctx.Err() != nil:
			sys.complain("interrupted")
			return graver(result, exitInconclusive), nil
		case err != nil:
			sys.complain("%s: %s: no judgement: %v", s.Name, l.Name(), err)
			result = graver(result, exitInconclusive)
		case r.Failure == nil:
			fmt.Fprintf(sys.stdout, "%s: %s: %d inputs keep the law\n", s.Name, l.Name(), r.Inputs)
		default:
			result = exitFails
			tellFailure(sys.stdout, s.Name, l, *r.Failure, flags.verbose)
			k := lawToken{law: l, seed: o.Seed, cases: max(o.Cases, r.Inputs), should: o.Should}
			fmt.Fprintf(sys.stdout, "  again: adaptercheck replay %s %s\n", k, flags.words(t, s))
			if err := flags.keep(l, *r.Failure); err != nil {
				return result, err
			}
		}
	}
	if !looked {
		return exitGood, fmt.Errorf("subject %s fits no law that was asked for", s.Name)
	}
	return result, nil
}

// words are the arguments that name a target again.
func (f *propertyFlags) words(t target, s check.Subject) string {
	switch {
	case s.Name == f.mutant:
		return "--mutant " + f.mutant
	case t.process != nil && t.process.Name == "":
		return "-- " + filepath.Base(t.process.Command[0]) + " ..."
	}
	return s.Name
}
