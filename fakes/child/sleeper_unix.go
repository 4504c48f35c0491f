//go:build unix

package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// loneSleep bounds the life of a descendant that no puppet watches.
const loneSleep = time.Minute

// readyFile is the descriptor on which a descendant says that it is up.
const readyFile = 3

// launchSleeper starts a descendant that does nothing: this binary again, as a
// sleeper. It returns when the sleeper is up and known to the puppet. It has held
// open, if that is not nil, and no pipe else, as the tools of a runtime.
func launchSleeper(name string, env []string, ownSession bool, held *os.File) (*os.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start a descendant: %w", err)
	}
	ready, up, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a descendant: %w", err)
	}
	defer ready.Close()
	cmd := exec.Command(self, "sleep")
	cmd.Env = append(append([]string(nil), env...), fakes.EnvFake+"="+name, envRole+"="+string(roleSleeper), "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: ownSession}
	cmd.ExtraFiles = []*os.File{up}
	if held != nil {
		cmd.Stdout = held
	}
	if err = errors.Join(cmd.Start(), up.Close()); err != nil {
		return nil, fmt.Errorf("start a descendant: %w", err)
	}
	line, err := bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill() // it never came up
		_ = cmd.Wait()
		return nil, fmt.Errorf("start a descendant: it said %q: %w", line, err)
	}
	go func() { _ = cmd.Wait() }() // reaped while this process lives; its end is nobody's concern
	return cmd.Process, nil
}

// sleep is the life of a descendant: it ends with the connection to the puppet, or
// by a signal.
func sleep(ctx context.Context, p fakes.Play) int {
	ready := os.NewFile(readyFile, "ready")
	if ready == nil {
		fmt.Fprintln(p.Stderr, "adaptercheck: a descendant of a fake is started by the fake")
		return exitUnheard
	}
	up := func() {
		fmt.Fprintln(ready, "ready")
		ready.Close()
	}
	if p.Getenv(envSocket) == "" {
		up()
		timer := time.NewTimer(loneSleep)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return 0
	}
	link, _, err := connect(ctx, p, roleSleeper)
	if err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: %v\n", err)
		return exitUnheard
	}
	defer link.conn.Close()
	up()
	_, _ = io.Copy(io.Discard, link.conn) // until the puppet is gone
	return 0
}
