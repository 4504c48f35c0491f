package hermes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// state is what is kept of a session between its runs, and what it is continued from.
// What the session has cost so far is in Hermes' books and need not be kept.
type state struct {
	// Session is Hermes' id of the session; empty while unknown.
	Session string `json:"session"`
}

// maxSessionID is the longest id in bytes that is taken for one.
const maxSessionID = 200

// isSession reports whether a session can be resumed by this id: one word of harmless
// characters, and no flag. Hermes takes what is no id for a title, and the word latest
// for whatever session was the last.
func isSession(id string) bool {
	harmless := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_.:@-", r)
	}
	return id != "" && id != "latest" && id[0] != '-' && len(id) <= maxSessionID &&
		!strings.ContainsFunc(id, func(r rune) bool { return !harmless(r) })
}

// Serialize writes the session down as it stands. A session whose id is not known yet
// continues as a new one.
func (a *Adapter) Serialize(_ context.Context, run *executor.Run) (string, error) {
	blob, err := a.host.Serialize(run)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	return blob, nil
}

// Restore takes a session over from a blob. A session that has a live run here is
// executor.ErrBusy, and stays as it is.
func (a *Adapter) Restore(_ context.Context, blob string) (*executor.Run, error) {
	run, err := a.host.Restore(blob, state.check)
	if err != nil {
		return nil, fmt.Errorf("restore session: %w", err)
	}
	return run, nil
}

func (s state) check() error {
	if s.Session != "" && !isSession(s.Session) {
		return errors.New("field session: no session id")
	}
	return nil
}
