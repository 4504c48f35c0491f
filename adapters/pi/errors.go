package pi

import (
	"errors"

	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// What an [Adapter] answers when it refuses. Where there is more to say the error
// goes on with the line and the field, and never with a path or content.
var (
	// ErrUnavailable: the session file cannot be read, is not one, is damaged, or has
	// no such branch.
	ErrUnavailable = errors.New("canonical history is unavailable")
	// ErrIdentity: the file is of another session or project.
	ErrIdentity = errors.New("canonical history identity mismatch")
	// ErrInvalid: the history in the file breaks the contract.
	ErrInvalid = errors.New("canonical history is invalid")
	// ErrUntrusted: the project is not trusted.
	ErrUntrusted = errors.New("project is not trusted")
	// ErrOptions: an option has no usable value.
	ErrOptions = errors.New("invalid options")
	// ErrPrivacy: nothing of the payload may be sent.
	ErrPrivacy = boundary.ErrPrivacy
	// ErrProvider: the request names no provider.
	ErrProvider = boundary.ErrProvider
	// ErrClosed: the adapter was shut down.
	ErrClosed = boundary.ErrClosed
)

// errFormat is the cause of an [ErrUnavailable]: what the file says is not what a
// session file says.
var errFormat = errors.New("not a valid Pi session")
