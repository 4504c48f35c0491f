package openclaw

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// status is how a run stands.
type status string

const (
	statusRunning status = "running"
	statusOK      status = "ok"
	statusFailed  status = "error"
	statusAborted status = "aborted"
	statusLost    status = "lost" // the gateway stopped under it
)

// Run is one run as the gateway has it. Its id is the idempotency key that the client
// chose.
type Run struct {
	gateway *Runtime
	session *session
	begun   fakes.Call
	viaChat bool  // by chat.send or sessions.send, not by agent
	asked   int64 // when the request came

	voice  *voice
	alias  string            // what the script calls the run
	ghosts map[string]*voice // of other runs that this one speaks for

	calls     []fakes.Call
	startedAt int64 // when it first spoke
	endedAt   int64
	status    status
	summary   string // of a failure
	silent    bool
	deaf      bool
	passive   bool // the script says what follows a cancel
	lossy     bool // what it says next does not arrive

	answers []*request      // that wait for its end
	waits   []chan struct{} // closed at its end

	receipt fakes.Receipt // of the Emit that is under way
	follow  bool          // another delta comes right after the frame
}

var _ fakes.Run = (*Run)(nil)

// newRun makes a run that has not arrived. The lock is held.
func (r *Runtime) newRun(s *session, id string, viaChat bool, begun fakes.Call) *Run {
	run := &Run{gateway: r, session: s, begun: begun, viaChat: viaChat, asked: now(), status: statusRunning, ghosts: map[string]*voice{}}
	run.voice = newVoice(run, id)
	r.runs[id] = run
	return run
}

// arrive makes a run the live one of its session. The lock is held.
func (run *Run) arrive() {
	r, s := run.gateway, run.session
	s.live = run
	run.begun.Session = s.view(run.begun.Session)
	run.begun.Model, run.begun.Blocklist = s.wish, r.config.denied(s.agent)
	if s.went {
		run.begun.Resume = s.id
	}
	r.arrivals = append(r.arrivals, run)
	r.wake()
}

// Begun returns the request.
func (run *Run) Begun() fakes.Call {
	run.gateway.mu.Lock()
	defer run.gateway.mu.Unlock()
	return run.begun
}

// Calls returns what arrived since the start.
func (run *Run) Calls() []fakes.Call {
	run.gateway.mu.Lock()
	defer run.gateway.mu.Unlock()
	return slices.Clone(run.calls)
}

// record notes what arrived. The lock is held.
func (run *Run) record(c fakes.Call) {
	c.Run = run.voice.id
	run.calls = append(run.calls, c)
	run.gateway.wake()
}

