package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// blob is a session written down.
type blob struct {
	Version int    `json:"v"`
	Key     string `json:"sessionKey"`
	Native  string `json:"session"`
	Totals  totals `json:"totals"`
}

const blobVersion = 1

// Serialize writes down the run's session: its native id, and the totals that
// turn cumulative numbers into increments.
func (a *Adapter) Serialize(_ context.Context, run *executor.Run) (string, error) {
	if err := a.known(run); err != nil {
		return "", err
	}
	a.mu.Lock()
	s := a.sessions[run.SessionKey()]
	b := blob{Version: blobVersion, Key: run.SessionKey(), Native: s.native, Totals: s.totals}
	live := s.current
	a.mu.Unlock()
	if live != nil {
		live.mu.Lock()
		if id := live.mapper.session; id != nil {
			b.Native = *id
		}
		b.Totals = live.mapper.totals
		live.mu.Unlock()
	}
	text, err := json.Marshal(b)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	return string(text), nil
}

var errBlob = errors.New("restore session: not a session of this adapter")

// Restore makes the session known again. The handle has no live run.
func (a *Adapter) Restore(_ context.Context, text string) (*executor.Run, error) {
	var b blob
	if err := json.Unmarshal([]byte(text), &b, json.RejectUnknownMembers(true)); err != nil || b.Version != blobVersion || b.Key == "" {
		return nil, errBlob
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.session(b.Key)
	s.native, s.totals = b.Native, b.Totals
	return executor.NewRun(ID, b.Key), nil
}
