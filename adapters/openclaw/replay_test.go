package openclaw

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// replayer plays a recording's server to an adapter: it says what the real gateway said,
// and waits where that was asked for something. What the recorded client asked and an
// adapter does not ask is left out, with its answer; what only the adapter asks is
// answered with nothing.
type replayer struct {
	t     *testing.T
	lines []fixtures.Passed
	// skip are the calls of the recorded client that are left out, by id on a connection.
	skip map[string]bool
	// reached is told the calls that the adapter shall make by itself or be made to make.
	reached chan call
	server  *httptest.Server

	mu    sync.Mutex
	names map[string]string // the recording's run ids, as the adapter has them
	conns int
	sent  map[string]json.RawMessage // params by method, of the adapter
}

func replay(t *testing.T, name string, skip func(conn int, c call) bool) *replayer {
	r := &replayer{t: t, lines: recording(t, name), skip: map[string]bool{}, names: map[string]string{}, sent: map[string]json.RawMessage{}, reached: make(chan call, 100)}
	for _, l := range r.lines {
		if c := asked(l); l.Dir == fixtures.FromClient && skip(l.Conn, c) {
			r.skip[key(l.Conn, c.ID)] = true
		}
	}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.server.Close)
	return r
}

// first is the first call of the method that is not left out.
func (r *replayer) first(method string) call {
	for _, l := range r.lines {
		if c := asked(l); l.Dir == fixtures.FromClient && c.Method == method && !r.skip[key(l.Conn, c.ID)] {
			return c
		}
	}
	r.t.Fatalf("the recording has no %s", method)
	return call{}
}

func key(conn int, id string) string { return string(rune('0'+conn)) + id }

// asked is the call in a line of the client's.
func asked(l fixtures.Passed) call {
	var c call
	_ = json.Unmarshal(l.Frame, &c) // frames that are no calls have another shape
	return c
}

// serve plays the next of the recording's connections.
func (r *replayer) serve(w http.ResponseWriter, q *http.Request) {
	ws, err := websocket.Accept(w, q, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1)
	r.mu.Lock()
	var numbers []int
	for _, l := range r.lines {
		if l.Dir != fixtures.NoFrame && !slices.Contains(numbers, l.Conn) {
			numbers = append(numbers, l.Conn)
		}
	}
	if r.conns == len(numbers) {
		r.mu.Unlock()
		return
	}
	number := numbers[r.conns]
	r.conns++
	r.mu.Unlock()

	p := &peer{ws: ws}
	calls := make(chan call, 100)
	go func() {
		defer close(calls)
		for {
			c, ok := p.read()
			if !ok {
				return
			}
			calls <- c
		}
	}()
	ids := map[string]string{} // of the adapter, by the recording's
	for _, l := range r.lines {
		switch {
		case l.Conn != number, l.Dir == fixtures.NoFrame && l.What != "client-close", len(l.Frame) == 0 && l.Dir != fixtures.NoFrame:
		case l.Dir == fixtures.NoFrame:
			if l.Code == 1006 {
				return // it was the client that broke the connection; here it is this side
			}
		case l.Dir == fixtures.FromClient:
			want := asked(l)
			if r.skip[key(number, want.ID)] {
				continue
			}
			r.reached <- want
			for {
				c, ok := <-calls
				if !ok {
					return
				}
				if c.Method == want.Method {
					ids[want.ID] = c.ID
					r.took(want, c)
					break
				}
				p.ok(c, fields{})
			}
		default:
			r.say(p, number, l, ids)
		}
	}
	for c := range calls {
		p.ok(c, fields{})
	}
}

// took notes what the adapter calls a run, and what it asked.
func (r *replayer) took(want, got call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id := want.get("idempotencyKey"); id != "" {
		r.names[id] = got.get("idempotencyKey")
	}
	r.sent[got.Method] = got.Params
	theirs, ours := map[string]any{}, map[string]any{}
	_ = json.Unmarshal(want.Params, &theirs)
	_ = json.Unmarshal(got.Params, &ours)
	if want.Method == "connect" {
		for _, name := range slices.Sorted(maps.Keys(theirs)) {
			if ours[name] == nil {
				r.t.Errorf("connect without %s", name)
			}
		}
		return
	}
	for _, free := range []string{"idempotencyKey", "runId"} {
		if theirs[free] != nil {
			theirs[free] = r.names[theirs[free].(string)]
		}
	}
	delete(ours, "deliver")
	if d := cmp.Diff(theirs, ours); d != "" {
		r.t.Errorf("%s (-recorded +adapter):\n%s", want.Method, d)
	}
}

