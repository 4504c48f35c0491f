package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/mutants"
	"github.com/adaptercheck/adaptercheck/mutants/rawmutants"
)

// The exit codes.
const (
	exitGood         = 0
	exitFails        = 1
	exitUsage        = 2
	exitInconclusive = 3
)

// system is what the program knows and where it talks to.
type system struct {
	subjects func() []check.Subject
	fakes    []processFake
	// mutants tries them; nil is mutants.Run.
	mutants func(context.Context, mutants.Options) (mutants.Matrix, error)
	// grace of workers that are told to stop; 0 is the default of supervise.
	grace  time.Duration
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// run is the whole program: it plays a fake where the process was started to be
// one, else it does what the arguments say. It returns the exit code.
func run(args []string, sys system) int {
	players := []fakes.Player{rawmutants.Player()}
	for _, f := range sys.fakes {
		players = append(players, f.player)
	}
	if played, code := fakes.PlayChild(players...); played {
		return code
	}
	root := sys.root()
	root.SetArgs(args)
	root.SetIn(sys.stdin)
	root.SetOut(sys.stdout)
	root.SetErr(sys.stderr)
	root.InitDefaultCompletionCmd(args...)
	strict(root)
	err := root.Execute()
	if err == nil {
		return exitGood
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	sys.complain("%v", err)
	return exitUsage
}

// exitCode ends the program without a further word. Every other error of a command
// is one line on stderr and exit code 2.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// code is the error for an exit code, nil for 0.
func code(c int) error {
	if c == exitGood {
		return nil
	}
	return exitCode(c)
}

// complain writes one line to stderr.
func (sys system) complain(format string, args ...any) {
	fmt.Fprintln(sys.stderr, "adaptercheck: "+oneLine(fmt.Sprintf(format, args...)))
}

// oneLine makes one line of a text that may come from a subject: nothing in it
// controls the terminal.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// root builds the command tree.
func (sys system) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "adaptercheck",
		Short: "Judge whether an agent-runtime adapter keeps its contract",
		Long: `adaptercheck judges whether an adapter of an agent runtime keeps its contract, by
behaviour that it observed. What was not observed is never a pass.

Exit codes: 0 conforms, 1 fails, 2 usage or configuration error, 3 inconclusive.`,
		Example: `  adaptercheck init --node && adaptercheck run
  adaptercheck run -- ./my-adapter
  adaptercheck run memory --profile executor --report report.md
  adaptercheck list --check 'executor.events.*'
  adaptercheck explain executor.events.seq-increasing`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(sys.runCommand(), sys.listCommand(), sys.explainCommand(), sys.describeCommand(),
		sys.fakeCommand(), sys.serveCommand(), sys.mutantsCommand(), sys.baselineCommand(), sys.bridgeCommand(), sys.initCommand(),
		sys.doctorCommand(), sys.debugCommand(), sys.propertyCommand(), sys.replayCommand(), sys.diffCommand(), sys.mergeCommand(),
		sys.scriptCommand(), sys.versionCommand(), sys.workerCommand())
	root.SetHelpCommand(helpCommand())
	return root
}

// strict makes every command of the tree answer bad input with one line.
func strict(cmd *cobra.Command) {
	cmd.SilenceErrors, cmd.SilenceUsage, cmd.DisableSuggestions = true, true, true
	cmd.SetFlagErrorFunc(flagError)
	if cmd.HasSubCommands() {
		cmd.Args = subcommandOnly
		if cmd.RunE == nil {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	for _, sub := range cmd.Commands() {
		strict(sub)
	}
}

// subcommandOnly refuses arguments that name no command.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknown("command", args[0], commandNames(cmd))
}

// exactly asks for one argument.
func exactly(name, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s needs one %s: %s", cmd.Name(), name, what)
		}
		return nil
	}
}

// nothing asks for no argument.
func nothing(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument, but there is %q", cmd.Name(), args[0])
	}
	return nil
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// helpCommand is cobra's own, but strict.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return commandNames(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.Root()
			for _, name := range args {
				next := at
				for _, sub := range at.Commands() {
					if sub.Name() == name {
						next = sub
					}
				}
				if next == at {
					return unknown("command", name, commandNames(at))
				}
				at = next
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}
