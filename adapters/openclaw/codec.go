package openclaw

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// blobVersion is the version of session blobs.
const blobVersion = 1

// blob is what a session is continued from: the gateway keeps the rest under its key.
type blob struct {
	Version    int    `json:"v"`
	SessionKey string `json:"sessionKey"`
	Native     string `json:"native"` // the gateway's key
	Model      string `json:"model,omitzero"`
}

// Serialize writes the handle's session down: the host's key and the gateway's, and the
// model that SetModel asked for.
func (a *Adapter) Serialize(_ context.Context, run *executor.Run) (string, error) {
	known, err := a.lookup(run)
	if err != nil {
		return "", fmt.Errorf("serialize: %w", err)
	}
	a.mu.Lock()
	s := known.session
	b := blob{blobVersion, s.key, s.native, s.model}
	a.mu.Unlock()
	out, err := json.Marshal(b)
	if err != nil {
		return "", fmt.Errorf("serialize: %w", err)
	}
	return string(out), nil
}

// Restore takes a session over from a blob. The handle has no live run. The next start
// with its session key goes on with the gateway's session. A session that has a live
// run here is executor.ErrBusy, and stays as it is.
func (a *Adapter) Restore(_ context.Context, text string) (*executor.Run, error) {
	run, err := a.restore(text)
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	return run, nil
}

func (a *Adapter) restore(text string) (*executor.Run, error) {
	var b blob
	// The reason of a syntax error may quote the blob; it stays here.
	if json.Unmarshal([]byte(text), &b, json.RejectUnknownMembers(true)) != nil {
		return nil, errors.New("the blob is not one of this adapter")
	}
	switch {
	case b.Version != blobVersion:
		return nil, fmt.Errorf("blob, field v: version %d, want %d", b.Version, blobVersion)
	case b.SessionKey == "":
		return nil, errors.New("blob, field sessionKey: missing or empty")
	case b.Native != "" && agentOf(b.Native) == "":
		return nil, errors.New("blob, field native: no session key of a gateway")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return nil, executor.ErrDisposed
	}
	s := a.session(b.SessionKey)
	if s.taken {
		return nil, executor.ErrBusy
	}
	s.native, s.model, s.patched = b.Native, b.Model, b.Model
	run := executor.NewRun(ID, b.SessionKey)
	a.know(run, handle{session: s})
	return run, nil
}
