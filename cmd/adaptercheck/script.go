package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

func (sys system) scriptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "script",
		Short: "Check, format and compare the scripts that fakes play",
		Long: `Check and format the scripts that fakes play, and cases: YAML files of the schema
` + script.Schema + `, or txtar archives that hold one beside the bytes it names. The files of
rules of fake provider, schema ` + provider.Schema + `, are checked and formatted too.`,
	}
	cmd.AddCommand(sys.scriptCheckCommand(), sys.scriptFmtCommand(), sys.scriptDriftCommand())
	return cmd
}

func (sys system) scriptCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Tell every mistake in scripts, a line each",
		Long: `Tell every mistake in scripts, a line each: FILE:LINE:COLUMN: what is wrong and what
was expected. Nothing is said of a script that is right.

Exit codes: 0 no mistake, 2 a mistake or a file that cannot be read.`,
		Example:           `  adaptercheck script check fixtures/scripts/*.yaml`,
		Args:              someFiles,
		ValidArgsFunction: scriptFiles,
		RunE: func(_ *cobra.Command, paths []string) error {
			return sys.readScripts(paths, func(s script.Source) error {
				if provider.IsRules(s) {
					return provider.Check(s)
				}
				_, err := s.Case()
				return err
			})
		},
	}
}

func (sys system) scriptFmtCommand() *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "fmt [-w] FILE...",
		Short: "Print scripts in their one canonical form",
		Long: `Print scripts in their one canonical form: a step a line, fields in the order of the
language. Comments stay. A script with a mistake is not formatted, and then no file is
written.

Exit codes: 0 formatted, 2 a mistake or a file that cannot be read or written.`,
		Example:           `  adaptercheck script fmt -w fixtures/scripts/*.yaml`,
		Args:              someFiles,
		ValidArgsFunction: scriptFiles,
		RunE: func(_ *cobra.Command, paths []string) error {
			var texts [][]byte
			err := sys.readScripts(paths, func(s script.Source) error {
				format := s.Format
				if provider.IsRules(s) {
					format = func() ([]byte, error) { return provider.Format(s) }
				}
				text, err := format()
				texts = append(texts, text)
				return err
			})
			if err != nil {
				return err
			}
			for i, path := range paths {
				if write {
					err = rewrite(path, texts[i])
				} else {
					_, err = sys.stdout.Write(texts[i])
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the files instead, those that change")
	return cmd
}

// readScripts reads files and does something with each. It says all that is wrong with
// them, before anything follows from it.
func (sys system) readScripts(paths []string, do func(script.Source) error) error {
	wrong := false
	for _, path := range paths {
		s, err := script.Open(path)
		if err == nil {
			err = do(s)
		}
		if err != nil {
			wrong = true
			sys.complainOfScript(err)
		}
	}
	if wrong {
		return exitCode(exitUsage)
	}
	return nil
}

// complainOfScript writes mistakes as lines that begin with their place, for editors.
func (sys system) complainOfScript(err error) {
	var all script.Errors
	var one *script.Error
	switch {
	case errors.As(err, &all):
		for _, e := range all {
			fmt.Fprintln(sys.stderr, oneLine(e.Error()))
		}
	case errors.As(err, &one):
		fmt.Fprintln(sys.stderr, oneLine(one.Error()))
	default:
		sys.complain("%v", err)
	}
}

// rewrite gives a file of the user, who asked for it, another text: whole or not at
// all, with the permissions it has. The file that a link leads to is meant.
func rewrite(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%q is no regular file, and is not written", path)
	}
	before, err := os.ReadFile(path)
	if err != nil || string(before) == string(text) {
		return err
	}
	if err := replace(path, text); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return os.Chmod(path, info.Mode()&fs.ModePerm)
}

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("script %s needs one FILE or more", cmd.Name())
	}
	return nil
}

func scriptFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "txtar"}, cobra.ShellCompDirectiveFilterFileExt
}
