package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

// become runs a program with the streams of this one, and ends as it does.
func become(ctx context.Context, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return code(exit.ExitCode())
	}
	return err
}
