//go:build unix

package claudecode_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/adapters/claudecode"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/double"
)

func TestMain(m *testing.M) { os.Exit(double.Main(m)) }

const (
	session = "01890a5d-ac96-774b-bcce-b302099a8057"

	initial  = `say {"type":"system","subtype":"init","session_id":"` + session + `","model":"opus","claude_code_version":"2.1.332"}`
	hello    = `say {"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Hello."}]}}`
	callOpen = `say {"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}`
	answered = `say {"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"end_turn"}}}`
	success  = `say {"type":"result","subtype":"success","is_error":false,"result":"Hello.","total_cost_usd":0.5,"modelUsage":{"opus":{"inputTokens":70,"cacheReadInputTokens":30,"outputTokens":20}}}`
	twice    = `say {"type":"result","subtype":"success","is_error":false,"result":"Hello.","total_cost_usd":0.75,"modelUsage":{"opus":{"inputTokens":170,"cacheReadInputTokens":30,"outputTokens":25}}}`
	aborted  = `say {"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"}`
)

// stage is a test's adapter with its double.
type stage struct {
	*double.Stage
	adapter *claudecode.Adapter
	options claudecode.Options
}

// newStage makes a stage whose doubles do the steps. Most begin by hearing the
// prompt, as the real program does.
func newStage(t *testing.T, steps ...string) *stage {
	t.Helper()
	t.Setenv("HOST_SECRET", "host-secret-value")
	t.Setenv("ANTHROPIC_API_KEY", "canary-api-key")
	s := &stage{Stage: double.NewStage(t)}
	s.options = claudecode.Options{
		Command: s.Command(), Dir: t.TempDir(), Grace: 50 * time.Millisecond, Now: func() time.Time { return time.UnixMilli(1234) },
	}
	s.perform(steps...)
	t.Cleanup(func() {
		if err := s.adapter.Dispose(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stage) perform(steps ...string) {
	s.Play(steps...)
	s.options.Env = append(s.Env(), "GIVEN=canary-given")
	s.adapter = claudecode.New(s.options)
}

// patient is newStage for tests in which no process may be ended by the adapter,
// however slow the machine is.
func patient(t *testing.T, steps ...string) *stage {
	t.Helper()
	s := newStage(t)
	s.options.Grace = time.Minute
	s.fresh(steps...)
	return s
}

// fresh replaces the adapter by a new one with other steps, as a new process of
// the host would have it.
func (s *stage) fresh(steps ...string) {
	s.Helper()
	if err := s.adapter.Dispose(context.Background()); err != nil {
		s.Error(err)
	}
	s.perform(steps...)
}

func (s *stage) start(opts executor.StartOpts) *executor.Run {
	s.Helper()
	return s.Start(s.adapter, opts)
}

func (s *stage) run(opts executor.StartOpts) (*executor.Run, []executor.Event) {
	s.Helper()
	return s.Run(s.adapter, opts)
}

// heardLine is a line that a double read.
type heardLine struct {
	Type    string
	Message struct{ Role, Content string }
	Request struct {
		Subtype string
		Model   *string
	}
	RequestID string `json:"request_id"`
	Response  struct {
		Subtype   string
		RequestID string `json:"request_id"`
		Response  struct {
			Behavior     string
			Message      string
			UpdatedInput any `json:"updatedInput"`
		}
	}
}

// heard is what a double read, line by line.
func (s *stage) heard(c double.Call) []heardLine {
	s.Helper()
	var all []heardLine
	for line := range strings.Lines(c.Stdin) {
		var l heardLine
		if err := json.Unmarshal([]byte(line), &l, json.MatchCaseInsensitiveNames(true)); err != nil {
			s.Fatalf("%v in %q", err, line)
		}
		all = append(all, l)
	}
	return all
}

// prompts lists the messages that a double read.
func (s *stage) prompts(c double.Call) []string {
	s.Helper()
	var all []string
	for _, l := range s.heard(c) {
		if l.Type == "user" && l.Message.Role == "user" {
			all = append(all, l.Message.Content)
		}
	}
	return all
}
