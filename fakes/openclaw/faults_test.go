package openclaw_test

import (
	"encoding/json"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

// play lets a client hear a run on a connection with a fault at its frame 4: the second
// event. It returns what the client read, and the error that ended it.
func faulty(t *testing.T, f openclaw.Fault) (frames []object, raw [][]byte, last error) {
	t.Helper()
	f.Frame = 4 // challenge, hello, response and an event come before
	rt := gateway(t, openclaw.Options{Faults: []openclaw.Fault{f}})
	c := open(t, rt)
	c.ws.SetReadLimit(30 << 20)
	run := c.send(rt, "s", "k")
	emit(t, run, fakes.Init{}, fakes.Delta{Text: "Hello"}, ok)
	for {
		_, data, err := c.ws.Read(within(t))
		if err != nil {
			return frames, raw, err
		}
		var frame object
		if len(data) < 1<<20 { // else it is padded
			_ = json.Unmarshal(data, &frame)
		}
		frames, raw = append(frames, frame), append(raw, data)
		if strings.Contains(string(data), `"state":"final"`) {
			return frames, raw, nil
		}
	}
}

func numbers(frames []object) (all []float64) {
	for _, f := range frames {
		if n, has := f["seq"].(float64); has {
			all = append(all, n)
		}
	}
	return all
}

// A connection that ends inside a frame has given that much of it, by FIN or RST.
func TestSevered(t *testing.T) {
	for _, kind := range []openclaw.Kind{openclaw.Drop, openclaw.Reset} {
		for _, at := range []int{0, 1, 40} {
			frames, _, err := faulty(t, openclaw.Fault{Kind: kind, Byte: at})
			reset := errors.Is(err, errReset())
			var closed websocket.CloseError
			if len(frames) != 1 || errors.As(err, &closed) || kind == openclaw.Reset && !reset && runtime.GOOS == "linux" || kind == openclaw.Drop && reset {
				t.Errorf("%s at %d: %d frames, %v", kind, at, len(frames), err)
			}
		}
	}
}

func TestFaultsOfFrames(t *testing.T) {
	const events = 14 // of the run
	for _, c := range []struct {
		fault openclaw.Fault
		check func(frames []object, raw [][]byte) bool
	}{
		{openclaw.Fault{Kind: openclaw.Duplicate}, func(f []object, _ [][]byte) bool {
			n := numbers(f)
			return len(f) == events+1 && n[1] == n[2]
		}},
		{openclaw.Fault{Kind: openclaw.Lose, N: 2}, func(f []object, _ [][]byte) bool {
			n := numbers(f)
			return len(f) == events-2 && n[0] == 1 && n[1] == 4
		}},
		{openclaw.Fault{Kind: openclaw.Garble}, func(f []object, raw [][]byte) bool {
			return len(f) == events && f[1] == nil && raw[1][0] == '{' && f[2] != nil
		}},
		{openclaw.Fault{Kind: openclaw.Oversize, N: 1000}, func(f []object, raw [][]byte) bool {
			return len(f) == events && len(raw[1]) > 1000 && f[1]["event"] != nil
		}},
		{openclaw.Fault{Kind: openclaw.Oversize}, func(f []object, raw [][]byte) bool { return len(f) == events && len(raw[1]) > 25<<20 }},
		{openclaw.Fault{Kind: openclaw.Stray}, func(f []object, _ [][]byte) bool { return len(f) == events+1 && f[1]["type"] == "res" }},
		{openclaw.Fault{Kind: openclaw.Noise}, func(f []object, _ [][]byte) bool {
			return len(f) == events+1 && f[1]["seq"] == nil && len(numbers(f)) == events
		}},
		{openclaw.Fault{Kind: openclaw.Split, N: 7}, func(f []object, _ [][]byte) bool { return len(f) == events }},
		{openclaw.Fault{Kind: openclaw.Delay, N: 1}, func(f []object, _ [][]byte) bool { return len(f) == events }},
	} {
		t.Run(string(c.fault.Kind), func(t *testing.T) {
			frames, raw, err := faulty(t, c.fault)
			if err != nil || !c.check(frames, raw) {
				t.Errorf("%d frames, numbers %v, %v", len(frames), numbers(frames), err)
			}
		})
	}
}

func TestCloseFault(t *testing.T) {
	frames, _, err := faulty(t, openclaw.Fault{Kind: openclaw.Close, N: 1012})
	if len(frames) != 1 || websocket.CloseStatus(err) != 1012 {
		t.Errorf("%d frames, %v", len(frames), err)
	}
}

// A gateway that has stalled on a connection says nothing more there, and serves others.
func TestStall(t *testing.T) {
	const far = 40 // the other one does not come to it
	rt := gateway(t, openclaw.Options{Faults: []openclaw.Fault{{Kind: openclaw.Stall, Frame: far}}})
	stalled := open(t, rt)
	for range far - 2 { // challenge and hello came before
		stalled.must("health", object{})
	}
	stalled.ask("health", object{})
	other := open(t, rt)
	run := other.send(rt, "s", "k") // an event for both
	emit(t, run, fakes.Init{}, ok)
	other.events()
	if err := rt.Close(); err != nil {
		t.Error(err)
	}
	if f, err := stalled.next(); err == nil {
		t.Errorf("it said %v", f)
	}
}

// Responses can leave in another order, or not at all.
func TestResponses(t *testing.T) {
	rt := gateway(t, openclaw.Options{Faults: []openclaw.Fault{{Kind: openclaw.Reorder, Frame: 2}, {Kind: openclaw.Unanswered, Method: "health"}}})
	c := open(t, rt)
	first, second := c.ask("agents.list", object{}), c.ask("config.get", object{})
	if one, two := c.read()["id"], c.read()["id"]; one != second || two != first {
		t.Errorf("%v before %v", one, two)
	}
	c.ask("health", object{})
	if got := c.must("health", object{}); got["ok"] != true || len(c.heard) > 0 { // the second one is the fence
		t.Errorf("%v, %v", got, c.heard)
	}
}

// A fault can be added while a run speaks: it counts from there, and strikes one
// connection of those that are open.
func TestStrike(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	one, two := open(t, rt), open(t, rt)
	run := one.send(rt, "s", "k")
	emit(t, run, fakes.Init{})
	if err := rt.Strike(openclaw.Fault{Kind: openclaw.Lose, Frame: 1}); err != nil {
		t.Fatal(err)
	}
	if err := rt.Strike(openclaw.Fault{Kind: openclaw.Unanswered, Method: "health"}); err != nil {
		t.Fatal(err)
	}
	emit(t, run, fakes.Delta{Text: "a"}, ok)
	a, b := one.events(), two.events()
	if len(a)+len(b) != 2*14-1 {
		t.Errorf("%d and %d events", len(a), len(b))
	}
	one.ask("health", object{})
	one.must("health", object{})
}

// A gateway can be slow to challenge: whoever waits is served.
func TestSlowChallenge(t *testing.T) {
	rt := gateway(t, openclaw.Options{Faults: []openclaw.Fault{{Kind: openclaw.Delay, N: 30}}})
	began := time.Now()
	open(t, rt)
	if took := time.Since(began); took < 30*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

// A fault strikes once; who comes back is served.
func TestFaultsStrikeOnce(t *testing.T) {
	rt := gateway(t, openclaw.Options{Faults: []openclaw.Fault{{Kind: openclaw.Reset, Frame: 1}}})
	first := dial(t, rt)
	first.challenged()
	first.ask("connect", first.introduction())
	if status, _ := first.closed(); status != 1006 {
		t.Errorf("closed with %d", status)
	}
	open(t, rt)
}

// A client that lost its connection is told nothing of what it missed; its run goes on,
// and what it said so far can be asked for.
func TestReconnect(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k")
	emit(t, run, fakes.Init{}, fakes.Delta{Text: "one"})
	rt.Disconnect(openclaw.Drop)
	if status, _ := c.closed(); status != 1006 {
		t.Errorf("closed with %d", status)
	}
	if err := run.Gone(within(t)); err != nil { // no connection is left
		t.Fatal(err)
	}
	if receipt := emit(t, run, fakes.Delta{Text: " two"}); receipt.Frames != 0 {
		t.Errorf("nobody is there: %+v", receipt)
	}
	again := open(t, rt)
	if got := again.must("chat.send", send("s", "k"))["status"]; got != "in_flight" {
		t.Errorf("replay: %v", got)
	}
	if got := again.must("chat.history", object{"sessionKey": "s"})["inFlightRun"].(object)["text"]; got != "one two" {
		t.Errorf("so far: %v", got)
	}
	emit(t, run, fakes.Delta{Text: " three"}, ok)
	events := again.events()
	if got := follow(events); got.deltas != " three" || got.whole != "one two three" || events[0]["seq"] != 1.0 {
		t.Errorf("%+v from %v", got, events[0]["seq"])
	}
}

// Down, refuse and slow; cut is the end of the gateway.
func TestFaultsOfTheGateway(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	fault := func(kind fakes.FaultKind, delay int) {
		t.Helper()
		if err := rt.Fault(t.Context(), fakes.Fault{Kind: kind, Delay: delay}); err != nil {
			t.Fatal(err)
		}
	}
	fault(fakes.FaultRefuse, 0)
	c.refused("chat.send", send("s", "k"))
	run := c.send(rt, "s", "k")
	fault(fakes.FaultSlow, 30)
	began := time.Now()
	c.must("health", object{})
	if took := time.Since(began); took < 30*time.Millisecond {
		t.Errorf("a slow answer took %v", took)
	}
	fault(fakes.FaultSlow, 0)
	fault(fakes.FaultDown, 0)
	if status, _ := c.closed(); status != 1006 {
		t.Errorf("closed with %d", status)
	}
	if _, _, err := websocket.Dial(within(t), rt.Endpoint().URL, nil); err == nil {
		t.Error("a gateway that is down let somebody in")
	}
	rt.Up()
	again := open(t, rt)
	emit(t, run, fakes.Delta{Text: "before"}, fakes.Cut{})
	if got := again.until("chat delta"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	if status, _ := again.closed(); status != 1006 {
		t.Errorf("closed with %d", status)
	}
}

// A message that leaves byte by byte is a message, and so is one with a line end.
func TestTorn(t *testing.T) {
	for _, kind := range []fakes.FaultKind{fakes.FaultTorn, fakes.FaultCRLF} {
		rt := gateway(t, openclaw.Options{})
		c := open(t, rt)
		run := c.send(rt, "s", "k")
		if err := run.Fault(t.Context(), fakes.Fault{Kind: kind}); err != nil {
			t.Fatal(err)
		}
		emit(t, run, fakes.Init{})
		_, data, err := c.ws.Read(within(t))
		if err != nil || strings.HasSuffix(string(data), "\r\n") != (kind == fakes.FaultCRLF) {
			t.Errorf("%s: %q, %v", kind, data, err)
		}
		emit(t, run, fakes.Delta{Text: "é漢🦜"}, ok)
		if got := follow(c.events()); got.deltas != "é漢🦜" {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

// A client that does not read is let go when too much waits for it, and holds up nobody.
func TestSlowConsumer(t *testing.T) {
	rt := gateway(t, openclaw.Options{Buffer: 4 << 20})
	c, sleeper := open(t, rt), open(t, rt)
	run := c.send(rt, "s", "k")
	emit(t, run, fakes.Init{})
	text := strings.Repeat("x", 50<<10)
	for range 20 { // far more than the network holds, too
		emit(t, run, fakes.Delta{Text: text})
		c.until("chat delta")
	}
	if status, reason := sleeper.closed(); status != 1008 && status != 1006 {
		t.Errorf("closed with %d %q", status, reason)
	}
}

// What is no fault, and no address of this host, is refused.
func TestOptionsThatAreNone(t *testing.T) {
	for _, o := range []openclaw.Options{
		{Version: "1"}, {Listen: "0.0.0.0:0"}, {Listen: "nonsense"}, {Listen: "example.com:80"},
		{Faults: []openclaw.Fault{{Kind: "explode"}}}, {Faults: []openclaw.Fault{{Kind: openclaw.Drop, Frame: -1}}},
		{Faults: []openclaw.Fault{{Kind: openclaw.Lose, Byte: 3}}}, {Faults: []openclaw.Fault{{Kind: openclaw.Unanswered}}},
		{Faults: []openclaw.Fault{{Kind: openclaw.Close, N: 1006}}},
	} {
		if rt, err := openclaw.New(t.Context(), o); err == nil {
			_ = rt.Close()
			t.Errorf("%+v was taken", o)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := openclaw.New(t.Context(), openclaw.Options{Listen: taken.Addr().String()}); err == nil {
		t.Error("an address that is taken was taken")
	}
	rt := gateway(t, openclaw.Options{})
	if err := rt.Strike(openclaw.Fault{Kind: "explode"}); err == nil {
		t.Error("a fault that is none was taken")
	}
}

// The faults that every connected fake has, at this wire.
func TestFaultsOfConnections(t *testing.T) {
	fault := func(t *testing.T, rt *openclaw.Runtime, kind fakes.FaultKind) {
		t.Helper()
		if err := rt.Fault(t.Context(), fakes.Fault{Kind: kind}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("drop", func(t *testing.T) {
		rt := gateway(t, openclaw.Options{})
		c := open(t, rt)
		run := c.send(rt, "s", "k")
		fault(t, rt, fakes.FaultDrop)
		if status, _ := c.closed(); status != 1006 {
			t.Errorf("closed with %d", status)
		}
		emit(t, run, fakes.Init{}, fakes.Delta{Text: "Hello"}, ok) // nobody hears it
		c = open(t, rt)
		if again := c.must("chat.send", object{"sessionKey": "s", "message": "go", "idempotencyKey": "k"}); again["status"] != "ok" {
			t.Errorf("the run went on and is %v", again)
		}
	})
	t.Run("down and up", func(t *testing.T) {
		rt := gateway(t, openclaw.Options{})
		c := open(t, rt)
		fault(t, rt, fakes.FaultDown)
		if status, _ := c.closed(); status != 1006 {
			t.Errorf("closed with %d", status)
		}
		if _, _, err := websocket.Dial(within(t), rt.Endpoint().URL, nil); err == nil {
			t.Error("a gateway that is down takes connections")
		}
		fault(t, rt, fakes.FaultUp)
		open(t, rt)
	})
	t.Run("restart", func(t *testing.T) {
		rt := gateway(t, openclaw.Options{})
		c := open(t, rt)
		run := c.send(rt, "s", "k")
		fault(t, rt, fakes.FaultRestart)
		if status, reason := c.closed(); status != 1012 || reason != "service restart" {
			t.Errorf("closed with %d %q", status, reason)
		}
		if _, err := run.Emit(t.Context(), fakes.Init{}); !errors.Is(err, fakes.ErrGone) {
			t.Errorf("said by a run that is lost: %v", err)
		}
		open(t, rt)
	})
	t.Run("lose", func(t *testing.T) {
		rt := gateway(t, openclaw.Options{})
		c := open(t, rt)
		run := c.send(rt, "s", "k")
		emit(t, run, fakes.Init{})
		if err := run.Fault(t.Context(), fakes.Fault{Kind: fakes.FaultLose}); err != nil {
			t.Fatal(err)
		}
		emit(t, run, fakes.Delta{Text: "Hello"})
		emit(t, run, fakes.Delta{Text: " there"}, ok)
		var last, gaps float64
		for {
			f := c.read()
			if n, numbered := f["seq"].(float64); numbered {
				gaps += n - last - 1
				last = n
			}
			if s := short(f); strings.Contains(s, "Hello") {
				t.Errorf("arrived all the same: %s", s)
			} else if strings.HasPrefix(s, "chat final") {
				break
			}
		}
		if gaps < 2 { // each of both streams told of it
			t.Errorf("%v numbers are missing", gaps)
		}
	})
	t.Run("swallow", func(t *testing.T) {
		rt := gateway(t, openclaw.Options{})
		c := open(t, rt)
		fault(t, rt, fakes.FaultSwallow)
		for _, key := range []string{"k1", "k2"} {
			c.ask("chat.send", object{"sessionKey": key, "message": "go", "idempotencyKey": key})
			next(t, rt)
		}
		c.must("health", object{}) // behind it nothing else was answered
		for _, f := range c.heard {
			if f["type"] == "res" {
				t.Errorf("answered: %v", f)
			}
		}
	})
}
