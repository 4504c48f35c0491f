package native

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"weak"

	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// session is what is kept of a conversation between its runs. It is guarded by the
// adapter's mu.
type session struct {
	key    string // the host's
	taken  bool   // a run is starting or live
	live   *run   // nil while none is live
	native string // the runtime's name for it, that of its latest run; empty before the first
	agent  string // whose home it is in
	model  string // that SetModel asked for
	pieces []piece
	// talk is the conversation, where no home keeps it.
	talk []message.Message
}

// handle is what a handle stands for. The run is nil for a restored one.
type handle struct {
	session *session
	run     *run
}

// piece is context that waits to be told.
type piece struct{ key, value string }

// signalKey is the key of context that is told as it is, without its key.
const signalKey = ".clawboo/signal"

// text is a piece as the model is told it.
func (p piece) text() string {
	if p.key == signalKey {
		return p.value
	}
	return p.key + ":\n" + p.value
}

// maxContext bounds what waits, in bytes.
const maxContext = 1 << 20

// put keeps a piece. One of the same key replaces the earlier one, but for signals: each of
// them is told.
func (s *session) put(p piece) error {
	pieces := slices.Clone(s.pieces)
	at := slices.IndexFunc(pieces, func(old piece) bool { return old.key == p.key && p.key != signalKey })
	if at >= 0 {
		pieces[at] = p
	} else {
		pieces = append(pieces, p)
	}
	size := 0
	for _, p := range pieces {
		size += len(p.key) + len(p.value)
	}
	if size > maxContext {
		return fmt.Errorf("more than %d bytes wait to be told", maxContext)
	}
	s.pieces = pieces
	return nil
}

// take hands out what waits.
func (s *session) take() []string {
	var out []string
	for _, p := range s.pieces {
		out = append(out, p.text())
	}
	s.pieces = nil
	return out
}

// session returns the session of that key, a new one if there is none. The caller holds
// mu.
func (a *Adapter) session(key string) *session {
	s := a.sessions[key]
	if s == nil {
		s = &session{key: key}
		a.sessions[key] = s
	}
	return s
}

// reserve takes the session for a run.
func (a *Adapter) reserve(key string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return nil, executor.ErrDisposed
	}
	s := a.session(key)
	if s.taken {
		return nil, executor.ErrBusy
	}
	s.taken = true
	a.busy.Add(1)
	return s, nil
}

// giveUp frees a session whose run did not begin.
func (a *Adapter) giveUp(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.taken = false
	a.busy.Done()
}

// know remembers what a handle stands for until its owner lets go of it. The caller holds
// mu.
func (a *Adapter) know(h *executor.Run, what handle) {
	key := weak.Make(h)
	a.handles[key] = what
	runtime.AddCleanup(h, func(key weak.Pointer[executor.Run]) {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.handles, key)
	}, key)
}

func (a *Adapter) lookup(h *executor.Run) (handle, error) {
	if h == nil {
		return handle{}, executor.ErrUnknownRun
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.handles[weak.Make(h)]
	if !ok {
		return handle{}, executor.ErrUnknownRun
	}
	return known, nil
}

// codeTranscript is the code of the error, not fatal, of a session whose conversation could
// not be read: it begins anew.
const codeTranscript = "transcript-lost"

// history is the conversation that a run goes on with.
func (a *Adapter) history(h state.Home, native string, kept []message.Message) ([]message.Message, error) {
	if native == "" {
		return nil, nil
	}
	talk := kept
	if h.Keeps() {
		var err error
		if talk, err = h.Load(native); err != nil {
			return nil, err
		}
	}
	return message.Closed(message.Bound(talk, message.MaxHistory)), nil
}

// prompt is what the user says: pieces that waited, the context of the start, the message,
// parted by blank lines.
func prompt(pieces []string, context, said string) string {
	parts := slices.Clone(pieces)
	if context != "" {
		parts = append(parts, context)
	}
	return strings.Join(append(parts, said), "\n\n")
}

var errNoKey = errors.New("the session key is empty")
