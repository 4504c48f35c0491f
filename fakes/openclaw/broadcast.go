package openclaw

// audience says which connections hear an event.
type audience func(*conn) bool

// everyone is every client that is known.
func everyone(*conn) bool { return true }

// readers are the clients that may read and hear of the session: all, but for those
// that asked to hear only of sessions that they name.
func readers(key string) audience {
	return func(c *conn) bool {
		return c.may(scopeRead) && (!c.caps["session-scoped-events"] || c.watches[key])
	}
}

// toolReaders are the readers that asked for what tools are told.
func toolReaders(key string) audience {
	hears := readers(key)
	return func(c *conn) bool { return c.caps["tool-events"] && hears(c) }
}

// watchers are the clients that asked for the messages of the session.
func watchers(key string) audience {
	return func(c *conn) bool { return c.may(scopeRead) && c.watches[key] }
}

// listers are the clients that asked for changes of sessions.
func listers(c *conn) bool { return c.may(scopeRead) && c.lists }

// approvers are the clients that may answer questions.
func approvers(c *conn) bool { return c.may(scopeApprovals) }

// heard reports whether an audience is there: what nobody hears need not be written.
func (r *Runtime) heard(hears audience) bool {
	for c := range r.conns {
		if c.known && hears(c) {
			return true
		}
	}
	return false
}

// broadcast says an event to an audience and returns how many bytes of it leave. It is
// written once: only its number differs between connections. The lock is held.
func (r *Runtime) broadcast(event string, payload *object, hears audience) int64 {
	return r.send(event, payload, hears, true)
}

func (r *Runtime) send(event string, payload *object, hears audience, numbered bool) int64 {
	var text []byte
	var bytes int64
	for c := range r.conns {
		if !c.known || !hears(c) {
			continue
		}
		if text == nil {
			o := newObject().str("type", "event").str("event", event).obj("payload", payload)
			text = o.text[:len(o.text):len(o.text)]
		}
		c.event(text, numbered)
		bytes += int64(len(text)) + 1
	}
	return bytes
}