// say sends a recorded frame, with the adapter's ids in the place of the recorded ones.
func (r *replayer) say(p *peer, number int, l fixtures.Passed, ids map[string]string) {
	var f struct{ Type, ID string }
	_ = json.Unmarshal(l.Frame, &f)
	text := string(l.Frame)
	if f.Type == "res" {
		if r.skip[key(number, f.ID)] {
			return
		}
		text = strings.Replace(text, `"`+f.ID+`"`, `"`+ids[f.ID]+`"`, 1)
	}
	r.mu.Lock()
	for theirs, ours := range r.names {
		text = strings.ReplaceAll(text, `"`+theirs+`"`, `"`+ours+`"`)
	}
	r.mu.Unlock()
	p.raw(text)
}

// The frames of the real gateway, sent to an adapter that is asked for what the recorded
// client was asked for: the requests are the same, and so is what comes of the run.
func TestReplay(t *testing.T) {
	own := func(methods ...string) func(int, call) bool {
		return func(_ int, c call) bool { return !slices.Contains(methods, c.Method) }
	}
	once := func(f func(int, call) bool) func(int, call) bool {
		seen := map[string]bool{}
		return func(conn int, c call) bool {
			again := seen[c.Method]
			seen[c.Method] = true
			return again || f(conn, c)
		}
	}
	for name, c := range map[string]struct {
		skip  func(int, call) bool
		model string
		want  string
	}{
		"chat-text": {once(own("connect", "chat.send")), "", `init, running, running, "Hello", " from", " the fake", " model.", done success "Hello from the fake model."`},
		"chat-tool": {own("connect", "chat.send"), "", `init, running, running, "Let me run it.", call call_fake1, result call_fake1, "\n\nTool", " finished,", " all done.", done success "Let me run it.\n\nTool finished, all done."`},
		"chat-abort": {once(own("connect", "chat.send", "chat.abort")), "",
			`init, running, running, "slow0", " slow1", " slow2", " slow3", " slow4", " slow5", " slow6", " slow7", done aborted "slow0 slow1 slow2 slow3 slow4 slow5 slow6 slow7"`},
		"err401":   {once(own("connect", "sessions.patch", "chat.send")), "e401/fake-model", `init, running, running, fatal auth, done error "⚠️ e401/fake-model request failed (authentication failed, HTTP 401). Re-authenticate the provider and try again."`},
		"approval": {own("connect", "chat.send", "exec.approval.resolve"), "", `init, running, running, "Let me run it.", call call_fake1, running approval-requested:00000000-0000-4000-8000-000000000008, result call_fake1, "\n\nTool", " finished,", " all done.", done success "Let me run it.\n\nTool finished, all done."`},
		// The connection broke after the first word.
		"reattach": {own("connect", "chat.send"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := replay(t, name, c.skip)
			g := &gateway{t: t, server: r.server}
			o := g.brief()
			o.Settle = patience
			a := g.adapter(o)
			send := r.first("chat.send")
			run, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: send.get("sessionKey"), Message: send.get("message"), Model: c.model})
			if err != nil {
				t.Fatal(err)
			}
			s := a.Events(run)
			go func() {
				for {
					select {
					case next := <-r.reached:
						if next.Method == "chat.abort" {
							_ = a.Abort(t.Context(), run)
						}
					case <-t.Context().Done():
						return
					}
				}
			}()
			if name == "reattach" {
				events := seen(t, s, func(e executor.Event) bool { return strings.Contains(outline([]executor.Event{e}), "slow10") })
				if got := outline(events); !strings.Contains(got, `"slow0", `+lostNotice+`, " slow1 slow2 slow3 slow4 slow5 slow6", " slow7", " slow8"`) {
					t.Errorf("%s", got)
				}
				return
			}
			events := seen(t, s, func(e executor.Event) bool {
				if st, is := e.(executor.Status); is && strings.HasPrefix(st.Detail, executor.DetailApproval) {
					_, id, _ := strings.Cut(st.Detail, ":")
					if err := a.Approve(t.Context(), run, id, false); err != nil {
						t.Error(err)
					}
				}
				return isDone(e)
			})
			if d := cmp.Diff(c.want, outline(events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			judge(t, events)
		})
	}
}
