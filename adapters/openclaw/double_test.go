package openclaw

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// patience is how long a test waits for what must come. It is never waited out in a
// test that passes.
const patience = 10 * time.Second

// gateway is a double of the gateway: it shakes hands, and the test says the rest.
type gateway struct {
	t      *testing.T
	server *httptest.Server
	peers  chan *peer

	mu    sync.Mutex
	hello func(p *peer, connect call)
	auto  map[string]func(call) any
	calls []call
	down  bool
}

// call is a request that came.
type call struct {
	ID     string
	Method string
	Params json.RawMessage
}

// get is a string among the call's params.
func (c call) get(name string) string {
	var params map[string]json.RawMessage
	_ = json.Unmarshal(c.Params, &params)
	var s string
	_ = json.Unmarshal(params[name], &s)
	return s
}

// refusal is what an automatic answer may be instead of a payload.
type refusal struct {
	code, message string
	payload       any
}

// peer is one connection of an adapter.
type peer struct {
	g     *gateway
	ws    *websocket.Conn
	calls chan call // that no automatic answer is there for
	gone  chan struct{}

	mu  sync.Mutex
	seq int
}

// newGateway starts a double that answers health and chat.history by itself.
func newGateway(t *testing.T) *gateway {
	g := &gateway{t: t, peers: make(chan *peer, 16), auto: map[string]func(call) any{}}
	g.greet(func(p *peer, connect call) { p.ok(connect, helloOK("boot-1")) })
	g.answer("health", func(call) any { return map[string]any{"ok": true} })
	g.answer("chat.history", func(call) any { return map[string]any{"messages": []any{}} })
	g.answer("exec.approval.list", func(call) any { return []any{} })
	g.server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.server.Close)
	return g
}

func helloOK(boot string) map[string]any {
	return map[string]any{"type": "hello-ok", "protocol": 4, "server": map[string]any{"bootId": boot}, "policy": map[string]any{"tickIntervalMs": 30000}}
}

// greet answers every connect from now on.
func (g *gateway) greet(with func(p *peer, connect call)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hello = with
}

// answer answers every call of the method by itself.
func (g *gateway) answer(method string, with func(call) any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.auto[method] = with
}

// called lists the calls of a method that came, on whatever connection.
func (g *gateway) called(method string) []call {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []call
	for _, c := range g.calls {
		if c.Method == method {
			found = append(found, c)
		}
	}
	return found
}

// refuseAll lets nobody connect any more.
func (g *gateway) refuseAll(down bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.down = down
}

func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	down := g.down
	g.mu.Unlock()
	if down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1)
	p := &peer{g: g, ws: ws, calls: make(chan call, 256), gone: make(chan struct{})}
	defer close(p.gone)
	p.send(map[string]any{"type": "event", "event": "connect.challenge", "payload": map[string]any{"nonce": "nonce-1", "ts": 1}})
	connect, ok := p.read()
	if !ok || connect.Method != "connect" {
		return
	}
	g.note(connect)
	g.mu.Lock()
	hello := g.hello
	g.mu.Unlock()
	hello(p, connect)
	g.peers <- p
	for {
		c, ok := p.read()
		if !ok {
			return
		}
		g.note(c)
		g.mu.Lock()
		with := g.auto[c.Method]
		g.mu.Unlock()
		if with == nil {
			p.calls <- c
			continue
		}
		switch a := with(c).(type) {
		case nil: // never answered
		case refusal:
			p.refuse(c, a)
		default:
			p.ok(c, a)
		}
	}
}

func (g *gateway) note(c call) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, c)
}

func (p *peer) read() (call, bool) {
	_, text, err := p.ws.Read(context.Background())
	var c call
	if err != nil || json.Unmarshal(text, &c) != nil {
		return call{}, false
	}
	return c, true
}

func (p *peer) send(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	p.raw(string(text))
}

func (p *peer) raw(text string) {
	_ = p.ws.Write(context.Background(), websocket.MessageText, []byte(text))
}

func (p *peer) ok(c call, payload any) {
	p.send(map[string]any{"type": "res", "id": c.ID, "ok": true, "payload": payload})
}

func (p *peer) refuse(c call, r refusal) {
	f := map[string]any{"type": "res", "id": c.ID, "ok": false, "error": map[string]any{"code": r.code, "message": r.message}}
	if r.payload != nil {
		f["payload"] = r.payload
	}
	p.send(f)
}

// event says an event with the connection's next number.
func (p *peer) event(name string, payload any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq++
	p.send(map[string]any{"type": "event", "event": name, "payload": payload, "seq": p.seq})
}

// skip leaves numbers out, as if frames were lost.
func (p *peer) skip(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq += n
}

type fields = map[string]any

// chat says a chat event of a run.
func (p *peer) chat(run, state string, more fields) {
	payload := fields{"runId": run, "sessionKey": "agent:main:s", "state": state}
	for k, v := range more {
		payload[k] = v
	}
	p.event("chat", payload)
}

// text says the run's text so far, and the increment.
func (p *peer) text(run, whole, delta string) {
	p.chat(run, "delta", fields{"deltaText": delta, "message": assistant(whole)})
}

