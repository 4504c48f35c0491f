package openclaw_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
)

func send(session, key string) object {
	return object{"sessionKey": session, "message": "go " + key, "idempotencyKey": key}
}

func queue(session, key, mode string) object {
	m := send(session, key)
	m["queueMode"] = mode
	return m
}

// A message that comes again is answered by how its run stands.
func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name string
		end  fakes.Frame
		want string
	}{
		{"went well", ok, "ok"},
		{"failed", fakes.Failure{Fatal: true, Message: "no credit"}, "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := gateway(t, openclaw.Options{})
			client := open(t, rt)
			run := client.send(rt, "s", "k")
			if got := client.must("chat.send", send("s", "k")); got["status"] != "in_flight" {
				t.Errorf("live: %v", got)
			}
			emit(t, run, fakes.Init{}, c.end)
			res := client.call("chat.send", send("s", "k"))
			if res["payload"].(object)["status"] != c.want || res["ok"] != (c.want == "ok") {
				t.Errorf("over: %v", res)
			}
			// A restarted gateway remembers no keys, and live runs are lost.
			lost := client.send(rt, "s", "k2")
			rt.Restart()
			if _, err := lost.Emit(t.Context(), ok); !errors.Is(err, fakes.ErrGone) {
				t.Errorf("a run that was live: %v", err)
			}
			if status, reason := client.closed(); status != 1012 || reason != "service restart" {
				t.Errorf("closed with %d %q", status, reason)
			}
			if got := open(t, rt).must("chat.send", send("s", "k")); got["status"] != "started" {
				t.Errorf("after a restart: %v", got)
			}
		})
	}
}

// One that follows has its turn when the live run is over.
func TestFollowUp(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	first := c.send(rt, "s", "k1")
	c.must("chat.send", queue("s", "k2", "followup"))
	other := c.send(rt, "t", "k3") // of another session: it does not wait
	if got := other.Begun().Run; got != "k3" {
		t.Fatalf("%s arrived", got)
	}
	emit(t, first, fakes.Init{}, ok)
	second := next(t, rt)
	if begun := second.Begun(); begun.Run != "k2" || begun.Message != "go k2" || begun.Resume == "" {
		t.Errorf("begun %+v", begun)
	}
}

// One that steers goes into the live run: it is input there, and ends with it, without a
// message.
func TestSteer(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k1")
	c.must("chat.send", send("s", "k2"))
	calls := run.Calls()
	if len(calls) != 1 || calls[0].Method != fakes.MethodInput || calls[0].Value != "go k2" {
		t.Errorf("calls %+v", calls)
	}
	emit(t, run, fakes.Init{}, fakes.Delta{Text: "both"}, ok)
	c.until("chat final")
	last := c.read()["payload"].(object)
	if last["runId"] != "k2" || last["state"] != "final" || last["message"] != nil || last["seq"] != 1.0 {
		t.Errorf("the steered one: %v", last)
	}
}

// One that interrupts ends the live run and what waits.
func TestInterrupt(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	run := c.send(rt, "s", "k1")
	c.must("chat.send", queue("s", "k2", "followup"))
	emit(t, run, fakes.Init{}, fakes.Delta{Text: "half"})
	c.until("chat delta")
	ack := c.must("chat.send", queue("s", "k3", "interrupt"))
	if ack["interruptedActiveRun"] != true {
		t.Errorf("ack %v", ack)
	}
	if got := next(t, rt).Begun().Run; got != "k3" {
		t.Errorf("%s arrived", got)
	}
	want := []string{"agent lifecycle model", "agent lifecycle model", "agent lifecycle error", "chat aborted"}
	if diff := cmp.Diff(want, c.until("chat aborted")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.ContainsFunc(run.Calls(), func(c fakes.Call) bool { return c.Method == fakes.MethodCancel }) {
		t.Error("the run was not told")
	}
	c.until("chat error") // the one that waited
}

// An abort takes one run by its id or all of a session, and nothing of another.
func TestAbortTargets(t *testing.T) {
	rt := gateway(t, openclaw.Options{})
	c := open(t, rt)
	a, b := c.send(rt, "a", "k1"), c.send(rt, "b", "k2")
	c.must("chat.send", queue("a", "k3", "followup"))
	emit(t, a, fakes.Init{})
	if got := c.must("chat.abort", object{"sessionKey": "a", "runId": "k2"}); got["aborted"] != false {
		t.Errorf("a run of another session: %v", got)
	}
	if got := c.must("chat.abort", object{"sessionKey": "agent:main:a"}); sprint(got["runIds"]) != "[k1 k3]" {
		t.Errorf("all: %v", got)
	}
	if len(b.Calls()) > 0 {
		t.Errorf("the other session: %+v", b.Calls())
	}
	if got := c.must("sessions.abort", object{"key": "a"}); got["status"] != "no-active-run" || got["abortedRunId"] != nil {
		t.Errorf("again: %v", got)
	}
}

// A run that is silent, deaf or held does not end by itself when it is aborted; the
// request is answered.
func TestRunsThatDoNotStop(t *testing.T) {
	for _, kind := range []fakes.FaultKind{fakes.FaultSilent, fakes.FaultDeaf, fakes.FaultHold} {
		t.Run(string(kind), func(t *testing.T) {
			rt := gateway(t, openclaw.Options{})
			c := open(t, rt)
			run := c.send(rt, "s", "k")
			if err := run.Fault(t.Context(), fakes.Fault{Kind: kind}); err != nil {
				t.Fatal(err)
			}
			if got := c.must("chat.abort", object{"sessionKey": "s"}); got["aborted"] != true || len(c.heard) > 0 {
				t.Errorf("%v, events %v", got, c.heard)
			}
			receipt := emit(t, run, fakes.Delta{Text: "x"}, fakes.End{Reason: fakes.EndAborted})
			if silent := kind == fakes.FaultSilent; silent != (receipt.Frames == 0) {
				t.Errorf("receipt %+v", receipt)
			}
		})
	}
}

// An agent request is answered twice, also where the run fails or is aborted, and
// agent.wait when the run is over.
func TestAgent(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*client, fakes.Run)
		want object
		wait string
	}{
		{"well", func(c *client, run fakes.Run) { emit(c.t, run, ok) }, object{"ok": true, "status": "ok"}, "ok"},
		{"failed", func(c *client, run fakes.Run) {
			emit(c.t, run, fakes.Failure{Fatal: true, Message: "no credit"})
		}, object{"ok": false, "status": "error"}, "error"},
		{"aborted", func(c *client, _ fakes.Run) {
			c.must("chat.abort", object{"sessionKey": "s"})
		}, object{"ok": true, "status": "timeout"}, "timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := gateway(t, openclaw.Options{})
			client, other := open(t, rt), open(t, rt)
			id := client.ask("agent", object{"message": "go", "sessionKey": "s", "idempotencyKey": "k"})
			if got := client.answer(id)["payload"].(object)["status"]; got != "accepted" {
				t.Fatalf("first answer %v", got)
			}
			run := next(t, rt)
			waiting := other.ask("agent.wait", object{"runId": "k", "timeoutMs": 60000})
			emit(t, run, fakes.Init{}, fakes.Delta{Text: "hi"})
			c.end(client, run)
			res, found := client.kept(id)
			if !found {
				res = client.answer(id)
			}
			if got := (object{"ok": res["ok"], "status": res["payload"].(object)["status"]}); !cmp.Equal(c.want, got) {
				t.Errorf("second answer %v", res)
			}
			if got := other.answer(waiting)["payload"].(object)["status"]; got != c.wait {
				t.Errorf("agent.wait: %v", got)
			}
		})
	}
}
