package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

func (sys system) scriptDriftCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "drift OLD NEW",
		Short: "Compare what two scripts of fake provider look like",
		Long: `Compare two scripts of fake provider, or two recordings, or one of each, by their shape:
for which requests the answers are, the kinds and the order of their events, and which
fields these have. What is said does not count, nor in how many pieces. Each difference
is a line, with its place in NEW, or in OLD for what is gone.

Exit codes: 0 the same, 1 a difference, 2 a mistake or a file that cannot be read.`,
		Example: `  adaptercheck script drift recorded-in-may.yaml recorded-today.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("script drift needs two files: OLD and NEW")
			}
			return nil
		},
		ValidArgsFunction: scriptFiles,
		RunE: func(_ *cobra.Command, paths []string) error {
			var sides [2]provider.Options
			wrong := false
			for i, path := range paths {
				var err error
				if sides[i], err = provider.Open(path); err != nil {
					wrong = true
					sys.complainOfScript(err)
				}
			}
			if wrong {
				return exitCode(exitUsage)
			}
			found := provider.Drift(sides[0], sides[1])
			for _, d := range found {
				fmt.Fprintln(sys.stdout, oneLine(d.String()))
			}
			if len(found) > 0 {
				return exitCode(exitFails)
			}
			return nil
		},
	}
}
