package oneshot

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

const (
	// maxMessage bounds text of the runtime in error messages, maxStderr that of its
	// second channel, in bytes.
	maxMessage = 4 << 10
	maxStderr  = 2 << 10
)

// Options says what a host is for.
type Options struct {
	// ID is the adapter's.
	ID string
	// Grace is the time between the signals that end a process, and what a process
	// that closed its stdout has to exit in.
	Grace time.Duration
	// MaxLine is the longest line in bytes that is read; 0 is the default of
	// internal/ndjson.
	MaxLine int
	// Secrets is what must not be in any message.
	Secrets *redact.Redactor
	// Noise takes out of stderr what the runtime prints on every run. Nil leaves all.
	Noise *strings.Replacer
	// Now and QueueMax are those of observe.Options.
	Now      func() time.Time
	QueueMax int
}

// Host holds the sessions and runs of one adapter. Make one with [New].
type Host[S any, W Wire[S]] struct {
	options Options

	mu       sync.Mutex
	disposed bool
	sessions map[string]*session[S, W]
	// handles lead to what they stand for as long as their owner holds them; the key
	// does not keep them alive.
	handles map[weak.Pointer[executor.Run]]handle[S, W]
	live    map[*run[S, W]]struct{}
	busy    sync.WaitGroup // starts, runs and health checks under way
}

// New returns a host without sessions. It starts nothing.
func New[S any, W Wire[S]](o Options) *Host[S, W] {
	return &Host[S, W]{
		options:  o,
		sessions: map[string]*session[S, W]{},
		handles:  map[weak.Pointer[executor.Run]]handle[S, W]{},
		live:     map[*run[S, W]]struct{}{},
	}
}

// Events gives the run from its start to the first observer, and to later ones
// while the run is live. The stream ends after the run's done. An unknown handle, a
// restored one, and a run that is over and has been observed give an ended stream.
func (h *Host[S, W]) Events(run *executor.Run) executor.Stream {
	known, err := h.lookup(run)
	if err != nil || known.run == nil {
		return executor.Ended{}
	}
	return known.run.feed.Subscribe(run)
}

// Abort interrupts the process, and goes on to signals if it does not exit. It does
// not wait for the end. After the end it does nothing.
func (h *Host[S, W]) Abort(run *executor.Run) error {
	known, err := h.lookup(run)
	if err != nil {
		return err
	}
	if known.run != nil {
		known.run.abort()
	}
	return nil
}

// Dispose aborts every live run and waits until the processes are gone, or for ctx.
// Streams get their done(aborted) and end.
func (h *Host[S, W]) Dispose(ctx context.Context) error {
	h.mu.Lock()
	h.disposed = true
	live := make([]*run[S, W], 0, len(h.live))
	for r := range h.live {
		live = append(live, r)
	}
	h.mu.Unlock()
	for _, r := range live {
		r.abort()
	}
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		h.busy.Wait() // bounded: every run has been told to end
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("dispose: %w", ctx.Err())
	}
}

// Clean makes text of the runtime fit for a message: without secrets, bounded.
func (h *Host[S, W]) Clean(s string) string { return h.options.Secrets.Head(s, maxMessage) }

// stderrTail returns the end of stderr without secrets and noise.
func (h *Host[S, W]) stderrTail(s string, cut bool) string {
	if cut {
		// A secret may have lost its beginning, and would not be recognised.
		s = s[min(len(s), h.options.Secrets.Longest()):]
	}
	if h.options.Noise != nil {
		s = h.options.Noise.Replace(s)
	}
	return strings.ToValidUTF8(strings.TrimSpace(h.options.Secrets.Tail(s, maxStderr)), "\uFFFD")
}
