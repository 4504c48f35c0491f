package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/baseline"
)

func (sys system) baselineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Keep known failures from failing a run, for a while",
		Long: `Keep known failures from failing a run, for a while.

A file of known failures binds each code of a failing check to an issue and a day.
A run fails when an entry of it does not hold: its check passes, fails without its
code or cannot be observed, it matches nothing, or its day is over.`,
	}
	cmd.AddCommand(sys.proposeCommand())
	return cmd
}

// proposeFlags say what new entries get, and where the file goes.
type proposeFlags struct {
	files   projectFlags
	issue   issueFlag
	expires dateFlag
	out     string
}

func (sys system) proposeCommand() *cobra.Command {
	var flags proposeFlags
	cmd := &cobra.Command{
		Use:   "propose REPORT.json",
		Short: "Print the smallest file of known failures for a report",
		Long: `Print the smallest file of known failures with which the run of a report would not
fail: one entry for each code of a MUST that failed. Entries of the present file keep
their issue and their day, until that is over. The report of a partial run is refused,
and of one that broke the subject protocol, which no entry makes good.`,
		Example: `  adaptercheck run --report report.json
  adaptercheck baseline propose report.json --issue https://example.org/7 --expires 2027-03-31 --out known-failures.yaml
  adaptercheck run --baseline known-failures.yaml`,
		Args: exactly("REPORT.json", "what adaptercheck run --report wrote"),
		RunE: func(_ *cobra.Command, args []string) error { return sys.propose(args[0], flags) },
	}
	flags.files.add(cmd)
	flags.files.addBaseline(cmd)
	f := cmd.Flags()
	f.Var(&flags.issue, "issue", "where new failures are followed: a link, or the issue's name")
	f.Var(&flags.expires, "expires", "the last day on which new entries hold, as 2027-03-31")
	f.StringVar(&flags.out, "out", "", "write to `FILE`, which must not be there, and not to stdout")
	return cmd
}

func (sys system) propose(path string, flags proposeFlags) error {
	p, err := sys.project(flags.files)
	if err != nil {
		return err
	}
	r, err := readReport(path)
	if err != nil {
		return err
	}
	entries, err := baseline.Propose(r, p.baseline, baseline.Binding{Issue: string(flags.issue), Expires: time.Time(flags.expires)}, time.Now())
	switch {
	case errors.Is(err, baseline.ErrPartial):
		return fmt.Errorf("%s: %w: only a whole run says what fails", path, err)
	case errors.Is(err, baseline.ErrUnbound):
		return fmt.Errorf("%w: give them with --issue and --expires", err)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	text, err := baseline.Marshal(entries)
	if err != nil {
		return err
	}
	if flags.out != "" {
		return create(flags.out, text)
	}
	_, err = sys.stdout.Write(text)
	return err
}

// issueFlag is the value of --issue; empty is not given.
type issueFlag string

func (i *issueFlag) String() string { return string(*i) }
func (i *issueFlag) Type() string   { return "ISSUE" }

func (i *issueFlag) Set(s string) error {
	if !baseline.ValidIssue(s) {
		return errors.New("want one line: a link to an issue, or its name")
	}
	*i = issueFlag(s)
	return nil
}

// dateFlag is the value of --expires; the zero value is not given.
type dateFlag time.Time

func (d *dateFlag) String() string {
	if time.Time(*d).IsZero() {
		return ""
	}
	return time.Time(*d).Format(time.DateOnly)
}
func (d *dateFlag) Type() string { return "DATE" }

func (d *dateFlag) Set(s string) error {
	day, err := baseline.ParseDate(s)
	if err != nil {
		return fmt.Errorf("%q is no date, as 2027-03-31", s)
	}
	*d = dateFlag(day)
	return nil
}
