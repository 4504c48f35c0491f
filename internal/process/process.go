// Package process runs a child process and ends it with everything it started.
//
// A child is started from an argument vector, never through a shell, as the leader
// of a process group of its own, with an environment that the caller spells out
// (see [Environ]). Its stderr is drained always, so that it can never block on it;
// the end of it is kept. It is reaped always, whether or not anybody waits.
//
//	child, err := process.Start(process.Options{Command: argv, Env: env})
//	if err != nil {
//		return err
//	}
//	// read child.Stdout() to its end
//	err = child.Stop(ctx, process.Step{Signal: syscall.SIGTERM, Grace: time.Second})
//
// Tools that an agent runtime starts often sit in sessions of their own, where no
// signal to a group reaches them. They are found by a walk of the process table
// from parent to child, noted before each signal, and ended with the child. What
// left the tree before it was noted is out of reach.
//
// The package imports the standard library and golang.org/x/sys. On Windows it
// compiles, and ends the child alone.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// killWait bounds how long a killed child may take to be gone.
	killWait = 5 * time.Second
	// stdinWait bounds how long the copy to stdin may go on after the exit.
	stdinWait = 100 * time.Millisecond
	// defaultTail is how much of stderr is kept where Options sets no bound.
	defaultTail = 64 << 10
)

// Options describes a child. Command is required; the zero value of the rest is
// right for a child that is only read from.
type Options struct {
	// Command is the argument vector. A name without a slash is looked up in the
	// PATH of this process.
	Command []string
	// Dir is the working directory; empty is that of this process.
	Dir string
	// Env is the whole environment, name=value each. Nil is an empty environment,
	// not that of this process.
	Env []string
	// Stdin is what the child reads. Nil is the null device: the child sees the end
	// at once. It should not block for long: a copy still running when the child
	// has exited is given up.
	Stdin io.Reader
	// Interactive keeps the child's stdin open for the caller, see
	// [Process.Stdin]. Stdin must be nil then.
	Interactive bool
	// TailBytes is how much of the end of stderr is kept; 0 means 64 KiB.
	TailBytes int
}

// Step is one rung of the ladder that [Process.Stop] climbs.
type Step struct {
	// Signal is sent to the child's group.
	Signal syscall.Signal
	// Grace is how long the child then has to exit before the next rung.
	Grace time.Duration
}

// Exit says how a child ended.
type Exit struct {
	// Code is the exit code, or -1 if the child died by a signal.
	Code int
	// Signal is the name of the signal the child died by, such as SIGKILL; empty if
	// it exited.
	Signal string
}

// Success reports whether the child exited with code 0.
func (e Exit) Success() bool { return e == Exit{} }

