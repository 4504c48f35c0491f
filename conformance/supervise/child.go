package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// stderrTail is how much of a worker's stderr is kept, in bytes.
const stderrTail = 64 << 10

// lost is why a worker's messages are no longer listened to.
type lost struct {
	reason report.CutReason
	err    error
}

// work runs one worker from its start until it has been reaped.
func (s *supervisor) work(ctx context.Context, j Job, book *ledger, tell func(EventKind, string, check.Outcome)) Result {
	r := Result{Job: j}
	if ctx.Err() != nil {
		r.Outcomes, r.Cut = book.close(report.CutInterrupted)
		return r
	}
	child, err := s.start(j)
	if err != nil {
		r.Err = fmt.Errorf("start a worker: %w", err)
		r.Outcomes, r.Cut = book.close(report.CutWorkerDied)
		return r
	}
	why := child.listen(ctx, j, s.options.Grace, book, tell)
	// Settled before the worker is told to stop: what it finds while it is being
	// stopped is no finding.
	r.Outcomes, r.Cut = book.close(why.reason)
	r.Err = why.err
	exit, err := child.end(s.options, book.finished)
	if r.Err == nil {
		r.Err = err
	}
	if why.reason == report.CutWorkerDied && errors.Is(why.err, errClosed) {
		r.Err = fmt.Errorf("the worker ended before its run did, with %s", exit)
	}
	r.Stderr, _ = child.process.Stderr()
	r.Breaches = book.breaches
	if book.lost != nil {
		r.Err, r.Stderr = errors.Join(errors.New(book.lost.Why), r.Err), book.lost.Stderr
	}
	return r
}

// child is one started worker.
type child struct {
	process *process.Process
	stdin   *os.File // the worker ends when it is closed
	dir     string
	lines   chan []byte // closed at the end of the worker's stdout
	left    chan struct{}
	reader  sync.WaitGroup
}

// start starts a worker and gives it its job.
func (s *supervisor) start(j Job) (*child, error) {
	self, err := s.options.self()
	if err != nil {
		return nil, err
	}
	// A short name: sockets of fakes, whose paths must be short, are made below.
	dir, err := os.MkdirTemp("", "acw") // 0700
	if err != nil {
		return nil, err
	}
	line, err := encode(order{Job: j, Dir: dir})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	p, err := process.Start(process.Options{
		Command: self, Env: environment(dir), Stdin: stdin, TailBytes: stderrTail,
	})
	stdin.Close()
	if err != nil {
		in.Close()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c := &child{process: p, stdin: in, dir: dir, lines: make(chan []byte), left: make(chan struct{})}
	c.reader.Go(c.read)
	c.order(line, s.options.Grace)
	return c, nil
}

// environment is that of this process with a directory of the worker's own for
// temporary files, so that nothing stays behind that a dead worker made.
func environment(dir string) []string {
	temp := []string{"TMPDIR", "TMP", "TEMP"}
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(temp, strings.ToUpper(name))
	})
	for _, name := range temp {
		env = append(env, name+"="+dir)
	}
	if os.Getenv("GORACE") == "" {
		env = append(env, "GORACE=atexit_sleep_ms=0") // else a race build sleeps a second at exit
	}
	return env
}

// order writes the job. An error is not looked at: a worker that did not get its
// job says nothing, and that is seen.
func (c *child) order(line []byte, grace time.Duration) {
	_ = c.stdin.SetWriteDeadline(time.Now().Add(grace))
	_, _ = c.stdin.Write(line)
}

// read passes on the worker's lines while somebody listens, and reads to the end in
// any case, so that the worker never blocks on its stdout. A line that is too long
// or has no end is passed on as nothing, which is no message.
func (c *child) read() {
	defer close(c.lines)
	lines := ndjson.NewReader(c.process.Stdout(), ndjson.Options{MaxLine: maxMessage})
	for {
		line, err := lines.Next()
		if err != nil {
			return
		}
		var whole []byte
		if !line.TooLong && !line.Unterminated {
			whole = slices.Clone(line.Bytes)
		}
		select {
		case c.lines <- whole:
		case <-c.left:
			_, _ = io.Copy(io.Discard, c.process.Stdout())
			return
		}
	}
}

// errClosed says that the worker's stdout ended.
var errClosed = errors.New("the worker's messages ended")

// listen books what the worker says until it has finished, or is lost.
func (c *child) listen(ctx context.Context, j Job, grace time.Duration, book *ledger, tell func(EventKind, string, check.Outcome)) lost {
	patience := j.patience(grace)
	silence, limit := time.NewTimer(patience), time.NewTimer(j.limit(grace))
	defer silence.Stop()
	defer limit.Stop()
	for !book.finished {
		if ctx.Err() != nil { // also where there is always a line to read
			return lost{report.CutInterrupted, context.Cause(ctx)}
		}
		select {
		case line, open := <-c.lines:
			if !open {
				return lost{report.CutWorkerDied, errClosed}
			}
			m, err := decode(line)
			if err == nil {
				err = book.take(m)
			}
			if err != nil {
				return lost{report.CutWorkerDied, fmt.Errorf("the worker sent %w", err)}
			}
			silence.Reset(patience)
			switch {
			case m.Started != "":
				tell(CheckStarted, m.Started, check.Outcome{})
			case m.Outcome != nil:
				tell(CheckEnded, m.Outcome.ID, m.Outcome.unpack())
			}
		case <-ctx.Done():
		case <-silence.C:
			return lost{report.CutWorkerHung, fmt.Errorf("the worker said nothing for %v", patience)}
		case <-limit.C:
			return lost{report.CutWorkerHung, errors.New("the worker did not end after its budget")}
		}
	}
	return lost{}
}

// end ends the worker, takes it off the system, and says how it ended. One that has
// finished gets its grace to exit by itself; the others are told to stop.
func (c *child) end(o Options, finished bool) (process.Exit, error) {
	close(c.left)
	ctx, cancel := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-o.Kill:
			cancel()
		case <-ctx.Done():
		}
	})
	var ladder []process.Step
	if finished {
		wait, done := context.WithTimeout(ctx, o.Grace)
		_, _ = c.process.Wait(wait)
		done()
	} else {
		ladder = []process.Step{{Signal: syscall.SIGTERM, Grace: o.Grace}}
	}
	err := c.process.Stop(ctx, ladder...)
	cancel()
	watch.Wait()
	c.stdin.Close()
	c.process.Stdout().Close()
	c.reader.Wait()
	exit := process.Exit{}
	if err == nil {
		exit, err = c.process.Wait(context.Background())
	}
	return exit, errors.Join(err, os.RemoveAll(c.dir))
}
