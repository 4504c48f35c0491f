package openclaw_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

// limit is how long a step may take before it has failed.
const limit = 20 * time.Second

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func gateway(t testing.TB, o openclaw.Options) *openclaw.Runtime {
	t.Helper()
	rt, err := openclaw.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	return rt
}

// object is a decoded frame.
type object = map[string]any

// client is an end of a connection that says and hears what a test wants.
type client struct {
	t     testing.TB
	ws    *websocket.Conn
	token string
	nonce string
	asked int
	heard []object // events that a wait for a response passed over
}

func dial(t testing.TB, rt *openclaw.Runtime) *client {
	t.Helper()
	end := rt.Endpoint()
	_, token, _ := strings.Cut(end.Env[0], "=")
	return dialURL(t, end.URL, token)
}

func dialURL(t testing.TB, url, token string) *client {
	t.Helper()
	ws, _, err := websocket.Dial(within(t), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(1 << 30)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return &client{t: t, ws: ws, token: token}
}

// open connects and introduces itself.
func open(t testing.TB, rt *openclaw.Runtime, change ...func(object)) *client {
	t.Helper()
	c := dial(t, rt)
	c.greet(change...)
	return c
}

func (c *client) greet(change ...func(object)) object {
	c.t.Helper()
	c.challenged()
	params := c.introduction()
	for _, f := range change {
		f(params)
	}
	res := c.call("connect", params)
	if res["ok"] != true {
		c.t.Fatalf("connect: %v", res)
	}
	return res["payload"].(object)
}

// challenged reads the challenge.
func (c *client) challenged() {
	c.t.Helper()
	f := c.read()
	if f["event"] != "connect.challenge" {
		c.t.Fatalf("not a challenge: %v", f)
	}
	c.nonce = f["payload"].(object)["nonce"].(string)
}

func (c *client) introduction() object {
	return object{
		"minProtocol": 3, "maxProtocol": 4,
		"client": object{"id": "gateway-client", "version": "1", "platform": "linux", "mode": "backend"},
		"role":   "operator", "scopes": []any{"operator.read", "operator.write", "operator.admin"}, "caps": []any{},
		"auth": object{"token": c.token},
	}
}

// read returns the next frame.
func (c *client) read() object {
	c.t.Helper()
	f, err := c.next()
	if err != nil {
		c.t.Fatal(err)
	}
	return f
}

func (c *client) next() (object, error) {
	if len(c.heard) > 0 {
		f := c.heard[0]
		c.heard = c.heard[1:]
		return f, nil
	}
	return c.wire()
}

func (c *client) wire() (object, error) {
	_, data, err := c.ws.Read(within(c.t))
	if err != nil {
		return nil, err
	}
	var f object
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%q: %w", data, err)
	}
	return f, nil
}

