//go:build !windows

package main

import (
	"context"
	"os"
	"syscall"
)

// become puts a program in the place of this one, so that nothing stands between the
// two ends of a pipe. It returns only if that is not possible.
func become(_ context.Context, argv []string) error {
	return &os.PathError{Op: "exec", Path: argv[0], Err: syscall.Exec(argv[0], argv, os.Environ())}
}
