package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/mutants"
)

// mutantsFlags are the choices of one run over the mutants.
type mutantsFlags struct {
	profile profileFlag
	seed    seedFlag
	seeds   int
	scale   scaleFlag
	full    bool
	json    bool
}

func (sys system) mutantsCommand() *cobra.Command {
	var flags mutantsFlags
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "Prove that every check catches what it claims to catch",
		Long: `Try the suite on wrong adapters, each of which must be caught by the check and with
the code that it names, and on right adapters that look unusual, which no check may
accuse at MUST.

It exits with 1 when a mutant survives or is caught by a wrong code, when a check
catches no mutant, or when a right adapter is accused.`,
		Example: `  adaptercheck mutants --profile executor
  adaptercheck mutants --full
  adaptercheck mutants --json --seed 1 | jq .survivors`,
		Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			if flags.seeds < 1 {
				return fmt.Errorf("flag --seeds: %d is not a whole number from 1 up", flags.seeds)
			}
			return sys.tryMutants(mutants.Options{Profiles: flags.profile.profiles(), Full: flags.full, Seed: flags.seed.seed(), Seeds: flags.seeds, Timeout: float64(flags.scale)}, flags.json)
		},
	}
	f := cmd.Flags()
	addProfile(f, &flags.profile)
	f.Var(&flags.seed, "seed", "seed of everything random (default random, printed)")
	f.IntVar(&flags.seeds, "seeds", mutants.DefaultSeeds, "under how many seeds right adapters in this process are tried")
	f.Var(&flags.scale, "timeout", "multiply every time budget by this number")
	f.BoolVar(&flags.full, "full", false, "try every check on every mutant, and not only the one that must catch it")
	f.BoolVar(&flags.json, "json", false, "print the matrix as JSON, schema "+mutants.Schema)
	complete(cmd, "profile", func() []string { return profileNames(mutants.Profiles()) })
	return cmd
}

// tryMutants runs and says what came of it.
func (sys system) tryMutants(o mutants.Options, asJSON bool) error {
	ctx, _, stop := interrupts()
	defer stop()
	fmt.Fprintf(sys.stderr, "seed %d\n", o.Seed)
	var close func()
	o.Progress, close = sys.count()
	try := sys.mutants
	if try == nil {
		try = mutants.Run
	}
	m, err := try(ctx, o)
	close()
	if errors.Is(err, context.Canceled) {
		sys.complain("interrupted: there is no matrix")
		return exitCode(exitInconclusive)
	}
	if err != nil {
		return err
	}
	if asJSON {
		out, err := mutants.Marshal(m)
		if err != nil {
			return err
		}
		if _, err := sys.stdout.Write(out); err != nil {
			return err
		}
	} else if err := tellMatrix(sys.stdout, m); err != nil {
		return err
	}
	if !m.Conforms() {
		return exitCode(exitFails)
	}
	return nil
}

// count is a progress bar on a terminal, and nothing elsewhere.
func (sys system) count() (progress func(done, total int), close func()) {
	if !terminal(sys.stderr) {
		return nil, func() {}
	}
	var b *progressbar.ProgressBar
	progress = func(done, total int) {
		if b == nil {
			b = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(sys.stderr),
				progressbar.OptionSetWidth(24),
				progressbar.OptionShowCount(),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionSetPredictTime(false),
				progressbar.OptionSetElapsedTime(false),
				progressbar.OptionClearOnFinish(),
			)
		}
		_ = b.Set(done)
	}
	return progress, func() {
		if b != nil {
			_ = b.Clear()
		}
	}
}

// tellMatrix writes the matrix for a reader: counts, and by name what is wrong.
func tellMatrix(to io.Writer, m mutants.Matrix) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, p := range mutants.Profiles() {
		tellCounts(w, m, p)
	}
	section := func(title string, n int) bool {
		if n > 0 {
			fmt.Fprintf(w, "\n%s\n", title)
		}
		return n > 0
	}
	if section("survived: the check did not fail", len(m.Survivors)) {
		tellKills(w, m, m.Survivors)
	}
	if section("caught by a wrong code", len(m.WrongCode)) {
		tellKills(w, m, m.WrongCode)
	}
	if section("checks that catch none of their mutants", len(m.Unexercised)) {
		for _, id := range m.Unexercised {
			fmt.Fprintf(w, "  %s\n", id)
		}
	}
	if section("right adapters that were accused", len(m.Accused)) {
		for _, a := range m.Accused {
			fmt.Fprintf(w, "  %s\t%s\t%s\tunder seed %d\n", a.ID, a.Check, said(a.State, a.Codes), a.Seed)
		}
	}
	if m.Full {
		tellCatches(w, m)
	}
	return w.Flush()
}

// tellCounts writes two lines about a profile, if there is something of it.
func tellCounts(w io.Writer, m mutants.Matrix, p report.Profile) {
	tried, killed, accused, seeds := 0, 0, map[report.Name]bool{}, 0
	for _, k := range m.Mutants {
		if k.Profile == p {
			tried++
			if k.Killed {
				killed++
			}
		}
	}
	if tried == 0 {
		return
	}
	right := 0
	for _, t := range m.Right {
		if t.Profile == p {
			right++
			seeds = max(seeds, t.Seeds)
		}
	}
	for _, a := range m.Accused {
		if a.Profile == p {
			accused[a.ID] = true
		}
	}
	checks, idle := conformance.Checks(p), 0
	for _, ch := range checks {
		if slices.Contains(m.Unexercised, report.Name(ch.ID)) {
			idle++
		}
	}
	fmt.Fprintf(w, "%s: %d of %d mutants killed, %d of %d checks exercised, %d of %d right adapters accused, %s\n",
		p, killed, tried, len(checks)-idle, len(checks), len(accused), right, plural(seeds, "seed"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tellKills says of each of the mutants what its check said.
func tellKills(w io.Writer, m mutants.Matrix, ids []report.Name) {
	for _, k := range m.Mutants {
		if slices.Contains(ids, k.ID) {
			fmt.Fprintf(w, "  %s\t%s\t%s\twant %s\tunder seed %d\n", k.ID, k.Check, said(k.State, k.Codes), k.Code, k.Seed)
		}
	}
}

// said is what a check said.
func said(state report.State, codes []report.Name) string {
	if len(codes) == 0 {
		return string(state)
	}
	return string(state) + " " + join(codes, ", ")
}

// tellCatches says of each check how many mutants it must catch, and how many it
// catches of all.
func tellCatches(w io.Writer, m mutants.Matrix) {
	must, all := map[report.Name]int{}, map[report.Name]int{}
	for _, k := range m.Mutants {
		must[k.Check]++
		if k.State == report.Failed {
			all[k.Check]++
		}
		for _, c := range k.Also {
			all[c.Check]++
		}
	}
	fmt.Fprintf(w, "\ncheck\tmust catch\tcatches\n")
	for _, ch := range conformance.Catalog(mutants.Profiles()...).Checks {
		if must[ch.ID]+all[ch.ID] > 0 {
			fmt.Fprintf(w, "%s\t%d\t%d\n", ch.ID, must[ch.ID], all[ch.ID])
		}
	}
}