func (c *client) write(text string) {
	c.t.Helper()
	if err := c.ws.Write(within(c.t), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request and returns its id.
func (c *client) ask(method string, params any) string {
	c.t.Helper()
	c.asked++
	id := strconv.Itoa(c.asked)
	text, err := json.Marshal(object{"type": "req", "id": id, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(text))
	return id
}

// answer returns the response to a request. Events that come before it are kept.
func (c *client) answer(id string) object {
	c.t.Helper()
	for {
		f, err := c.wire()
		if err != nil {
			c.t.Fatal(err)
		}
		if f["type"] == "res" && f["id"] == id {
			return f
		}
		c.heard = append(c.heard, f)
	}
}

func (c *client) call(method string, params any) object {
	c.t.Helper()
	return c.answer(c.ask(method, params))
}

// must is call for what must be done; it returns the payload.
func (c *client) must(method string, params any) object {
	c.t.Helper()
	res := c.call(method, params)
	if res["ok"] != true {
		c.t.Fatalf("%s: %v", method, res["error"])
	}
	payload, _ := res["payload"].(object)
	return payload
}

// refused is call for what must be refused; it returns the message.
func (c *client) refused(method string, params any) string {
	c.t.Helper()
	res := c.call(method, params)
	if res["ok"] != false {
		c.t.Fatalf("%s was not refused: %v", method, res)
	}
	return res["error"].(object)["message"].(string)
}

// closed reads until the connection ends and returns status and reason; 1006 is an end
// without a closing frame.
func (c *client) closed() (int, string) {
	c.t.Helper()
	for {
		if _, err := c.next(); err != nil {
			var e websocket.CloseError
			if errors.As(err, &e) {
				return int(e.Code), e.Reason
			}
			return 1006, ""
		}
	}
}

// send starts a run and returns both ends' view of it.
func (c *client) send(rt *openclaw.Runtime, session, key string) fakes.Run {
	c.t.Helper()
	ack := c.must("chat.send", object{"sessionKey": session, "message": "go", "idempotencyKey": key})
	if ack["runId"] != key || ack["status"] != "started" {
		c.t.Fatalf("ack %v", ack)
	}
	return next(c.t, rt)
}

func next(t testing.TB, rt *openclaw.Runtime) fakes.Run {
	t.Helper()
	run, err := rt.Next(within(t))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func emit(t testing.TB, run fakes.Run, frames ...fakes.Frame) fakes.Receipt {
	t.Helper()
	receipt, err := run.Emit(within(t), frames...)
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

// until reads events up to one of the kind and lists them in short.
func (c *client) until(last string) []string {
	c.t.Helper()
	var all []string
	for {
		s := short(c.read())
		all = append(all, s)
		if s == last || strings.HasPrefix(s, last+" ") {
			return all
		}
	}
}

// short is an event in few words.
func short(f object) string {
	p, _ := f["payload"].(object)
	switch f["event"] {
	case nil:
		return fmt.Sprintf("res %v", f["ok"])
	case "chat":
		s := fmt.Sprintf("chat %v", p["state"])
		if p["state"] == "status" {
			s += fmt.Sprintf(" %v", p["phase"])
		}
		if d, has := p["deltaText"]; has {
			s += fmt.Sprintf(" %q", d)
		}
		return s
	case "agent":
		d := p["data"].(object)
		s := fmt.Sprintf("agent %v", p["stream"])
		if phase, has := d["phase"]; has {
			s += fmt.Sprintf(" %v", phase)
		}
		if delta, has := d["delta"]; has {
			s += fmt.Sprintf(" %q", delta)
		}
		return s
	default:
		return fmt.Sprint(f["event"])
	}
}

// key is a device's identity.
type key struct{ ed25519.PrivateKey }

func newKey(t testing.TB) key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key{private}
}

func (k key) public() []byte { return k.Public().(ed25519.PublicKey) }

// sign adds the device to an introduction, with a signature of the version.
func (k key) sign(version string, c *client) func(object) {
	return func(p object) {
		at := time.Now().UnixMilli()
		who := p["client"].(object)
		var scopes []string
		for _, s := range p["scopes"].([]any) {
			scopes = append(scopes, s.(string))
		}
		token := ""
		if auth, has := p["auth"].(object); has {
			token, _ = auth["token"].(string)
		}
		id := sha256.Sum256(k.public())
		text := strings.Join([]string{version, hex.EncodeToString(id[:]), who["id"].(string), who["mode"].(string), p["role"].(string),
			strings.Join(scopes, ","), strconv.FormatInt(at, 10), token, c.nonce}, "|")
		if version == "v3" {
			text += "|" + who["platform"].(string) + "|"
		}
		p["device"] = object{
			"id": hex.EncodeToString(id[:]), "publicKey": base64.RawURLEncoding.EncodeToString(k.public()),
			"signature": base64.RawURLEncoding.EncodeToString(ed25519.Sign(k.PrivateKey, []byte(text))), "signedAt": at, "nonce": c.nonce,
		}
	}
}

// kept finds a response among what was passed over.
func (c *client) kept(id string) (object, bool) {
	for i, f := range c.heard {
		if f["type"] == "res" && f["id"] == id {
			c.heard = append(c.heard[:i:i], c.heard[i+1:]...)
			return f, true
		}
	}
	return nil, false
}

func sprint(v any) string { return fmt.Sprint(v) }
