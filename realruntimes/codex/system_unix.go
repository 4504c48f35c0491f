//go:build unix

package codex

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// What is done to a program from outside.
const (
	killed    = syscall.SIGKILL
	suspended = syscall.SIGSTOP
)

func kill(pid int, s syscall.Signal) error { return os.NewSyscallError("kill", syscall.Kill(pid, s)) }

func makePipe(path string) error { return os.NewSyscallError("mkfifo", syscall.Mkfifo(path, 0o600)) }

// release lets whoever waits at the pipe read an end.
func release(path string) {
	if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
	}
}

// pace is how often it is tried to write to somebody who is still on the way.
const pace = 2 * time.Millisecond

// feed writes the text into the pipe, as soon as somebody waits there.
func feed(ctx context.Context, path, text string) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	for errors.Is(err, syscall.ENXIO) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		f, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
