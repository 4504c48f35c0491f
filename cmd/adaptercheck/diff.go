package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/report/compare"
)

// diffFlags say how a difference is shown, and which kinds of changes fail.
type diffFlags struct {
	format string
	failOn []string
}

// diffFormats are the ways to show a difference, by name.
var diffFormats = map[string]func(io.Writer, compare.Difference) error{
	"text": compare.Text, "markdown": compare.Markdown, "json": compare.JSON,
}

func (sys system) diffCommand() *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:   "diff OLD.json NEW.json",
		Short: "Say what changed between two reports",
		Long: `Say what changed between two reports of the same subjects by the same suite: what
fails now and did not, what still fails, what was fixed, where there is no judgement,
and what was judged in one of them alone.

It exits with 0, or with 1 if there is a change of a kind that --fail-on names.`,
		Example: `  adaptercheck diff main.json mine.json --fail-on regression
  adaptercheck diff main.json mine.json --format markdown > comment.md`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("diff needs two reports, OLD.json and NEW.json: what adaptercheck run --report wrote")
			}
			return sys.diff(args[0], args[1], flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.format, "format", "text", "show it as `FORMAT`: "+strings.Join(diffFormatNames(), ", "))
	f.StringSliceVar(&flags.failOn, "fail-on", nil, "exit with 1 if there is a change of this `KIND`: "+strings.Join(kindNames(), ", ")+"; may be repeated")
	complete(cmd, "format", diffFormatNames)
	complete(cmd, "fail-on", kindNames)
	return cmd
}

func diffFormatNames() []string { return []string{"text", "markdown", "json"} }

func kindNames() []string {
	var names []string
	for _, k := range compare.Kinds() {
		names = append(names, string(k))
	}
	return names
}

func (sys system) diff(old, now string, flags diffFlags) error {
	write, ok := diffFormats[flags.format]
	if !ok {
		return fmt.Errorf("flag --format: %w", unknown("format", flags.format, diffFormatNames()))
	}
	var failing []compare.Kind
	for _, word := range flags.failOn {
		if !slices.Contains(kindNames(), word) {
			return fmt.Errorf("flag --fail-on: %w", unknown("kind of change", word, kindNames()))
		}
		failing = append(failing, compare.Kind(word))
	}
	before, err := readReport(old)
	if err != nil {
		return err
	}
	after, err := readReport(now)
	if err != nil {
		return err
	}
	d, err := compare.Reports(before, after)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", old, now, err)
	}
	if err := write(sys.stdout, d); err != nil {
		return err
	}
	if d.Has(failing...) {
		return code(exitFails)
	}
	return nil
}

// readReport reads a report of a file, which errors name.
func readReport(path string) (report.Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return report.Report{}, err
	}
	r, err := report.Unmarshal(data)
	if e, ok := errors.AsType[*report.FieldError](err); ok {
		e.Document = path
	}
	return r, err
}
