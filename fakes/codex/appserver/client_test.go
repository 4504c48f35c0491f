//go:build unix

package appserver_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
)

const (
	hello = `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"probe","version":"1"}}}`
	ready = `{"method":"initialized"}`
	begin = `{"id":1,"method":"thread/start","params":{}}`
)

// client is a process and who talks to it.
type client struct {
	*childtest.Host
	run          fakes.Run // of the first turn
	thread, turn string
	nextID       int
}

// connect starts a process and shakes hands.
func connect(t *testing.T, rt *appserver.Runtime) *client {
	t.Helper()
	c := &client{Host: childtest.StartOpen(t, rt, "app-server"), nextID: 2}
	c.Say(t, hello)
	c.lines(t, 3)
	c.Say(t, ready)
	return c
}

// found is what the pattern finds in the text.
func found(t *testing.T, pattern, text string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in %s", pattern, text)
	}
	return m[1]
}

// on asks for a thread: with a method and members of its parameters.
func (c *client) on(t *testing.T, method, members string) *client {
	t.Helper()
	c.Say(t, `{"id":1,"method":"`+method+`","params":{`+members+`}}`)
	c.thread = found(t, `"thread":\{"id":"([^"]+)"`, c.Line(t))
	if method != "thread/resume" {
		c.Line(t) // thread/started
	}
	return c
}

// start asks for a turn, and takes its answer.
func (c *client) start(t *testing.T, text string, members ...string) *client {
	t.Helper()
	more := ""
	for _, m := range members {
		more += "," + m
	}
	answer := c.ask(t, "turn/start", `"input":[{"type":"text","text":"`+text+`"}]`+more)
	c.turn = found(t, `"turn":\{"id":"([^"]+)"`, answer)
	return c
}

// ask puts a request about the thread, and returns the next line.
func (c *client) ask(t *testing.T, method, members string) string {
	t.Helper()
	c.send(t, method, members)
	return c.Line(t)
}

func (c *client) send(t *testing.T, method, members string) {
	t.Helper()
	c.nextID++
	c.Say(t, fmt.Sprintf(`{"id":%d,"method":"%s","params":{"threadId":"%s",%s}}`, c.nextID, method, c.thread, members))
}

func (c *client) interrupt(t *testing.T) {
	t.Helper()
	c.send(t, "turn/interrupt", `"turnId":"`+c.turn+`"`)
}

// lines reads so many lines, and names them.
func (c *client) lines(t *testing.T, n int) []string {
	t.Helper()
	var text strings.Builder
	for range n {
		text.WriteString(c.Line(t))
	}
	return kinds(t, text.String())
}

// finish ends the input and returns what else the process said, and its exit code.
func (c *client) finish(t *testing.T) (rest string, code int) {
	t.Helper()
	c.In.Close()
	rest = c.Rest(t)
	return rest, c.Reap()
}

// running is a process whose turn has begun to speak.
func running(t *testing.T, o appserver.Options) *client {
	t.Helper()
	rt := newRuntime(t, o)
	c := connect(t, rt).on(t, "thread/start", "").start(t, "hello")
	c.run = childtest.Next(t, rt)
	childtest.Emit(t, c.run, fakes.Init{})
	expect(t, "the turn begins", []string{"status active", "turn/started", "started userMessage", "completed userMessage"}, c.lines(t, 4))
	return c
}

// kinds names lines by what tells them apart.
func kinds(t *testing.T, out string) []string {
	t.Helper()
	names := []string{}
	for line := range strings.Lines(out) {
		var m struct {
			ID     *any
			Method string
			Error  *struct{ Message string }
			Params struct {
				Delta     string
				WillRetry *bool
				Item      struct{ Type, Status string }
				Turn      struct{ Status string }
				Status    any
			}
		}
		if err := json.Unmarshal([]byte(line), &m, json.MatchCaseInsensitiveNames(true)); err != nil {
			names = append(names, "not JSON: "+strings.TrimSpace(line))
			continue
		}
		name := m.Method
		switch {
		case m.Error != nil:
			name = "refused: " + m.Error.Message
		case m.Method == "":
			name = "answer"
		case m.Method == "thread/status/changed":
			status, _ := m.Params.Status.(map[string]any)
			name = fmt.Sprint("status ", status["type"])
			if flags, _ := status["activeFlags"].([]any); len(flags) > 0 {
				name += fmt.Sprint(" ", flags[0])
			}
		case m.Method == "turn/completed":
			name += " " + m.Params.Turn.Status
		case m.Method == "item/agentMessage/delta":
			name = "delta " + m.Params.Delta
		case m.Method == "error":
			name = fmt.Sprint("error, retry ", *m.Params.WillRetry)
		case m.Params.Item.Type != "":
			name = strings.TrimPrefix(m.Method, "item/") + " " + m.Params.Item.Type
			if s := m.Params.Item.Status; s != "" && s != "inProgress" && s != "completed" {
				name += " " + s
			}
		case m.ID != nil:
			name = "asks " + m.Method
		}
		names = append(names, name)
	}
	return names
}

func expect(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// calls waits for so many calls, all of the run's thread.
func (c *client) calls(t *testing.T, n int) []fakes.Call {
	t.Helper()
	childtest.Await(t, "all is heard", func() bool { return len(c.run.Calls()) >= n })
	got := slices.Clone(c.run.Calls())
	for i := range got {
		if got[i].Session != c.thread {
			t.Errorf("call %d of session %q", i, got[i].Session)
		}
		got[i].Session = ""
	}
	return got
}

func final(text string) fakes.Final { return fakes.Final{Text: &text} }

func count(in, out int64) fakes.Usage { return fakes.Usage{Kind: fakes.UsageTurn, In: &in, Out: &out} }

var done = fakes.End{Reason: fakes.EndOK}
