package pi

import (
	"fmt"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// Enforcer is a privacy policy: it gives what of a payload may be sent to a
// provider, in a value that shares nothing with the payload. An error means that
// nothing may be sent.
type Enforcer = boundary.Enforcer

// Options describe an [Adapter].
type Options struct {
	// Path of the session file. It need not exist yet.
	Path string
	// SessionID that the file must name. Empty takes the session that the file names.
	SessionID string
	// ProjectRoot is the one project root, a directory that exists. The file must
	// name the same one as its working directory; both are compared by their real
	// paths.
	ProjectRoot string
	// Trusted: the user trusts the project. Without that no history is read.
	Trusted bool
	// Leaf is the id of the entry with which the branch ends; empty is the last entry
	// of the file.
	Leaf string
	// Model that is selected; nil is none. A session file names models but does not
	// know their limits.
	Model *history.Model
	// Transport carries completions. Without one every completion falls back.
	Transport history.Transport
	// Privacy is the policy. Without one nothing may be sent, and every completion
	// falls back.
	Privacy Enforcer
	// EmbeddingPort is declared and handed out; nil is none.
	EmbeddingPort history.EmbeddingPort
	// MaxHistoryBytes and MaxHistoryMessages bound the file, the latter its entries
	// of every type; zero is the default of the contract.
	MaxHistoryBytes    int64
	MaxHistoryMessages int
}

// New makes an adapter. It reads no session yet. The error wraps [ErrOptions] and
// names the option: a missing path or root, a negative bound, a model without
// provider, id or a window that is finite and above zero.
func New(opts Options) (*Adapter, error) {
	a, err := newAdapter(opts)
	if err != nil {
		return nil, fmt.Errorf("pi adapter: %w: %w", ErrOptions, err)
	}
	return a, nil
}

func bad(option, what string) error { return fmt.Errorf("option %s is %s", option, what) }

func newAdapter(opts Options) (*Adapter, error) {
	switch {
	case opts.Path == "":
		return nil, bad("Path", "empty")
	case opts.ProjectRoot == "":
		return nil, bad("ProjectRoot", "empty")
	case opts.MaxHistoryBytes < 0:
		return nil, bad("MaxHistoryBytes", "negative")
	case opts.MaxHistoryMessages < 0:
		return nil, bad("MaxHistoryMessages", "negative")
	}
	if err := boundary.CheckModel(opts.Model); err != nil {
		return nil, err
	}
	a := &Adapter{
		entries:   opts.MaxHistoryMessages,
		sessionID: boundary.Trim(opts.SessionID),
		trusted:   opts.Trusted,
		leaf:      opts.Leaf,
		model:     opts.Model.Clone(),
		embedding: opts.EmbeddingPort,
	}
	if a.entries == 0 {
		a.entries = history.MaxHistoryMessages
	}
	file := boundary.File{MaxBytes: opts.MaxHistoryBytes}
	if file.MaxBytes == 0 {
		file.MaxBytes = history.MaxHistoryBytes
	}
	// The file stays the same one when the process changes its directory.
	var err error
	if file.Path, err = filepath.Abs(opts.Path); err != nil {
		return nil, fmt.Errorf("option Path: %w", err)
	}
	if a.root, err = boundary.RealRoot(opts.ProjectRoot); err != nil {
		return nil, fmt.Errorf("option ProjectRoot: %w", err)
	}
	a.boundary = boundary.New(boundary.Options{
		Privacy:   opts.Privacy,
		Transport: opts.Transport,
		Source:    boundary.Source{File: file, Root: a.root, Make: a.snapshot, Refuse: a.refuse},
	})
	return a, nil
}
