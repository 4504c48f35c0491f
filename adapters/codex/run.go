package codex

import (
	"context"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
	"github.com/adaptercheck/adaptercheck/internal/observe"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

const (
	// maxMessage bounds text of the runtime in error messages, maxStderr that of its
	// second channel, in bytes.
	maxMessage = 4 << 10
	maxStderr  = 2 << 10
	// noteEvery is how often at most the process table is read for tools.
	noteEvery = 100 * time.Millisecond
)

// run is one process and the run that it is. Two goroutines serve it: pump reads
// what the process says, supervise ends it.
type run struct {
	adapter *Adapter
	session *session
	id      string // made by the adapter: Codex does not name its runs
	feed    *observe.Feed
	mapper  *mapper
	child   *process.Process
	grace   time.Duration

	settle *time.Timer   // runs while the process should be about to exit
	pushed bool          // the process was ended because it did not exit by itself
	stop   chan struct{} // closed by the first abort

	mu      sync.Mutex
	aborted bool
	ended   bool
}

// launch starts the two goroutines.
func (r *run) launch() {
	r.settle = time.NewTimer(time.Hour)
	r.settle.Stop()
	supervised := make(chan error, 1)
	go func() { supervised <- r.supervise() }()
	go r.pump(supervised)
}

// abort asks for the end of the run, once. The interrupt has been sent when it
// returns; the rest of the ladder follows by itself.
func (r *run) abort() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.aborted || r.ended {
		return
	}
	r.aborted = true
	// One that cannot be sent is followed by the next rung.
	_ = r.child.Signal(syscall.SIGINT)
	close(r.stop)
}

// supervise ends the process when the run is aborted, and when the process stays
// though it has said all. It returns when the process is gone.
func (r *run) supervise() error {
	ctx := context.Background() // each way to the end has bounds of its own
	select {
	case <-r.child.Done():
		return nil
	case <-r.stop:
		timer := time.NewTimer(r.grace)
		defer timer.Stop()
		select {
		case <-r.child.Done():
			return nil
		case <-timer.C:
		}
		return r.child.Stop(ctx, process.Step{Signal: syscall.SIGTERM, Grace: r.grace})
	case <-r.settle.C:
		r.pushed = true
		return r.child.Stop(ctx, process.Step{Signal: syscall.SIGTERM, Grace: r.grace})
	}
}

// pump maps what the process says until its stdout ends, waits for the process to
// be gone, and ends the run.
func (r *run) pump(supervised <-chan error) {
	defer r.adapter.busy.Done()
	lines := ndjson.NewReader(r.child.Stdout(), ndjson.Options{})
	eof := make(chan struct{})
	go func() {
		defer close(eof)
		r.read(lines)
	}()

	var stopErr error
	select {
	case <-eof:
		// A process that closed its stdout has nothing more to say.
		r.settle.Reset(r.grace)
		stopErr = <-supervised
	case stopErr = <-supervised:
		if stopErr != nil {
			// The process cannot be ended; what it holds open must not hold the run.
			r.child.Stdout().Close()
		}
		<-eof
	}
	r.child.Stdout().Close()
	r.finish(stopErr == nil)
}

// read maps line by line until the end of stdout.
func (r *run) read(lines *ndjson.Reader) {
	var noted time.Time
	for {
		line, err := lines.Next()
		if err != nil {
			return // whatever the reason, nothing more comes
		}
		if line.Blank {
			continue
		}
		settled, open := r.mapper.settled(), r.mapper.calls.open > 0
		var events []executor.Event
		if line.TooLong {
			events = r.mapper.malformed(line.Number)
		} else {
			events = r.mapper.line(line.Number, line.Bytes)
			r.adapter.remember(r.session, r.mapper)
		}
		switch now := r.mapper.settled(); {
		case now && !settled:
			// Tools that are still running now will lose their parent.
			r.child.Note()
			r.settle.Reset(r.grace)
		case !now && settled:
			r.settle.Stop()
		case open && time.Since(noted) > noteEvery:
			// A tool may outlive its call. It is there by the line after the call's.
			r.child.Note()
			noted = time.Now()
		}
		r.publish(events)
	}
}

// publish puts the events under the run's id and, once it is known, the thread's.
func (r *run) publish(events []executor.Event) {
	head := executor.Envelope{RunID: r.id}
	if thread := r.mapper.thread; thread != "" {
		head.SessionID = &thread
	}
	for _, e := range events {
		r.feed.Publish(e.WithHead(head))
	}
}

// finish decides how the run ended and says so. The session is free before
// anybody can see that the run is over.
func (r *run) finish(gone bool) {
	r.mu.Lock()
	r.ended = true
	aborted := r.aborted
	r.mu.Unlock()

	e := ending{aborted: aborted, how: "and could not be ended"}
	if gone {
		exit, _ := r.child.Wait(context.Background()) // it is over
		e.failed, e.how = !exit.Success() && !r.pushed, exit.String()
	}
	stderr, cut := r.child.Stderr()
	e.stderr = r.adapter.stderrTail(stderr, cut)
	r.adapter.release(r.session, r, strings.Contains(stderr, "no rollout found for thread id") && r.mapper.thread == "")
	r.publish(r.mapper.finish(e))
	r.feed.End()
}
