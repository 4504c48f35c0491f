package reference

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

// AdapterName and AdapterVersion are what [Adapter.Identity] says of the code.
const (
	AdapterName    = "adaptercheck-jsonl-reference"
	AdapterVersion = "0.1.0"
)

// Adapter is the boundary of one session file. It is made by [New] and implements
// [history.Adapter], [history.EmbeddingPorter], [history.LocalKVPorter] and
// [history.LocalKVDiagnoser].
type Adapter struct {
	limit     bounds
	path      string
	runtimeID string
	sessionID string
	root      string
	model     *history.Model
	transport history.Transport
	privacy   sanitizer
	embedding history.EmbeddingPort
	kv        *localKV // nil is none
	patience  time.Duration

	mu     sync.Mutex
	closed bool
	log    diagnostics
	cache  *cached

	done chan struct{} // closed when the first Shutdown is through
}

// sanitizer is the part of a [privacy.Engine] that the adapter uses.
type sanitizer interface {
	Sanitize(provider string, payload any) (privacy.Result, error)
}

var (
	_ history.Adapter          = (*Adapter)(nil)
	_ history.EmbeddingPorter  = (*Adapter)(nil)
	_ history.LocalKVPorter    = (*Adapter)(nil)
	_ history.LocalKVDiagnoser = (*Adapter)(nil)
)

// Identity names the runtime and this code.
func (a *Adapter) Identity() history.Identity {
	return history.Identity{
		RuntimeID:       a.runtimeID,
		AdapterName:     AdapterName,
		AdapterVersion:  AdapterVersion,
		ContractVersion: history.ContractVersion,
	}
}

// CapabilityDeclarations gives one declaration per registered capability. A port
// that was injected is declared.
func (a *Adapter) CapabilityDeclarations() []history.Declaration {
	embeddings := history.Lacks(history.Embeddings, "no embedding port was given")
	if a.embedding != nil {
		embeddings = history.Supports(history.Embeddings, history.EmbeddingPortVersion)
	}
	kv := history.Lacks(history.LocalKVReuse, "no local KV port was given")
	if a.kv != nil {
		kv = history.Supports(history.LocalKVReuse, a.kv.Version)
	}
	return []history.Declaration{
		history.Lacks(history.Compaction, "the session file is append-only"),
		history.Lacks(history.ProviderContinuation, "every completion sends its whole payload"),
		embeddings,
		kv,
	}
}

// NegotiateCapabilities is [history.Negotiate] over the declarations.
func (a *Adapter) NegotiateCapabilities(requested []history.Request) history.Negotiation {
	return history.Negotiate(a.CapabilityDeclarations(), requested)
}

// CurrentModel is the model given to [New]; nil if none was.
func (a *Adapter) CurrentModel(ctx context.Context) (*history.Model, error) {
	if err := a.usable(ctx); err != nil {
		return nil, err
	}
	return a.model.Clone(), nil
}

// TrustedProjectRoot is the real path of the root given to [New].
func (a *Adapter) TrustedProjectRoot(ctx context.Context) (string, error) {
	if err := a.usable(ctx); err != nil {
		return "", err
	}
	return a.root, nil
}

// EmbeddingPort is the port given to [New], nil if none was.
func (a *Adapter) EmbeddingPort() history.EmbeddingPort { return a.embedding }

// LocalKVPort is the port given to [New], nil if none was.
func (a *Adapter) LocalKVPort() history.LocalKVPort {
	if a.kv == nil {
		return nil
	}
	return a.kv.Port
}

// Diagnostics lists what happened so far, oldest first, at most
// [history.MaxDiagnostics].
func (a *Adapter) Diagnostics() []history.Diagnostic {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log.list()
}

// Shutdown closes the adapter and the local KV port. From the moment it is called,
// reads are refused and completions fall back; a completion that is already with
// its transport is left to end by itself. A second call waits for the first. The
// session file stays as it is, and what goes wrong with the port is a diagnostic:
// the error is always nil.
func (a *Adapter) Shutdown(ctx context.Context) error {
	a.mu.Lock()
	first := !a.closed
	a.closed, a.cache = true, nil
	a.mu.Unlock()
	if !first {
		select {
		case <-a.done:
		case <-ctx.Done():
		}
		return nil
	}
	err := a.shutdownPort(ctx)
	a.mu.Lock()
	if err != nil {
		a.log.add(history.CodeLocalKVShutdownFailed)
	}
	a.log.add(history.CodeAdapterClosed)
	a.log.sealed = true
	a.mu.Unlock()
	close(a.done)
	return nil
}

// shutdownPort releases the port. One that hangs is given up after a while; its
// goroutine then ends when the port lets it.
func (a *Adapter) shutdownPort(ctx context.Context) error {
	port, ok := a.LocalKVPort().(history.LocalKVShutdowner)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		err := errors.New("port panicked")
		defer func() {
			_ = recover()
			ended <- err
		}()
		err = port.Shutdown(ctx)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errClosed = fmt.Errorf("reference adapter: %w", ErrClosed)

// usable refuses after Shutdown, and under a context that is over.
func (a *Adapter) usable(ctx context.Context) error {
	if a.isClosed() {
		return errClosed
	}
	return ctx.Err()
}

func (a *Adapter) isClosed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.closed
}

func (a *Adapter) report(code history.DiagnosticCode) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log.add(code)
}
