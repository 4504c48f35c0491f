package native

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// blobVersion is the version of session blobs.
const blobVersion = 1

// blob is what a session is continued from: the rest is in its transcript.
type blob struct {
	Version    int    `json:"v"`
	SessionKey string `json:"sessionKey"`
	Session    string `json:"session"` // empty is one that has not run
	Agent      string `json:"agent,omitzero"`
	Model      string `json:"model,omitzero"`
}

// Serialize writes the handle's session down: the host's key, the runtime's name of its
// transcript, whose home that is in, and the model that SetModel asked for. A run that is
// live is in it with the transcript that it will have.
func (a *Adapter) Serialize(_ context.Context, run *executor.Run) (string, error) {
	known, err := a.lookup(run)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	a.mu.Lock()
	s := known.session
	b := blob{blobVersion, s.key, s.native, s.agent, s.model}
	if s.live != nil {
		if _, spoken := run.ID(); spoken {
			b.Session = s.live.info.SessionID
		}
	}
	a.mu.Unlock()
	out, err := json.Marshal(b)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	return string(out), nil
}

// Restore takes a session over from a blob. The handle has no live run. The next start
// with its session key goes on with the transcript, if Options.Home has it. A session that
// has a live run here is executor.ErrBusy, and stays as it is.
func (a *Adapter) Restore(_ context.Context, text string) (*executor.Run, error) {
	run, err := a.restore(text)
	if err != nil {
		return nil, fmt.Errorf("restore session: %w", err)
	}
	return run, nil
}

// isNative reports whether a name is one that this runtime gives a session.
func isNative(name string) bool {
	id, is := strings.CutPrefix(name, "native-")
	return is && oneshot.IsUUID(id)
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
	case b.Session != "" && !isNative(b.Session):
		return nil, errors.New("blob, field session: no session of this runtime")
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
	if s.native != b.Session || b.Session == "" {
		s.talk = nil // that of another conversation
	}
	s.native, s.agent, s.model = b.Session, b.Agent, b.Model
	run := executor.NewRun(ID, b.SessionKey)
	a.know(run, handle{session: s})
	return run, nil
}