// String names the code or the signal.
func (e Exit) String() string {
	if e.Signal != "" {
		return "signal " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Process is a started child. Its methods may be called from several goroutines.
type Process struct {
	cmd    *exec.Cmd
	pid    int
	stdin  *os.File // nil unless the child is interactive
	stdout *pipe
	stderr *tail
	done   chan struct{}
	exit   Exit // valid once done is closed

	mu     sync.Mutex
	reaped bool // the pid is no longer ours to signal
	noted  tree
}

// Start starts the child. A child that cannot be started is one error, names the
// command without its directories, and leaves nothing behind; it wraps
// exec.ErrNotFound or an fs error where there is one.
func Start(o Options) (*Process, error) {
	if len(o.Command) == 0 || o.Command[0] == "" {
		return nil, errors.New("start process: the command is empty")
	}
	name := filepath.Base(o.Command[0])
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Dir = o.Dir
	cmd.Env = append([]string{}, o.Env...)
	cmd.Stdin = o.Stdin
	cmd.WaitDelay = stdinWait
	setGroup(cmd)

	ends, err := openPipes(o.Interactive)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	stdout, stderr := ends.stdout, ends.stderr
	cmd.Stdout, cmd.Stderr = ends.child[0], ends.child[1]
	if o.Interactive {
		cmd.Stdin = ends.child[2]
	}
	err = cmd.Start()
	ends.closeChild()
	if err != nil {
		ends.closeOurs()
		return nil, fmt.Errorf("start %s: %w", name, reason(err, o.Dir))
	}

	limit := o.TailBytes
	if limit <= 0 {
		limit = defaultTail
	}
	p := &Process{
		cmd:    cmd,
		pid:    cmd.Process.Pid,
		stdin:  ends.stdin,
		stdout: stdout,
		stderr: &tail{limit: limit},
		done:   make(chan struct{}),
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		defer stderr.Close()
		_, _ = io.Copy(p.stderr, stderr)
	}()
	go func() {
		defer close(p.done)
		p.reap()
		if p.stdin != nil {
			p.stdin.Close() // a Write that waits ends
		}
		stdout.expire()
		stderr.expire()
		<-drained
	}()
	return p, nil
}

// reason takes the path out of a start error: what is left says why.
func reason(err error, dir string) error {
	if dir != "" {
		// The system gives one error for a missing program and a missing directory.
		if _, bad := os.Stat(dir); bad != nil {
			return fmt.Errorf("working directory: %w", reason(bad, ""))
		}
	}
	var lookup *exec.Error
	var path *os.PathError
	switch {
	case errors.As(err, &lookup):
		return lookup.Err
	case errors.As(err, &path):
		return path.Err
	}
	return err
}

// reap waits for the child's exit, ends what it left behind, and records how it
// ended.
func (p *Process) reap() {
	if waitUnreaped(p.pid) {
		// The pid is still taken, so that the group cannot be anybody else's.
		p.mu.Lock()
		p.killTree()
		_ = p.cmd.Wait()
		p.reaped = true
		p.mu.Unlock()
	} else {
		_ = p.cmd.Wait()
		p.mu.Lock()
		p.reaped = true
		p.killTree()
		p.mu.Unlock()
	}
	// The error of Wait repeats the state, or is about the copy to stdin.
	p.exit = exitOf(p.cmd.ProcessState)
}

// PID is the child's process id.
func (p *Process) PID() int { return p.pid }

// Stdin is what an interactive child reads, nil for any other. Closing it is the end
// of the child's input, and ends a Write that waits. It is closed when the child has
// exited.
func (p *Process) Stdin() io.WriteCloser {
	if p.stdin == nil {
		return nil
	}
	return p.stdin
}

// Stdout is what the child prints. The caller reads it to its end or closes it. It
// ends when the child has exited and all that the child itself wrote has been read,
// even if a descendant out of reach still holds the other end.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// Stderr returns the end of what the child printed on stderr so far, and whether
// something before it is missing. It is complete once Done is closed.
func (p *Process) Stderr() (text string, cut bool) { return p.stderr.get() }

// Done is closed when the child has exited, has been reaped, and its stderr has
// been drained.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the exit, or for ctx, whose error it returns.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	default:
	}
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Note looks for descendants of the child and remembers them, so that they are
// ended with it even if their parent is gone by then. It is worth a call when the
// child is known to have tools running.
func (p *Process) Note() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		p.noted.grow(p.pid)
	}
}

// Descendants notes the descendants of the child and counts those of them, from
// whatever time, that are alive. It reports false where the process table cannot be
// read, and after the exit.
func (p *Process) Descendants() (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return 0, false
	}
	p.noted.grow(p.pid)
	return p.noted.living()
}

// Signal notes the descendants and sends the signal to the child's group. After
// the exit it does nothing.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	p.noted.grow(p.pid)
	if err := signalGroup(p.cmd, sig); err != nil {
		return fmt.Errorf("signal process %d: %w", p.pid, err)
	}
	return nil
}

// Stop ends the child and its descendants: it sends each signal of the ladder and
// gives the child that rung's grace to exit. A child that is still there after the
// last rung, or when ctx ends, is killed; so are the descendants in any case. Stop
// returns when the child has been reaped. It may be called again, also at the same
// time, and is bounded by the graces and five seconds more: an error says that even
// the kill did not end the child by then.
func (p *Process) Stop(ctx context.Context, ladder ...Step) error {
	for _, step := range ladder {
		if ctx.Err() != nil || p.gone() {
			break
		}
		if step.Signal == syscall.SIGKILL {
			break
		}
		// A signal that cannot be sent is answered by the next rung.
		_ = p.Signal(step.Signal)
		p.pause(ctx, step.Grace)
	}
	if p.gone() {
		return nil
	}
	p.mu.Lock()
	if !p.reaped {
		p.killTree()
	}
	p.mu.Unlock()
	p.pause(context.WithoutCancel(ctx), killWait)
	if !p.gone() {
		return fmt.Errorf("stop process %d: it is still there %v after the kill", p.pid, killWait)
	}
	return nil
}

func (p *Process) gone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// pause waits for the exit, for ctx, or for d.
func (p *Process) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-timer.C:
	}
}

// killTree kills the child, its group and its descendants. They are held still
// first, until no new ones turn up: a process that forks between the look at the
// table and the signal would get away. The caller holds mu.
func (p *Process) killTree() {
	root := p.pid
	if p.reaped {
		root = 0 // the pid may be another's by now; those noted are still known
	}
	_ = signalGroup(p.cmd, stopSignal)
	for range 5 {
		if fresh := p.noted.grow(root); fresh == 0 {
			break
		}
		p.noted.signal(stopSignal)
	}
	p.noted.signal(syscall.SIGKILL)
	_ = signalGroup(p.cmd, syscall.SIGKILL)
}
