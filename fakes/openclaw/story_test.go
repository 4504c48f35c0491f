package openclaw_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// story is a recording that is being told again.
type story struct {
	t        *testing.T
	name     string
	rt       *openclaw.Runtime
	client   *client
	key      key
	run      fakes.Run
	requests []fixtures.Passed // of the client, not yet made
	want     []fixtures.Passed // what came from the server
	frames   chan object
	got      []object
	status   int // of the close
	reason   string
	closed   chan struct{}
}

func newStory(t *testing.T, name string) *story {
	t.Helper()
	passed, err := fixtures.LoadExchange(recorded, name)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, name: name, key: newKey(t), frames: make(chan object, 1024), closed: make(chan struct{})}
	for _, p := range passed {
		switch {
		case p.Dir == fixtures.FromClient:
			s.requests = append(s.requests, p)
		case p.Dir == fixtures.FromServer && len(p.Frame) > 0 || p.What == "server-close":
			s.want = append(s.want, p)
		}
	}
	s.rt = gateway(t, openclaw.Options{Throttle: true, ConnectWait: 500 * time.Millisecond, Providers: []string{"e401", "e429", "e500"}})
	s.pair(passed)
	s.client = dial(t, s.rt)
	go s.listen()
	s.take() // the challenge
	return s
}

// pair makes the device known, where the recorded one was.
func (s *story) pair(passed []fixtures.Passed) {
	for i, p := range passed {
		if !strings.Contains(string(p.Frame), `"device"`) || p.Dir != fixtures.FromClient {
			continue
		}
		if answer := string(passed[i+1].Frame); strings.Contains(answer, "hello-ok") && !strings.Contains(answer, "deviceToken") {
			before := dial(s.t, s.rt)
			before.challenged()
			params := s.params(p)
			s.key.sign("v3", before)(params)
			if before.call("connect", params)["ok"] != true {
				s.t.Fatal("the device was not paired")
			}
		}
		return
	}
}

func (s *story) listen() {
	defer close(s.closed)
	for {
		_, data, err := s.client.ws.Read(context.Background())
		if err != nil {
			var e websocket.CloseError
			if errors.As(err, &e) {
				s.status, s.reason = int(e.Code), e.Reason
			}
			return
		}
		var f object
		if json.Unmarshal(data, &f) == nil {
			s.frames <- f
		}
	}
}

// take returns the next frame.
func (s *story) take() (object, bool) {
	s.t.Helper()
	select {
	case f := <-s.frames:
		s.got = append(s.got, f)
		if f["event"] == "connect.challenge" {
			s.client.nonce = f["payload"].(object)["nonce"].(string)
		}
		return f, true
	case <-s.closed:
		select {
		case f := <-s.frames:
			s.got = append(s.got, f)
			return f, true
		default:
			return nil, false
		}
	case <-within(s.t).Done():
		s.t.Fatal("the gateway said nothing more")
		return nil, false
	}
}

func (s *story) params(p fixtures.Passed) object {
	var frame struct{ Params object }
	if err := json.Unmarshal(p.Frame, &frame); err != nil {
		s.t.Fatal(err)
	}
	if auth, has := frame.Params["auth"].(object); has && auth["token"] == "TEST-TOKEN" {
		auth["token"] = strings.TrimPrefix(s.rt.Endpoint().Env[0], openclaw.EnvToken+"=")
	}
	return frame.Params
}

// ask makes the request that was recorded next and waits for its response.
func (s *story) ask() {
	s.t.Helper()
	p := s.requests[0]
	s.requests = s.requests[1:]
	var frame object
	if err := json.Unmarshal(p.Frame, &frame); err != nil {
		s.t.Fatal(err)
	}
	if raw, is := frame["_raw"]; is {
		s.client.write(raw.(string))
		return
	}
	if params, has := frame["params"].(object); has {
		changed := s.params(p)
		if device, has := params["device"].(object); has {
			s.sign(changed, device)
		}
		frame["params"] = changed
	}
	text, err := json.Marshal(frame)
	if err != nil {
		s.t.Fatal(err)
	}
	s.client.write(string(text))
	for {
		f, more := s.take()
		if !more || f["type"] == "res" && f["id"] == frame["id"] {
			return
		}
	}
}

// sign gives an introduction a device that is wrong as the recorded one was.
func (s *story) sign(params, was object) {
	c := *s.client
	if was["nonce"] != "00000000-0000-4000-8000-000000000001" && was["nonce"] != nil {
		c.nonce = "00000000-0000-4000-8000-000000000002"
	}
	s.key.sign("v2", &c)(params)
	device := params["device"].(object)
	switch {
	case was["nonce"] == nil:
		delete(device, "nonce")
	case s.name == "connect-bad-device-id":
		device["id"] = strings.Repeat("0", 64)
	case s.name == "connect-bad-sig":
		device["signature"] = strings.Repeat("A", 86)
	case was["signedAt"].(float64) < 1800000000000-1000:
		device["signedAt"] = time.Now().Add(-time.Hour).UnixMilli()
	}
}

// latest is the run that arrived last.
func (s *story) latest() fakes.Run {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	cancel()
	if run, err := s.rt.Next(ctx); err == nil { // one that is there comes at once
		s.run = run
	}
	return s.run
}

// compare hears the rest and compares all of it.
func (s *story) compare() {
	s.t.Helper()
	serverCloses := false
	var want []object
	for _, p := range s.want {
		if p.What == "server-close" {
			serverCloses = p.Code != 1005
			if serverCloses {
				s.hearClose(p)
			}
			continue
		}
		var f object
		if err := json.Unmarshal(p.Frame, &f); err != nil {
			s.t.Fatal(err)
		}
		want = append(want, f)
	}
	if !serverCloses {
		s.client.write(`{"type":"req","id":"fence","method":"health"}`)
		for f, more := s.take(); more && f["id"] != "fence"; f, more = s.take() {
		}
		s.got = s.got[:len(s.got)-1]
	}
	want, got := plain(want, s.name != "err429"), plain(s.got, s.name != "err429")
	if s.name == "err429" { // the recorder left in the pause before the last attempt
		got = got[:min(len(want), len(got))]
	}
	if s.name == "approval" { // its last response comes late, among events of what it allowed
		want, got = eventsFirst(want), eventsFirst(got)
	}
	if problem := fidelity.Differ(lines(s.t, want), lines(s.t, got), nil); problem != "" {
		s.t.Error(problem)
	}
}

func (s *story) hearClose(p fixtures.Passed) {
	s.t.Helper()
	for _, more := s.take(); more; _, more = s.take() {
	}
	if s.status != p.Code || s.reason != p.Reason {
		s.t.Errorf("closed with %d %q, recorded %d %q", s.status, s.reason, p.Code, p.Reason)
	}
}
