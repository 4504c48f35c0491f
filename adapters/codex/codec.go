package codex

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// blobVersion is the version of the codec's blobs.
const blobVersion = 1

// blob is what a session is continued from: its thread, and the running totals of
// that thread, without which the next run would be billed for all earlier ones.
type blob struct {
	Version    int    `json:"v"`
	SessionKey string `json:"sessionKey"`
	Thread     string `json:"thread"`
	Totals     totals `json:"totals"`
}

var threadID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// isThread reports whether a session can be resumed by this id. Codex takes
// everything that is no UUID for a name and silently begins a new thread.
func isThread(id string) bool { return threadID.MatchString(id) }

// Serialize writes the session down as it stands. A session whose thread is not
// known yet continues as a new one.
func (a *Adapter) Serialize(_ context.Context, run *executor.Run) (string, error) {
	h, err := a.lookup(run)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	a.mu.Lock()
	b := blob{Version: blobVersion, SessionKey: h.session.key, Thread: h.session.thread, Totals: h.session.totals}
	a.mu.Unlock()
	out, err := json.Marshal(b)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	return string(out), nil
}

// Restore takes a session over from a blob. A session that has a live run here is
// executor.ErrBusy, and stays as it is.
func (a *Adapter) Restore(_ context.Context, text string) (*executor.Run, error) {
	var b blob
	// The reason of a syntax error may quote the blob; it stays here.
	if json.Unmarshal([]byte(text), &b, json.RejectUnknownMembers(true)) != nil {
		return nil, errors.New("restore session: the blob is not one of this adapter")
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("restore session: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return nil, fmt.Errorf("restore session: %w", executor.ErrDisposed)
	}
	s := a.sessions[b.SessionKey]
	if s == nil {
		s = &session{key: b.SessionKey}
		a.sessions[s.key] = s
	}
	if s.started {
		return nil, fmt.Errorf("restore session: %w", executor.ErrBusy)
	}
	s.thread, s.totals = b.Thread, b.Totals
	run := executor.NewRun(a.ID(), b.SessionKey)
	a.know(run, handle{session: s})
	return run, nil
}

func (b blob) check() error {
	switch {
	case b.Version != blobVersion:
		return fmt.Errorf("blob, field v: version %d, want %d", b.Version, blobVersion)
	case b.SessionKey == "":
		return errors.New("blob, field sessionKey: missing or empty")
	case b.Thread != "" && !isThread(b.Thread):
		return errors.New("blob, field thread: no thread id")
	case b.Totals.Input < 0 || b.Totals.Cached < 0 || b.Totals.Output < 0:
		return errors.New("blob, field totals: a count is negative")
	case b.Thread == "" && b.Totals != (totals{}):
		return errors.New("blob, field totals: counts without a thread")
	}
	return nil
}
