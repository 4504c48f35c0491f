package openclaw_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
	"github.com/adaptercheck/adaptercheck/fakes/script"
)

// byHand starts a gateway that plays a script, and connects to it.
func byHand(t *testing.T, steps string, o openclaw.Options) *client {
	t.Helper()
	s, err := script.Parse(t.Name(), []byte("schema: adaptercheck-script-v1\nsteps:\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- openclaw.PlayScript(ctx, s.Frames, fakes.Play{Stdout: in, Stderr: io.Discard}, o)
	}()
	t.Cleanup(func() {
		cancel()
		if got := <-code; got != 0 {
			t.Errorf("exit code %d", got)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Scan()
	url := lines.Text()
	token := o.Token
	if token == "" {
		lines.Scan()
		_, token, _ = strings.Cut(lines.Text(), openclaw.EnvToken+"=")
	}
	c := dialURL(t, url, token)
	c.greet()
	return c
}

// Each run is told the part of the script whose turn it is.
func TestPlayScript(t *testing.T) {
	c := byHand(t, `  - init
  - delta: "one"
  - end: ok
  - init
  - delta: "two"
  - end: ok
`, openclaw.Options{})
	for i, want := range []string{"one", "two", "one"} {
		c.must("chat.send", send("s", string(rune('a'+i))))
		if got := follow(c.events()).deltas; got != want {
			t.Errorf("run %d said %q", i, got)
		}
	}
}

// A question waits for its answer, and silence for an abort.
func TestPlayScriptWaits(t *testing.T) {
	c := byHand(t, `  - init
  - call: {id: t1, name: exec, input: {command: ls}}
  - ask: {id: q1, tool: exec}
  - delta: "allowed"
  - silent
`, openclaw.Options{Token: "mine"})
	c.must("chat.send", send("s", "k"))
	c.until("exec.approval.requested")
	c.must("exec.approval.resolve", object{"id": "q1", "decision": "allow-once"})
	if got := c.until(`chat delta "allowed"`); len(got) == 0 {
		t.Error("nothing was said")
	}
	c.must("chat.abort", object{"sessionKey": "s"})
	c.until("chat aborted")
}

func TestPlayScriptRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		o      openclaw.Options
		want   string
	}{
		{"a frame", []fakes.Frame{fakes.Init{}, fakes.Exit{}}, openclaw.Options{}, "adaptercheck: frame 1 (exit): openclaw: a connection has no process: unplayable: the fake's wire has no such thing\n"},
		{"a version", nil, openclaw.Options{Version: "1"}, "adaptercheck: fake openclaw: unknown version \"1\", want one of [\"2026.9.6\" \"2026.5.28\" \"2026.4.29\"]\n"},
		{"an address", nil, openclaw.Options{Listen: "0.0.0.0:0"}, "adaptercheck: fake openclaw: listen address \"0.0.0.0:0\": want one of the loopback, as 127.0.0.1:0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := openclaw.PlayScript(t.Context(), c.frames, fakes.Play{Stdout: &out, Stderr: &errs}, c.o)
			if diff := cmp.Diff(c.want, errs.String()); diff != "" || code != 2 || out.Len() > 0 {
				t.Errorf("exit code %d, stdout %q, stderr (-want +got):\n%s", code, &out, diff)
			}
		})
	}
}

// The gateway ticks, as often as it said it would.
func TestTick(t *testing.T) {
	rt := gateway(t, openclaw.Options{Tick: time.Millisecond})
	c := dial(t, rt)
	if got := c.greet()["policy"].(object)["tickIntervalMs"]; got != 1.0 {
		t.Errorf("interval %v", got)
	}
	c.until("tick")
	c.until("tick")
}

// A run is let go of when it is over and every client has read all of it.
func TestGone(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run.Gone(over); err == nil {
		t.Error("a live run is gone")
	}
	emit(t, run, fakes.Init{}, ok)
	unread := make(chan error, 1)
	wait, stop := context.WithCancel(t.Context())
	go func() { unread <- run.Gone(wait) }()
	c.events() // it answers the sign as it reads on
	reading := make(chan struct{})
	go func() { defer close(reading); _, _ = c.next() }()
	if err := <-unread; err != nil {
		t.Errorf("a run that was read: %v", err)
	}
	stop()
	_ = c.ws.CloseNow()
	<-reading
}

// What waits for a run ends with the gateway.
func TestClose(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k")
	waiting := make(chan error, 1)
	go func() { _, err := rt.Next(t.Context()); waiting <- err }()
	for range 2 {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-waiting; err != fakes.ErrClosed {
		t.Errorf("a wait for a run: %v", err)
	}
	if _, err := run.Emit(t.Context(), ok); err != fakes.ErrClosed {
		t.Errorf("a run of a closed gateway: %v", err)
	}
	if status, _ := c.closed(); status != 1006 {
		t.Errorf("closed with %d", status)
	}
	if got := rt.Residue(); !got.Zero() {
		t.Errorf("residue %+v", got)
	}
}
