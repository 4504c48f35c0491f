package boundary

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

var (
	// ErrClosed: the adapter was shut down.
	ErrClosed = errors.New("the adapter is closed")
	// ErrPrivacy: nothing of the payload may be sent.
	ErrPrivacy = errors.New("privacy enforcement failed closed")
	// ErrProvider: the request names no provider.
	ErrProvider = errors.New("no provider is named")
)

// Enforcer is a privacy policy: it gives what of a payload may be sent to a
// provider, in a value that shares nothing with the payload. An error means that
// nothing may be sent.
type Enforcer interface {
	Enforce(ctx context.Context, provider string, payload any) (history.PrivacyResult, error)
}

// Reuse completes a sanitised request through a local KV port. False means that the
// port was not used or failed; then the request goes to the transport, whole.
type Reuse func(ctx context.Context, req history.TransportRequest) (output any, use history.LocalKVUse, ok bool)

// Options describe a [Boundary]. With the zero value nothing is ever sent.
type Options struct {
	// Privacy is the policy. Without one no payload may be sent.
	Privacy Enforcer
	// Transport carries completions. Without one every completion falls back.
	Transport history.Transport
	// Reuse is tried before Transport; nil is none.
	Reuse Reuse
	// Source is the canonical history; the zero value is none.
	Source Source
	// Release gives back what the adapter holds, when it is shut down; nil is
	// nothing. It is called at most once.
	Release func(context.Context) error
	// Patience bounds how long Shutdown waits for Release; zero or less is
	// [DefaultPatience].
	Patience time.Duration
}

// DefaultPatience is how long Shutdown waits for what it releases, unless an
// option says otherwise.
const DefaultPatience = time.Second

// Boundary is the part of an adapter that does not depend on its history. It may
// be used from several goroutines at once.
type Boundary struct {
	privacy   Enforcer
	transport history.Transport
	reuse     Reuse
	source    Source
	release   func(context.Context) error
	patience  time.Duration

	mu     sync.Mutex
	closed bool
	log    diagnostics
	made   *made // nil is none

	done chan struct{} // closed when the first Shutdown is through
}

// New makes a boundary that is open.
func New(o Options) *Boundary {
	b := &Boundary{
		privacy: o.Privacy, transport: o.Transport, reuse: o.Reuse, source: o.Source,
		release: o.Release, patience: o.Patience, done: make(chan struct{}),
	}
	if b.patience <= 0 {
		b.patience = DefaultPatience
	}
	return b
}

// Usable refuses with [ErrClosed] after Shutdown, and with the error of a context
// that is over.
func (b *Boundary) Usable(ctx context.Context) error {
	if b.Closed() {
		return ErrClosed
	}
	return ctx.Err()
}

// Closed reports whether Shutdown was called.
func (b *Boundary) Closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// Report writes a diagnostic down. After Shutdown it does nothing.
func (b *Boundary) Report(code history.DiagnosticCode) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log.add(code)
}

// Diagnostics lists what happened so far, oldest first, at most
// [history.MaxDiagnostics]. The caller owns the list.
func (b *Boundary) Diagnostics() []history.Diagnostic {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.list()
}

// Shutdown closes the boundary. From the moment it is called, reads are refused
// and completions fall back; a completion that is already on its way is left to
// end by itself. A second call waits for the first, as long as its context allows.
// What goes wrong with the release is a diagnostic; the error is always nil
// (history#shutdown).
func (b *Boundary) Shutdown(ctx context.Context) error {
	b.mu.Lock()
	first := !b.closed
	b.closed, b.made = true, nil
	b.mu.Unlock()
	if !first {
		select {
		case <-b.done:
		case <-ctx.Done():
		}
		return nil
	}
	err := b.let(ctx)
	b.mu.Lock()
	if err != nil {
		b.log.add(history.CodeLocalKVShutdownFailed)
	}
	b.log.add(history.CodeAdapterClosed)
	b.log.sealed = true
	b.mu.Unlock()
	close(b.done)
	return nil
}

// let calls the release. One that hangs is given up after a while; its goroutine
// then ends when the release lets it.
func (b *Boundary) let(ctx context.Context) error {
	if b.release == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		err := errors.New("the release panicked")
		defer func() {
			_ = recover()
			ended <- err
		}()
		err = b.release(ctx)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
