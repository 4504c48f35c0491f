package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/merge"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/conformance/report/render"
)

func (sys system) mergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge REPORT.json...",
		Short: "Put the reports of shards together",
		Long: `Put the reports of shards together and print the report of the whole as JSON: that of
the run without shards, with --reproducible, if all of them are there and have one seed.

Exit codes are those of a run.`,
		Example: `  adaptercheck run --shard 1/2 --seed 7 --reproducible --report s1.json
  adaptercheck run --shard 2/2 --seed 7 --reproducible --report s2.json
  adaptercheck merge s1.json s2.json > report.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("merge needs reports: what adaptercheck run --shard --report wrote")
			}
			var shards []report.Report
			for _, path := range args {
				r, err := readReport(path)
				if err != nil {
					return err
				}
				shards = append(shards, r)
			}
			whole, err := merge.Reports(conformance.Checks, shards...)
			if err != nil {
				return fmt.Errorf("merge: %w", err)
			}
			if err := render.JSON(sys.stdout, whole); err != nil {
				return err
			}
			return code(whole.ExitCode())
		},
	}
}