func assistant(text string) fields {
	return fields{"role": "assistant", "content": []fields{{"type": "text", "text": text}}, "timestamp": 1800000000000}
}

// final ends a run with its text.
func (p *peer) final(run, whole string) {
	p.chat(run, "final", fields{"stopReason": "stop", "message": assistant(whole)})
}

// agent says an agent event of a run.
func (p *peer) agent(run, stream string, data fields) {
	p.event("agent", fields{"runId": run, "sessionKey": "agent:main:s", "sessionId": "native-1", "stream": stream, "data": data})
}

// start says that a run is worked on.
func (p *peer) start(run string) { p.agent(run, "lifecycle", fields{"phase": "start"}) }

// drop ends the connection without a word.
func (p *peer) drop() {
	_ = p.ws.CloseNow()
	<-p.gone
}

// next is the next call that no automatic answer is there for. It must be of the method.
func (p *peer) next(method string) call {
	p.g.t.Helper()
	select {
	case c := <-p.calls:
		if c.Method != method {
			p.g.t.Fatalf("call %s, want %s", c.Method, method)
		}
		return c
	case <-time.After(patience):
		p.g.t.Fatalf("no call of %s", method)
	}
	return call{}
}

// until is the next call of the method; others before it stay unanswered.
func (p *peer) until(method string) call {
	p.g.t.Helper()
	for {
		select {
		case c := <-p.calls:
			if c.Method == method {
				return c
			}
		case <-time.After(patience):
			p.g.t.Fatalf("no call of %s", method)
		}
	}
}

// connected is the adapter's next connection.
func (g *gateway) connected() *peer {
	g.t.Helper()
	select {
	case p := <-g.peers:
		return p
	case <-time.After(patience):
		g.t.Fatal("no connection")
	}
	return nil
}

// brief are options whose waits are short, for a double that is quick.
func (g *gateway) brief() Options {
	return Options{
		URL: "ws" + strings.TrimPrefix(g.server.URL, "http"), Token: "secret-token-1", Agent: "main",
		ReconnectDelay: time.Millisecond, Settle: 20 * time.Millisecond, UsageTimeout: patience, Grace: patience,
		ApprovalTimeout: patience, RequestTimeout: patience, ReconnectBudget: patience,
	}
}

// adapter makes an adapter for the double.
func (g *gateway) adapter(o Options) *Adapter {
	a := New(o)
	g.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := a.Dispose(ctx); err != nil {
			g.t.Error(err)
		}
	})
	return a
}

// begin starts a run on session s, and takes its message.
func (g *gateway) begin(a *Adapter) (*executor.Run, *peer, string) {
	g.t.Helper()
	started := g.starting(a, executor.StartOpts{SessionKey: "s", Message: "hi"})
	p := g.connected()
	id := p.accept()
	return started(), p, id
}

// starting starts a run while the test plays the gateway.
func (g *gateway) starting(a *Adapter, o executor.StartOpts) func() *executor.Run {
	type result struct {
		run *executor.Run
		err error
	}
	done := make(chan result, 1)
	go func() {
		run, err := a.Start(g.t.Context(), executor.TaskHandle{}, o)
		done <- result{run, err}
	}()
	return func() *executor.Run {
		g.t.Helper()
		r := <-done
		if r.err != nil {
			g.t.Fatal(r.err)
		}
		return r.run
	}
}

// accept takes the next message, and gives its run's name.
func (p *peer) accept() string {
	p.g.t.Helper()
	c := p.until("chat.send")
	id := c.get("idempotencyKey")
	p.ok(c, fields{"runId": id, "status": "started"})
	return id
}

// seen reads a stream up to the first event for which until holds.
func seen(t *testing.T, s executor.Stream, until func(executor.Event) bool) []executor.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var events []executor.Event
	for e, err := range executor.All(ctx, s) {
		if err != nil {
			t.Fatalf("%v after %s", err, outline(events))
		}
		events = append(events, e)
		if until(e) {
			return events
		}
	}
	t.Fatalf("the stream ended after %s", outline(events))
	return nil
}

func isDone(e executor.Event) bool { return e.Kind() == executor.KindDone }

func is(k executor.Kind) func(executor.Event) bool {
	return func(e executor.Event) bool { return e.Kind() == k }
}

// outline is events in words.
func outline(events []executor.Event) string {
	var words []string
	for _, e := range events {
		word := string(e.Kind())
		switch e := e.(type) {
		case executor.Status:
			word = strings.Join(strings.Fields(fmt.Sprint(e.Phase, " ", e.Detail)), " ")
		case executor.TextDelta:
			word = fmt.Sprintf("%q", e.Text)
		case executor.ToolCall:
			word = "call " + e.ID
		case executor.ToolResult:
			word = "result " + e.ID
		case executor.Error:
			word = fmt.Sprintf("error %s", *e.Code)
			if e.Fatal {
				word = "fatal " + *e.Code
			}
		case executor.Done:
			word = fmt.Sprintf("done %s %q", e.Reason, e.Summary)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
