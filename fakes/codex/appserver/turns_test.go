//go:build unix

package appserver_test

import (
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
)

// A turn goes from its start to its end, and the process stays for the next one.
func TestTurns(t *testing.T) {
	c := running(t, appserver.Options{})
	childtest.Emit(t, c.run, fakes.Think{Text: "hm"}, fakes.Delta{Text: "a"}, fakes.Delta{Text: "b"}, count(10, 2), final("whole"), done)
	expect(t, "lines", []string{
		"started reasoning", "item/reasoning/summaryPartAdded", "item/reasoning/summaryTextDelta", "completed reasoning",
		"started agentMessage", "delta a", "delta b", "completed agentMessage", "thread/tokenUsage/updated", "account/rateLimits/updated",
		"started agentMessage", "completed agentMessage", "status idle", "turn/completed completed",
	}, c.lines(t, 14))

	first := c.turn
	c.start(t, "again", `"model":"m-2"`)
	if c.turn == first {
		t.Error("the second turn has the first one's id")
	}
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodStart, Message: "again", Model: "m-2", Dir: c.run.Begun().Dir}}, c.calls(t, 1))
	childtest.Emit(t, c.run, fakes.Init{}, done)
	c.lines(t, 5)
	if line := c.Line(t); !strings.Contains(line, c.turn) || !strings.Contains(line, `"status":"completed"`) {
		t.Errorf("end %s", line)
	}
	if rest, code := c.finish(t); rest != "" || code != 0 {
		t.Errorf("exit code %d, %q", code, rest)
	}
	expect(t, "the last call", fakes.Call{Method: fakes.MethodInputEnd}, c.calls(t, 2)[1])
}

// A turn that is asked for while one goes on with the thread becomes part of it.
func TestTurnWithinATurn(t *testing.T) {
	c := running(t, appserver.Options{})
	first := c.turn
	childtest.Emit(t, c.run, fakes.Delta{Text: "a"})
	c.lines(t, 2)
	c.start(t, "more")
	if c.turn == first {
		t.Error("the second turn has the first one's id")
	}
	expect(t, "lines", []string{"account/rateLimits/updated", "started userMessage", "completed userMessage"}, c.lines(t, 3))
	childtest.Emit(t, c.run, fakes.Delta{Text: "b"}, done)
	rest, _ := c.finish(t)
	if strings.Contains(rest, c.turn) || !strings.Contains(rest, first) {
		t.Errorf("the end of another turn: %s", rest)
	}
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodInput, Value: "more"}, {Method: fakes.MethodInputEnd}}, c.calls(t, 2))
}

// A turn on another thread waits for its own init.
func TestTurnOnAnotherThread(t *testing.T) {
	c := running(t, appserver.Options{})
	first := c.thread
	c.on(t, "thread/start", "")
	if c.thread == first {
		t.Error("the second thread has the first one's id")
	}
	c.start(t, "other")
	childtest.Emit(t, c.run, done)
	expect(t, "lines", []string{"status idle", "turn/completed completed"}, c.lines(t, 2))
	childtest.Emit(t, c.run, fakes.Init{})
	if line := c.Line(t) + c.Line(t); strings.Count(line, c.thread) != 2 || !strings.Contains(line, c.turn) {
		t.Errorf("the turn begins: %s", line)
	}
}

// A message steers the turn at once while the model speaks, and after its tools else.
func TestSteer(t *testing.T) {
	c := running(t, appserver.Options{})
	steer := func(text, turn string) string {
		return c.ask(t, "turn/steer", `"expectedTurnId":"`+turn+`","input":[{"type":"text","text":"`+text+`"}]`)
	}
	expect(t, "wrong turn", []string{"refused: expected active turn id `x` but found `" + c.turn + "`"}, kinds(t, steer("a", "x")))
	expect(t, "nothing", []string{"refused: input must not be empty"}, kinds(t, c.ask(t, "turn/steer", `"expectedTurnId":"`+c.turn+`","input":[]`)))
	childtest.Emit(t, c.run, fakes.Delta{Text: "a"})
	c.lines(t, 2)
	if line := steer("one", c.turn); !strings.HasSuffix(line, `"result":{"turnId":"`+c.turn+`"}}`+"\n") {
		t.Errorf("answer %s", line)
	}
	expect(t, "at once", []string{"account/rateLimits/updated", "started userMessage", "completed userMessage"}, c.lines(t, 3))

	childtest.Emit(t, c.run, fakes.ToolCall{ID: "t1", Name: "shell", Input: `"ls"`}, count(1, 1))
	c.lines(t, 3)
	steer("two", c.turn)
	childtest.Emit(t, c.run, fakes.Result{ID: "t1", Out: "x"}, fakes.Delta{Text: "b"}, done)
	expect(t, "after the tool", []string{"completed commandExecution", "started userMessage", "completed userMessage", "started agentMessage", "delta b"}, c.lines(t, 5))
	c.finish(t)
	expect(t, "calls", []fakes.Call{{Method: fakes.MethodInput, Value: "one"}, {Method: fakes.MethodInput, Value: "two"}, {Method: fakes.MethodInputEnd}}, c.calls(t, 3))
}

