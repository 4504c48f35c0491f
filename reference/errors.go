package reference

import (
	"errors"
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// What an [Adapter] answers when it refuses. The texts are fixed and hold neither a
// path nor content; what exactly is wrong with a session file is told by
// [OpenWriter].
var (
	// ErrUnavailable: the session file cannot be read, or is no session file.
	ErrUnavailable = errors.New("canonical history is unavailable")
	// ErrIdentity: the file is of another runtime, session or project.
	ErrIdentity = errors.New("canonical history identity mismatch")
	// ErrInvalid: the history in the file breaks the contract.
	ErrInvalid = errors.New("canonical history is invalid")
	// ErrPrivacy: nothing of the payload may be sent.
	ErrPrivacy = boundary.ErrPrivacy
	// ErrProvider: the request names no provider.
	ErrProvider = boundary.ErrProvider
	// ErrClosed: the adapter was shut down.
	ErrClosed = boundary.ErrClosed
)

// What [Create], [Append] and [Writer] answer when they refuse. A refused write
// leaves the file as it was.
var (
	// ErrOptions: an option has no usable value.
	ErrOptions = errors.New("invalid options")
	// ErrLocked: another writer has the session open.
	ErrLocked = errors.New("session has another writer")
	// ErrTorn: the last record has no end, as after a crash. Nothing is appended to
	// it, since that would make one broken line of two records; [Recover] mends it.
	ErrTorn = errors.New("session has an unterminated final record")
	// ErrFormat: the file is not a session file, or a line in it is damaged.
	ErrFormat = errors.New("not a valid session file")
	// ErrBounds: the file or the number of messages is, or would be, over the bound.
	ErrBounds = errors.New("session is over its bounds")
	// ErrForeign: the message is of another session or runtime.
	ErrForeign = errors.New("message is not of this session")
	// ErrReplaced: another file has taken the session's place since the writer opened
	// it.
	ErrReplaced = errors.New("session file was replaced")
)

// IssueError reports a history that breaks the contract, or would after the write.
type IssueError struct {
	// Code is the first issue, as [history.Validate] gives it.
	Code history.IssueCode
	// Count of the issues that were found, one at least.
	Count int
}

// Error names the code, no ids.
func (e *IssueError) Error() string {
	if e.Count > 1 {
		return fmt.Sprintf("history is invalid: %s and %d more", e.Code, e.Count-1)
	}
	return fmt.Sprintf("history is invalid: %s", e.Code)
}

func issueError(issues []history.Issue) error {
	if len(issues) == 0 {
		return nil
	}
	return &IssueError{Code: issues[0].Code, Count: len(issues)}
}
