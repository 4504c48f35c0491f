package openclaw

import (
	"fmt"
	"runtime"
	"strings"
	"weak"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/observe"
)

// session is what is kept of a conversation between its runs. It is guarded by the
// adapter's mu.
type session struct {
	key    string // the host's
	native string // the gateway's, empty while not known
	feed   *observe.Session
	taken  bool // a run is starting or live
	live   *run // nil while none is live
	// model is what SetModel asked for, patched what the gateway was told last; empty
	// leaves it to the gateway.
	model, patched string
	pieces         []piece
	// stale are runs that were given up here and may go on there.
	stale []string
}

// handle is what a handle stands for. The run is nil for a restored one.
type handle struct {
	session *session
	run     *run
}

// piece is context that waits for the session's next run.
type piece struct{ key, value string }

// maxContext bounds what waits for the next run of a session, in bytes.
const maxContext = 1 << 20

// put keeps a piece for the next run. One of the same key replaces the earlier one.
func (s *session) put(p piece) error {
	var pieces []piece
	size, known := len(p.key)+len(p.value), false
	for _, old := range s.pieces {
		if old.key == p.key {
			old, known = p, true
			size -= len(p.key) + len(p.value)
		}
		size += len(old.key) + len(old.value)
		pieces = append(pieces, old)
	}
	if !known {
		pieces = append(pieces, p)
	}
	if size > maxContext {
		return fmt.Errorf("more than %d bytes wait for the next run", maxContext)
	}
	s.pieces = pieces
	return nil
}

// prompt is what a run is told: pieces written for it, then the context of the start,
// then the message, parted by blank lines.
func prompt(pieces []piece, context, message string) string {
	var parts []string
	for _, p := range pieces {
		parts = append(parts, p.key+":\n"+p.value)
	}
	if context != "" {
		parts = append(parts, context)
	}
	return strings.Join(append(parts, message), "\n\n")
}

// agentOf is the agent that a session key of the gateway names, empty for another key.
func agentOf(key string) string {
	rest, is := strings.CutPrefix(key, "agent:")
	agent, name, whole := strings.Cut(rest, ":")
	if !is || !whole || name == "" {
		return ""
	}
	return agent
}

// nativeKey is the gateway's key for a session of the host: the same where it names an
// agent, else one of that agent.
func nativeKey(key, agent string) string {
	if agentOf(key) != "" {
		return key
	}
	return "agent:" + agent + ":" + key
}

// session returns the session of that key, a new one if there is none. The caller
// holds mu.
func (a *Adapter) session(key string) *session {
	s := a.sessions[key]
	if s == nil {
		s = &session{key: key, feed: observe.NewSession(observe.Options{QueueMax: a.options.QueueMax, Now: a.options.Now})}
		a.sessions[key] = s
	}
	return s
}

// know remembers what a handle stands for until its owner lets go of it. The caller
// holds mu.
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
