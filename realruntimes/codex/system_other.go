//go:build !unix

package codex

import (
	"context"
	"errors"
	"syscall"
)

const (
	killed    = syscall.SIGKILL
	suspended = syscall.SIGKILL
)

func kill(int, syscall.Signal) error { return errors.ErrUnsupported }

func makePipe(string) error { return errors.ErrUnsupported }

func release(string) {}

func feed(context.Context, string, string) error { return errors.ErrUnsupported }
