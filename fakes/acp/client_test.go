//go:build unix

package acp_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
)

const (
	hi    = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`
	begin = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`
)

func newRuntime(t *testing.T, o acp.Options) *acp.Runtime {
	t.Helper()
	rt, err := acp.New(t.Context(), o)
	return childtest.Closing(t, rt, err)
}

// host is a process and who talks to it.
type host struct {
	*childtest.Host
	run     fakes.Run // of the first prompt
	session string
	nextID  int
}

// connect starts a process and shakes hands.
func connect(t *testing.T, rt *acp.Runtime, args ...string) *host {
	t.Helper()
	h := &host{Host: childtest.StartOpen(t, rt, args...), nextID: 1}
	h.Say(t, hi)
	h.Line(t)
	return h
}

// on asks for a session by a line, and takes what is said up to the commands, which are
// the last of it.
func (h *host) on(t *testing.T, line string) *host {
	t.Helper()
	h.Say(t, line)
	for line := ""; !strings.Contains(line, "available_commands_update"); {
		line = h.Line(t)
		if m := regexp.MustCompile(`"sessionId":"([^"]+)"`).FindStringSubmatch(line); m != nil {
			h.session = m[1]
		}
	}
	return h
}

// send puts a request about the session.
func (h *host) send(t *testing.T, method, members string) {
	t.Helper()
	h.nextID++
	h.Say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"sessionId":%q%s}}`, h.nextID, method, h.session, members))
}

func (h *host) prompt(t *testing.T, text string) {
	t.Helper()
	h.send(t, "session/prompt", `,"prompt":[{"type":"text","text":"`+text+`"}]`)
}

func (h *host) cancel(t *testing.T) {
	t.Helper()
	h.Say(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, h.session))
}

// running is a process that was sent a prompt.
func running(t *testing.T, o acp.Options) *host {
	t.Helper()
	rt := newRuntime(t, o)
	h := connect(t, rt).on(t, begin)
	h.prompt(t, "hello")
	h.run = childtest.Next(t, rt)
	return h
}

// lines reads so many lines, and names them.
func (h *host) lines(t *testing.T, n int) []string {
	t.Helper()
	var text strings.Builder
	for range n {
		text.WriteString(h.Line(t))
	}
	return kinds(t, text.String())
}

// finish ends the input and returns what else the process said, and its exit code.
func (h *host) finish(t *testing.T) (rest []string, code int) {
	t.Helper()
	h.In.Close()
	rest = kinds(t, h.Rest(t))
	return rest, h.Reap()
}

// calls waits for so many calls.
func (h *host) calls(t *testing.T, n int) []fakes.Call {
	t.Helper()
	childtest.Await(t, "all is heard", func() bool { return len(h.run.Calls()) >= n })
	got := slices.Clone(h.run.Calls())
	for i := range got {
		got[i].Session = ""
	}
	return got
}

// breaches are the codes of those that were heard.
func (h *host) breaches() []string {
	codes := []string{}
	for _, c := range h.run.Calls() {
		if c.Method == fakes.MethodBreach {
			codes = append(codes, c.Code)
		}
	}
	return codes
}

// kinds names lines by what tells them apart.
func kinds(t *testing.T, out string) []string {
	t.Helper()
	names := []string{}
	for line := range strings.Lines(out) {
		var m struct {
			ID     *any
			Method string
			Error  *struct {
				Code    int
				Message string
			}
			Result struct{ StopReason string }
			Params struct {
				Update struct {
					SessionUpdate, Status, ToolCallId string
					Content                           any
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &m, json.MatchCaseInsensitiveNames(true)); err != nil {
			names = append(names, "not JSON: "+strings.TrimSpace(line))
			continue
		}
		u, name := m.Params.Update, m.Method
		switch {
		case m.Error != nil:
			name = fmt.Sprintf("refused %d: %s", m.Error.Code, m.Error.Message)
		case m.Method == "":
			name = strings.TrimSpace("answer " + m.Result.StopReason)
		case m.Method == "session/update":
			name = u.SessionUpdate
			if u.ToolCallId != "" {
				name = strings.TrimSpace(name + " " + u.ToolCallId + " " + u.Status)
			}
			if block, is := u.Content.(map[string]any); is {
				name += fmt.Sprint(" ", block["text"])
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

func final(text string) fakes.Final { return fakes.Final{Text: &text} }

var done = fakes.End{Reason: fakes.EndOK}