// Emit lets the run say the frames to every client that hears of it. It says them also
// when the run is over; one that a restart has lost is [fakes.ErrGone]. The receipt counts
// an event once, and its bytes as often as it is sent.
func (run *Run) Emit(_ context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	r := run.gateway
	for i, f := range frames {
		if err := r.version.playable(f); err != nil {
			return fakes.Receipt{}, &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return fakes.Receipt{}, fakes.ErrClosed
	}
	if run.status == statusLost {
		return fakes.Receipt{}, fakes.ErrGone
	}
	run.receipt = fakes.Receipt{}
	r.losing, run.lossy = run.lossy, false
	defer func() { r.losing = false }()
	for i, f := range frames {
		if run.silent {
			break
		}
		run.follow = i+1 < len(frames) && adds(f, frames[i+1])
		_ = f.Accept(teller{run}) // what cannot be played was found before
	}
	run.rest()
	return run.receipt, nil
}

// adds reports whether two frames are increments of one text.
func adds(a, b fakes.Frame) bool {
	x, isDelta := a.(fakes.Delta)
	y, too := b.(fakes.Delta)
	return isDelta && too && x.Run == y.Run && x.At == nil && y.At == nil && x.Msg == y.Msg
}

// rest lets leave what waited for more.
func (run *Run) rest() {
	run.voice.quiet()
	for _, v := range run.ghosts {
		v.quiet()
	}
}

// Fault plays silent, deaf, hold, cut, lose, torn and crlf. What is torn is every connection that
// hears of the run, and so is what has a line end after each message.
func (run *Run) Fault(_ context.Context, f fakes.Fault) error {
	r := run.gateway
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f.Kind {
	case fakes.FaultSilent:
		run.silent, run.passive = true, true
	case fakes.FaultDeaf:
		run.deaf = true
	case fakes.FaultHold:
		run.passive = true
	case fakes.FaultCut:
		r.goDown(Drop)
	case fakes.FaultLose:
		run.lossy = true
	case fakes.FaultTorn, fakes.FaultCRLF:
		hears := readers(run.session.key)
		for c := range r.conns {
			if c.known && hears(c) {
				c.post(parcel{tear: f.Kind == fakes.FaultTorn, crlf: f.Kind == fakes.FaultCRLF})
			}
		}
	default:
		return fmt.Errorf("fault %s of a run: %w", f.Kind, fakes.ErrUnplayable)
	}
	return nil
}

// Gone waits until no client holds the run: it is over, and every client that is
// connected has read all that was said of it. Clients keep their connections between
// runs.
func (run *Run) Gone(ctx context.Context) error {
	r := run.gateway
	for {
		r.mu.Lock()
		over, changed := run.status != statusRunning || len(r.conns) == 0, r.changed
		r.mu.Unlock()
		if over {
			return run.fence(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the client to let go: %w", ctx.Err())
		}
	}
}

// fence waits until all clients have read what was said so far.
func (run *Run) fence(ctx context.Context) error {
	r := run.gateway
	var read []<-chan struct{}
	r.mu.Lock()
	for c := range r.conns {
		done := make(chan struct{})
		c.post(parcel{fence: done})
		read = append(read, first(done, c.gone))
	}
	r.mu.Unlock()
	for _, done := range read {
		select {
		case <-done:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the client to read: %w", ctx.Err())
		}
	}
	return nil
}

// first is closed when one of two is. The second must be closed some day.
func first(a, b <-chan struct{}) <-chan struct{} {
	one := make(chan struct{})
	go func() {
		defer close(one)
		select {
		case <-a:
		case <-b:
		}
	}()
	return one
}

// finish ends a run: who waits for it hears, and the next of its session has its turn.
// The lock is held.
func (run *Run) finish(s status, summary string) {
	if run.status != statusRunning {
		return
	}
	run.status, run.summary, run.endedAt = s, summary, now()
	run.session.last = run
	run.session.updated = run.endedAt
	run.settle()
	for _, w := range run.waits {
		close(w)
	}
	run.waits = nil
	run.leave()
	run.gateway.wake()
}

// leave makes room for the next run of the session.
func (run *Run) leave() {
	s := run.session
	if s.live != run {
		s.waiting = slices.DeleteFunc(s.waiting, func(other *Run) bool { return other == run })
		return
	}
	s.live = nil
	for _, other := range s.steered { // it took them in
		other.dissolve()
	}
	s.steered = nil
	if len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		next.arrive()
	}
}

// dissolve ends a run that went into another: with a final event that has no message.
func (run *Run) dissolve() {
	if run.status != statusRunning {
		return
	}
	run.voice.chat(run.voice.next(), "final", nil)
	run.finish(statusOK, "")
}

// lose forgets a run that the gateway stopped under.
func (run *Run) lose() {
	if run.status != statusRunning {
		return
	}
	run.status, run.endedAt = statusLost, now()
	if run.session.live == run {
		run.session.live = nil
	}
	run.session.waiting, run.session.steered = nil, nil
	for _, w := range run.waits {
		close(w)
	}
	run.waits = nil
}

// await waits for the end of a run, for a time at most, and then calls back with the
// gateway's lock held.
func (r *Runtime) await(ended <-chan struct{}, d time.Duration, then func()) {
	r.tasks.Go(func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
		case <-r.done:
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		then()
	})
}
