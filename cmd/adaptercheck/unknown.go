package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adaptercheck/adaptercheck/internal/nearest"
)

// unknown is the error for a word that is none of those known. It names the nearest
// of them, or lists them if they are few.
func unknown(what, word string, known []string) error {
	if near := nearest.Word(word, known); near != "" {
		return fmt.Errorf("unknown %s %q, did you mean %q?", what, word, near)
	}
	if len(known) <= 12 {
		return fmt.Errorf("unknown %s %q, known are %s", what, word, strings.Join(known, ", "))
	}
	return fmt.Errorf("unknown %s %q", what, word)
}

// flagError says what is wrong with a flag in one line, and names the nearest flag
// for one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return fmt.Errorf("flag --%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		return fmt.Errorf("unknown flag %q", "-"+missing.GetSpecifiedName())
	case !errors.As(err, &missing):
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	return unknown("flag", "--"+missing.GetSpecifiedName(), known)
}
