package reference

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

// Options describe an [Adapter].
type Options struct {
	// Path of the session file. It need not exist yet.
	Path string
	// RuntimeID that the file must name; empty is [DefaultRuntimeID].
	RuntimeID string
	// SessionID that the file must name. Empty takes the session that the file's
	// header names.
	SessionID string
	// ProjectRoot is the one trusted root, a directory that exists. The file must
	// name the same one; both are compared by their real paths.
	ProjectRoot string
	// Model that is selected; nil is none.
	Model *history.Model
	// Transport carries completions. Without one every completion falls back.
	Transport history.Transport
	// Privacy is the policy; the zero value is the default one.
	Privacy privacy.Config
	// EmbeddingPort is declared and handed out; nil is none.
	EmbeddingPort history.EmbeddingPort
	// LocalKV is declared, handed out and shut down, and used where it is enabled; nil
	// is none.
	LocalKV *LocalKVOptions
	// MaxHistoryBytes and MaxHistoryMessages bound the file; zero is the default of
	// the contract.
	MaxHistoryBytes    int64
	MaxHistoryMessages int
	// ShutdownTimeout bounds how long Shutdown waits for the local KV port; zero is
	// one second.
	ShutdownTimeout time.Duration
}

// DefaultShutdownTimeout is how long Shutdown waits for a port, unless an option
// says otherwise.
const DefaultShutdownTimeout = boundary.DefaultPatience

// New makes an adapter. It reads no session yet. The error names the option: a
// negative bound, a missing path or root, a model without provider, id or a window
// that is finite and above zero, a policy that [privacy.New] refuses.
func New(opts Options) (*Adapter, error) {
	a, err := newAdapter(opts)
	if err != nil {
		return nil, fmt.Errorf("reference adapter: %w", err)
	}
	return a, nil
}

func newAdapter(opts Options) (*Adapter, error) {
	limit, err := boundsOf(opts.MaxHistoryBytes, opts.MaxHistoryMessages)
	if err != nil {
		return nil, err
	}
	switch {
	case opts.Path == "":
		return nil, fmt.Errorf("%w: Path is empty", ErrOptions)
	case opts.ProjectRoot == "":
		return nil, fmt.Errorf("%w: ProjectRoot is empty", ErrOptions)
	case opts.ShutdownTimeout < 0:
		return nil, fmt.Errorf("%w: ShutdownTimeout is negative", ErrOptions)
	}
	if err := boundary.CheckModel(opts.Model); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if opts.LocalKV != nil {
		if err := opts.LocalKV.check(); err != nil {
			return nil, err
		}
	}
	a := &Adapter{
		limit:     limit,
		runtimeID: opts.RuntimeID,
		sessionID: boundary.Trim(opts.SessionID),
		model:     opts.Model.Clone(),
		embedding: opts.EmbeddingPort,
	}
	if a.runtimeID == "" {
		a.runtimeID = DefaultRuntimeID
	}
	// The file stays the same one when the process changes its directory.
	path, err := filepath.Abs(opts.Path)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	if a.root, err = boundary.RealRoot(opts.ProjectRoot); err != nil {
		return nil, fmt.Errorf("project root: %w", err)
	}
	engine, err := privacy.New(opts.Privacy)
	if err != nil {
		return nil, err
	}
	o := boundary.Options{
		Privacy:   engine,
		Transport: opts.Transport,
		Patience:  opts.ShutdownTimeout,
		Source: boundary.Source{
			File: boundary.File{Path: path, MaxBytes: limit.bytes}, Root: a.root, Make: a.snapshot, Refuse: a.refuse,
		},
	}
	if opts.LocalKV != nil {
		a.attachKV(*opts.LocalKV, engine.Version())
		o.Reuse = a.reuse
		if port, ok := a.kv.Port.(history.LocalKVShutdowner); ok {
			o.Release = port.Shutdown
		}
	}
	a.boundary = boundary.New(o)
	return a, nil
}
