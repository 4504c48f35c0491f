package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/property"
)

func (sys system) replayCommand() *cobra.Command {
	var flags propertyFlags
	cmd := &cobra.Command{
		Use:   "replay (TOKEN | FILE) (SUBJECT | -- COMMAND ARGS...)",
		Short: "Try an input again that broke a law",
		Long: `Try again what adaptercheck property has found: by the token that it printed, which
looks for the input anew, or by the file that its --save wrote, which holds it.

Exit codes are those of a run: 1 when the law is still broken.`,
		Example: `  adaptercheck replay conversations.must.7.100.5d0c3a41 my-adapter
  adaptercheck replay broken.json -- ./my-adapter`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
				return errors.New("replay needs one TOKEN or FILE, see adaptercheck property")
			}
			law, again, err := flags.recall(args[0])
			if err != nil {
				return err
			}
			if flags.mutant != "" {
				found, err := sys.lawful(cmd, args[1:], &flags)
				if err != nil {
					return err
				}
				return sys.replay(law, again, found[len(found)-1], flags)
			}
			t, err := sys.one(cmd, args, 1, flags.files, &flags.process)
			if err != nil {
				return err
			}
			return sys.replay(law, again, t, flags)
		},
	}
	flags.files.add(cmd)
	flags.process.add(cmd, sys)
	f := cmd.Flags()
	f.Var(&flags.scale, "timeout", "multiply every time budget by this number")
	f.StringVar(&flags.mutant, "mutant", "", "try it on this wrong adapter, by its `ID` in adaptercheck mutants")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print what was noted about a failure; that may quote what the subject said")
	return cmd
}

// attempt is one way to try an input again.
type attempt func(context.Context, check.Subject, property.Options) (property.Result, error)

// recall reads a token or a file.
func (f *propertyFlags) recall(word string) (property.Law, attempt, error) {
	if law, rest, found := strings.Cut(word, "."); found && strings.Count(rest, ".") == 3 {
		if l, known := property.Find(law); known {
			if err := f.read(l, rest); err != nil {
				return l, nil, fmt.Errorf("token %s: %w", word, err)
			}
			return l, l.Look, nil
		}
	}
	data, err := os.ReadFile(word)
	if err != nil {
		return property.Law{}, nil, fmt.Errorf("%w: and it is no token, which begins with one of %s", err, strings.Join(lawNames(), ", "))
	}
	var file lawFile
	if err := json.Unmarshal(data, &file, json.RejectUnknownMembers(true)); err != nil {
		return property.Law{}, nil, fmt.Errorf("%s: %w", word, err)
	}
	if file.Schema != lawSchema {
		return property.Law{}, nil, fmt.Errorf("%s: schema %q, want %q", word, file.Schema, lawSchema)
	}
	l, known := property.Find(file.Law)
	if !known {
		return l, nil, fmt.Errorf("%s: %w", word, unknown("law", file.Law, lawNames()))
	}
	f.should, f.seed = file.Should, seedFlag{1, true}
	return l, func(ctx context.Context, s check.Subject, o property.Options) (property.Result, error) {
		r, err := l.Again(ctx, s, o, file.Input)
		if err != nil {
			err = fmt.Errorf("%s: %w", word, err)
		}
		return r, err
	}, nil
}

// read takes level, seed, cases and suite from a token.
func (f *propertyFlags) read(l property.Law, rest string) error {
	parts := strings.Split(rest, ".")
	switch parts[0] {
	case "must", "should":
		f.should = parts[0] == "should"
	default:
		return fmt.Errorf("level %q, want must or should", parts[0])
	}
	seed, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil || seed == 0 {
		return fmt.Errorf("seed %q, want a whole number from 1 up", parts[1])
	}
	cases, err := strconv.Atoi(parts[2])
	if err != nil || cases < 1 {
		return fmt.Errorf("%q inputs, want a whole number from 1 up", parts[2])
	}
	if mark := suiteMark(l.Profile()); parts[3] != mark {
		return fmt.Errorf("it is of the suite %s, and this is %s: take the program that printed it, or the file", parts[3], mark)
	}
	f.seed, f.cases = seedFlag{seed, true}, cases
	return nil
}

// replay tries an input on one subject.
func (sys system) replay(l property.Law, again attempt, t target, flags propertyFlags) error {
	if err := rapidly(); err != nil {
		return err
	}
	ctx, _, stop := interrupts()
	defer stop()
	s, p, err := sys.start(ctx, t, nil)
	if err != nil {
		return err
	}
	if p != nil {
		defer p.Close(context.Background())
	}
	if !l.Fits(s) {
		return fmt.Errorf("subject %s does not fit the law %s, of the profile %s", s.Name, l.Name(), l.Profile())
	}
	r, err := again(ctx, s, flags.options(s))
	switch {
	case ctx.Err() != nil:
		sys.complain("interrupted")
		return code(exitInconclusive)
	case err != nil:
		return err
	case r.Failure == nil:
		fmt.Fprintf(sys.stdout, "%s: %s: the law is kept\n", s.Name, l.Name())
		return nil
	}
	tellFailure(sys.stdout, s.Name, l, *r.Failure, flags.verbose)
	return code(exitFails)
}

// tellFailure says how a law was broken, and by what.
func tellFailure(w io.Writer, subject string, l property.Law, f property.Failure, verbose bool) {
	var codes []string
	for _, c := range f.Codes {
		codes = append(codes, string(c))
	}
	fmt.Fprintf(w, "%s: %s: broken: %s\n", subject, l.Name(), strings.Join(codes, ", "))
	if f.Seen != "" {
		fmt.Fprintf(w, "  %s\n", f.Seen)
	}
	fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(f.Text, "\n", "\n  "))
	if verbose {
		for _, d := range f.Details {
			fmt.Fprintf(w, "  %s\n", printable(d))
		}
	}
}
