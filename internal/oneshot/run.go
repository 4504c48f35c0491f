package oneshot

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/ndjson"
	"github.com/adaptercheck/adaptercheck/internal/observe"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// noteEvery is how often at most the process table is read for tools.
const noteEvery = 100 * time.Millisecond

// run is one process and the run that it is. Two goroutines serve it: pump reads
// what the process says, supervise ends it.
type run[S any, W Wire[S]] struct {
	host    *Host[S, W]
	session *session[S, W]
	id      string // made here: such runtimes do not name their runs
	feed    *observe.Feed
	wire    W
	plan    Plan[S, W]
	child   *process.Process

	rest   *time.Timer   // runs while the process should be about to exit
	pushed bool          // the process was ended because it did not exit by itself
	stop   chan struct{} // closed by the first abort

	mu      sync.Mutex
	aborted bool
	ended   bool
}

// Start starts the process of a run, as plan says. A session with a live run is
// executor.ErrBusy; a process that cannot be started is an error and leaves the
// session as it was.
func (h *Host[S, W]) Start(ctx context.Context, opts executor.StartOpts, plan func(Request[S]) Plan[S, W]) (*executor.Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.SessionKey == "" {
		return nil, errors.New("the session key is empty")
	}
	if err := CheckModel(opts.Model); err != nil {
		return nil, err
	}
	s, req, pieces, err := h.reserve(opts)
	if err != nil {
		return nil, err
	}
	p := plan(req)
	child, err := process.Start(p.Process)
	if err != nil {
		h.giveUp(s, pieces)
		return nil, err
	}
	handed := executor.NewRun(h.options.ID, opts.SessionKey)
	r := &run[S, W]{
		host: h, session: s, id: "run-" + rand.Text(), wire: p.Wire, plan: p, child: child, stop: make(chan struct{}),
		feed: observe.New(handed, observe.Options{QueueMax: h.options.QueueMax, Now: h.options.Now}),
	}
	if p.Begin != nil {
		p.Begin(child)
	}
	if err := h.admit(handed, r); err != nil {
		_ = child.Stop(context.Background()) // killed at once; what remains is out of reach
		child.Stdout().Close()
		r.letGo()
		h.giveUp(s, pieces)
		return nil, err
	}
	r.launch()
	return handed, nil
}

func (r *run[S, W]) letGo() {
	if r.plan.End != nil {
		r.plan.End()
	}
}

// launch starts the two goroutines.
func (r *run[S, W]) launch() {
	r.rest = time.NewTimer(time.Hour)
	r.rest.Stop()
	supervised := make(chan error, 1)
	go func() { supervised <- r.supervise() }()
	go r.pump(supervised)
}

// abort asks for the end of the run, once. The interrupt has been sent when it
// returns; the rest of the ladder follows by itself.
func (r *run[S, W]) abort() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.aborted || r.ended {
		return
	}
	r.aborted = true
	r.plan.Interrupt(r.child)
	close(r.stop)
}

// supervise ends the process when the run is aborted, and when the process stays
// though it has said all. It returns when the process is gone.
func (r *run[S, W]) supervise() error {
	ctx := context.Background() // each way to the end has bounds of its own
	grace := r.host.options.Grace
	select {
	case <-r.child.Done():
		return nil
	case <-r.stop:
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-r.child.Done():
			return nil
		case <-timer.C:
		}
	case <-r.rest.C:
		r.pushed = true
	}
	return r.child.Stop(ctx, process.Step{Signal: syscall.SIGTERM, Grace: grace})
}

// pump maps what the process says until its stdout ends, waits for the process to
// be gone, and ends the run.
func (r *run[S, W]) pump(supervised <-chan error) {
	defer r.host.busy.Done()
	stdout := &pulse{Reader: r.child.Stdout(), wait: r.host.options.Grace, stuck: r.plan.Stuck}
	eof := make(chan struct{})
	go func() {
		defer close(eof)
		defer stdout.stop()
		if r.plan.Pieces {
			r.read(&pieces{from: stdout, buf: make([]byte, pieceSize)})
			return
		}
		r.read(ndjson.NewReader(stdout, ndjson.Options{MaxLine: r.host.options.MaxLine}))
	}()

	var stopErr error
	select {
	case <-eof:
		// A process that closed its stdout has nothing more to say.
		r.rest.Reset(r.host.options.Grace)
		stopErr = <-supervised
	case stopErr = <-supervised:
		if stopErr != nil {
			// The process cannot be ended; what it holds open must not hold the run.
			r.child.Stdout().Close()
		}
		<-eof
	}
	r.child.Stdout().Close()
	r.letGo()
	r.finish(stopErr == nil)
}

// source is output as it is mapped, one line or one piece at a time.
type source interface {
	Next() (ndjson.Line, error)
}

// read maps line by line until the end of stdout.
func (r *run[S, W]) read(lines source) {
	var noted time.Time
	var resting time.Duration
	for {
		line, err := lines.Next()
		if err != nil {
			return // whatever the reason, nothing more comes
		}
		if line.Blank {
			continue
		}
		tools := r.wire.ToolsOpen()
		var events []executor.Event
		if line.TooLong {
			events = r.wire.TooLong(line.Number, line.Length)
		} else {
			events = r.wire.Line(line.Number, line.Bytes)
			r.host.keep(r)
		}
		switch rest := r.wire.Rest(); {
		case rest != resting && rest > 0:
			// Tools that are still running now will lose their parent.
			r.child.Note()
			r.rest.Reset(rest)
			resting = rest
		case rest != resting:
			r.rest.Stop()
			resting = 0
		case tools && time.Since(noted) > noteEvery:
			// A tool may outlive its call. It is there by the line after the call's.
			r.child.Note()
			noted = time.Now()
		}
		r.publish(events)
	}
}

// publish puts the events under the run's id and, once it is known, the native
// session's.
func (r *run[S, W]) publish(events []executor.Event) {
	head := executor.Envelope{RunID: r.id}
	if id := r.wire.Session(); id != "" {
		head.SessionID = &id
	}
	for _, e := range events {
		r.feed.Publish(e.WithHead(head))
	}
}

// finish decides how the run ended and says so. The session is free before anybody
// can see that the run is over.
func (r *run[S, W]) finish(gone bool) {
	r.mu.Lock()
	r.ended = true
	e := Ending{Aborted: r.aborted, How: "and could not be ended"}
	r.mu.Unlock()

	if gone {
		exit, _ := r.child.Wait(context.Background()) // it is over
		e.Failed, e.How = !exit.Success() && !r.pushed, exit.String()
	}
	e.Stderr = r.host.stderrTail(r.child.Stderr())
	events := r.wire.Finish(e)
	r.host.release(r)
	r.publish(events)
	r.feed.End()
}
