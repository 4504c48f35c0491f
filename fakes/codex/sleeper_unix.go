//go:build unix

package codex

import (
	"bufio"
	"context"
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

// launchSleeper starts a descendant that does nothing: this binary again, as a
// sleeper. It returns when the sleeper is up and known to the puppet. It inherits
// no pipe, as the tools of the CLI do not.
func launchSleeper(env []string, ownSession bool) (*os.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start a descendant: %w", err)
	}
	cmd := exec.Command(self, "sleep")
	cmd.Env = append(append([]string(nil), env...), fakes.EnvFake+"="+Name, envRole+"="+string(roleSleeper), "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: ownSession}
	ready, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
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

// startSleeper is launchSleeper for a fake without a puppet.
func startSleeper(env []string, ownSession bool) error {
	_, err := launchSleeper(env, ownSession)
	return err
}

// sleep is the life of a descendant: it ends with the connection to the puppet, or
// by a signal.
func sleep(ctx context.Context, p fakes.Play) int {
	up := func() {
		fmt.Fprintln(p.Stdout, "ready")
		if c, ok := p.Stdout.(io.Closer); ok {
			c.Close()
		}
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
	conn, _, _, err := connect(ctx, p, roleSleeper)
	if err != nil {
		fmt.Fprintf(p.Stderr, "adaptercheck: fake codex: %v\n", err)
		return exitUnheard
	}
	defer conn.Close()
	up()
	_, _ = io.Copy(io.Discard, conn) // until the puppet is gone
	return 0
}