// An interrupt is answered before the turn ends, and leaves items open.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []fakes.Frame
		said   int
		want   []string
	}{
		{"nothing said", nil, 0, []string{"answer", "status idle", "turn/completed interrupted"}},
		{"while it speaks", []fakes.Frame{fakes.Delta{Text: "a"}}, 2, []string{"account/rateLimits/updated", "answer", "status idle", "turn/completed interrupted"}},
		{"while a tool runs", []fakes.Frame{fakes.ToolCall{ID: "t", Name: "shell", Input: `"ls"`}, count(1, 1), fakes.Child{OwnSession: true}}, 3, []string{"answer", "status idle", "turn/completed interrupted"}},
		{"while a question waits", []fakes.Frame{fakes.Ask{ID: "q", Tool: "shell"}}, 2, []string{"serverRequest/resolved", "answer", "status idle", "turn/completed interrupted"}},
		{"deaf to words", []fakes.Frame{fakes.Silent{}}, 0, []string{"answer", "status idle", "turn/completed interrupted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := running(t, appserver.Options{})
			childtest.Emit(t, h.run, c.frames...)
			h.lines(t, c.said)
			h.interrupt(t)
			expect(t, "lines", c.want, h.lines(t, len(c.want)))
			h.interrupt(t)
			expect(t, "once more", []string{"refused: no active turn to interrupt"}, h.lines(t, 1))
			expect(t, "calls", []fakes.Call{{Method: fakes.MethodCancel}, {Method: fakes.MethodCancel}}, h.calls(t, 2))
			if rest, code := h.finish(t); rest != "" || code != 0 {
				t.Errorf("exit code %d, %q", code, rest)
			}
		})
	}
}

// A turn that has not begun to speak cannot be interrupted by its id.
func TestInterruptBeforeTheTurnHasBegun(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	c := connect(t, rt).on(t, "thread/start", "").start(t, "hello")
	c.run = childtest.Next(t, rt)
	c.interrupt(t)
	expect(t, "too early", []string{"refused: no active turn to interrupt"}, c.lines(t, 1))
	childtest.Emit(t, c.run, fakes.Delta{Text: "no init"})
	c.lines(t, 2)
	c.send(t, "turn/interrupt", `"turnId":"x"`)
	expect(t, "another", []string{"refused: expected active turn id x but found " + c.turn}, c.lines(t, 1))
	c.interrupt(t)
	c.lines(t, 3)
	expect(t, "end", []string{"turn/completed interrupted"}, c.lines(t, 1))

	c.start(t, "again")
	c.send(t, "turn/interrupt", `"turnId":""`)
	expect(t, "what starts up", []string{"answer", "status idle", "turn/completed interrupted"}, c.lines(t, 3))
}

// A process that holds takes the interrupt and goes on; a deaf one does not answer.
func TestInterruptUnderFaults(t *testing.T) {
	c := running(t, appserver.Options{})
	childtest.Fault(t, c.run, fakes.FaultHold)
	c.interrupt(t)
	expect(t, "held", []string{"answer"}, c.lines(t, 1))
	childtest.Emit(t, c.run, fakes.Delta{Text: "on"}, fakes.Ignore{Signal: "INT"})
	c.lines(t, 2)
	c.interrupt(t)
	childtest.Await(t, "it is heard", func() bool { return len(c.run.Calls()) == 2 })
	childtest.Emit(t, c.run, done)
	expect(t, "deaf", []string{"completed agentMessage", "status idle", "turn/completed completed"}, c.lines(t, 3))
}
