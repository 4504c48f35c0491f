package main

import (
	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/supervise"
)

// workerCommand is the child of run, see the package supervise. It is for no one
// else.
func (sys system) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run one subject for another process of this program",
		Hidden: true,
		Args:   nothing,
		RunE: func(*cobra.Command, []string) error {
			out, err := supervise.TakeStdout()
			if err != nil {
				return err
			}
			return supervise.Worker{Find: sys.subject, Fakes: sys.runtimes()}.Work(sys.stdin, out)
		},
	}
}
