package oneshot

import (
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// blobVersion is the version of session blobs.
const blobVersion = 1

// blob is what a session is continued from: its key, and the fields of its state.
type blob[S any] struct {
	Version    int    `json:"v"`
	SessionKey string `json:"sessionKey"`
	State      S      `json:",embed"`
}

// Serialize writes the handle's session down as it stands. S must be a struct; its
// fields are those of the blob.
func (h *Host[S, W]) Serialize(run *executor.Run) (string, error) {
	known, err := h.lookup(run)
	if err != nil {
		return "", err
	}
	h.mu.Lock()
	b := blob[S]{Version: blobVersion, SessionKey: known.session.key, State: known.session.state}
	h.mu.Unlock()
	out, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	return string(out), nil
}

// Restore takes a session over from a blob whose state check finds right. The handle
// has no live run. A session that has one here is executor.ErrBusy, and stays as it
// is.
func (h *Host[S, W]) Restore(text string, check func(S) error) (*executor.Run, error) {
	var b blob[S]
	// The reason of a syntax error may quote the blob; it stays here.
	if json.Unmarshal([]byte(text), &b, json.RejectUnknownMembers(true)) != nil {
		return nil, errors.New("the blob is not one of this adapter")
	}
	switch {
	case b.Version != blobVersion:
		return nil, fmt.Errorf("blob, field v: version %d, want %d", b.Version, blobVersion)
	case b.SessionKey == "":
		return nil, errors.New("blob, field sessionKey: missing or empty")
	}
	if err := check(b.State); err != nil {
		return nil, fmt.Errorf("blob, %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.disposed {
		return nil, executor.ErrDisposed
	}
	s := h.session(b.SessionKey)
	if s.taken {
		return nil, executor.ErrBusy
	}
	s.state = b.State
	run := executor.NewRun(h.options.ID, b.SessionKey)
	h.know(run, handle[S, W]{session: s})
	return run, nil
}

var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

// IsUUID reports whether the id is a UUID, which is what runtimes resume by. Some
// take anything else for a name, and silently begin a new session.
func IsUUID(id string) bool { return uuid().MatchString(id) }
