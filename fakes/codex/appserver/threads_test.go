//go:build unix

package appserver_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
)

// The start of a run is what the client asked for, of the thread and of the turn.
func TestBegun(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	h := connect(t, rt).on(t, "thread/start", `"cwd":"/one","model":"m-1"`)
	h.start(t, `a\nb`, `"model":"m-2"`, `"cwd":"/two"`)
	begun := childtest.Next(t, rt).Begun()
	expect(t, "begun", fakes.Call{Method: fakes.MethodStart, Session: h.thread, Message: "a\nb", Model: "m-2", Dir: "/two",
		Args: []string{"app-server"}, Env: []string{"PATH", "PROBE"}}, begun)

	h = connect(t, rt).on(t, "thread/start", "").start(t, "x")
	begun = childtest.Next(t, rt).Begun()
	dir, err := filepath.EvalSymlinks(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if begun.Model != "" || begun.Dir != dir || begun.Resume != "" {
		t.Errorf("begun %+v", begun)
	}
}

// total is what the process tells that a thread has spent, input and output.
func total(t *testing.T, line string) string {
	t.Helper()
	return found(t, `"total":\{"totalTokens":[0-9]+,("inputTokens":[0-9]+),`, line)
}

// What a thread has spent lasts from one process to the next, is told when it is resumed,
// and goes with a fork.
func TestThreadsLast(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	first := connect(t, rt).on(t, "thread/start", "").start(t, "a")
	first.run = childtest.Next(t, rt)
	childtest.Emit(t, first.run, fakes.Init{}, count(100, 20), done)
	first.finish(t)

	second := connect(t, rt).on(t, "thread/resume", `"threadId":"`+first.thread+`"`)
	if line := second.Line(t); total(t, line) != `"inputTokens":100` || !strings.Contains(line, first.turn) {
		t.Errorf("restated %s", line)
	}
	second.start(t, "b")
	run := childtest.Next(t, rt)
	if b := run.Begun(); b.Session != first.thread || b.Resume != first.thread {
		t.Errorf("begun %+v", b)
	}
	if r := childtest.Emit(t, run, fakes.Init{}, count(7, 1)); r.Session != first.thread {
		t.Errorf("receipt %+v", r)
	}
	second.lines(t, 4)
	if line := second.Line(t); total(t, line) != `"inputTokens":107` || !strings.Contains(line, `"last":{"totalTokens":8,"inputTokens":7,`) {
		t.Errorf("resumed %s", line)
	}
	second.finish(t)

	fork := connect(t, rt).on(t, "thread/fork", `"threadId":"`+first.thread+`"`).start(t, "c")
	run = childtest.Next(t, rt)
	if b := run.Begun(); b.Session != fork.thread || b.Session == first.thread || b.Resume != first.thread {
		t.Errorf("begun %+v", b)
	}
	in, out := int64(150), int64(30)
	childtest.Emit(t, run, fakes.Init{}, fakes.Usage{Kind: fakes.UsageTotal, In: &in, Out: &out})
	fork.lines(t, 4)
	if line := fork.Line(t); total(t, line) != `"inputTokens":150` || !strings.Contains(line, `"last":{"totalTokens":52,"inputTokens":43,`) {
		t.Errorf("forked %s", line)
	}
}

// A thread without a turn, and one that is ephemeral, is not remembered.
func TestThreadsThatDoNotLast(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	empty := connect(t, rt).on(t, "thread/start", "")
	empty.finish(t)
	brief := connect(t, rt).on(t, "thread/start", `"ephemeral":true`).start(t, "a")
	childtest.Emit(t, childtest.Next(t, rt), fakes.Init{}, count(1, 1), done)
	brief.finish(t)
	for _, id := range []string{empty.thread, brief.thread} {
		c := connect(t, rt)
		c.Say(t, `{"id":1,"method":"thread/resume","params":{"threadId":"`+id+`"}}`)
		expect(t, "resume", []string{"refused: no rollout found for thread id " + id}, c.lines(t, 1))
	}
}

// `codex exec` and the app-server of one home count one total.
func TestOneTotalWithExec(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	home := filepath.Join(rt.Endpoint().Dir, "sessions")
	c := connect(t, rt).on(t, "thread/start", "").start(t, "a")
	childtest.Emit(t, childtest.Next(t, rt), fakes.Init{}, count(100, 20), done)
	c.finish(t)

	var out strings.Builder
	play := fakes.Play{Args: []string{"app-server"}, Stdin: strings.NewReader(hello + "\n" + ready + "\n" + `{"id":1,"method":"thread/resume","params":{"threadId":"` + c.thread + `"}}` + "\n"), Stdout: &out, Stderr: &out}
	appserver.PlayScript(t.Context(), nil, play, appserver.Options{Home: home})
	if total(t, out.String()) != `"inputTokens":100` {
		t.Errorf("resumed: %s", &out)
	}

	ex, err := codex.New(t.Context(), codex.Options{})
	childtest.Closing(t, ex, err)
	h := childtest.Start(t, ex, "exec", "--json", "go")
	run := childtest.Next(t, ex)
	childtest.Emit(t, run, fakes.Init{}, count(30, 4), done)
	h.Rest(t)
	out.Reset()
	play.Stdin = strings.NewReader(hello + "\n" + ready + "\n" + `{"id":1,"method":"thread/resume","params":{"threadId":"` + run.Begun().Session + `"}}` + "\n")
	appserver.PlayScript(t.Context(), nil, play, appserver.Options{Home: filepath.Join(ex.Endpoint().Dir, "sessions")})
	if total(t, out.String()) != `"inputTokens":30` {
		t.Errorf("what exec spent: %s", &out)
	}
}

// A refused start is an answer; the process goes on.
func TestRefusedStart(t *testing.T) {
	rt := newRuntime(t, appserver.Options{})
	if err := rt.Fault(childtest.Within(t), fakes.Fault{Kind: fakes.FaultRefuse}); err != nil {
		t.Fatal(err)
	}
	c := connect(t, rt)
	c.Say(t, begin)
	expect(t, "answer", []string{"refused: the start was refused"}, c.lines(t, 1))
	if _, code := c.finish(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	connect(t, rt).on(t, "thread/start", "").start(t, "x")
	childtest.Next(t, rt)
}
