package acp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/acp"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

const recordings = "acp"

// span is a part of a recording, both ends included.
type span struct {
	from, to int
	why      string
}

// story is how a recording is told again.
type story struct {
	version string
	steps   func([]fixtures.Passed) []fakes.Frame
	// apart is what is not told.
	apart []span
}

const busy = "prompts that are sent while another one is open: what comes of them depends on moments"

var stories = map[string]story{
	"opencode-1.18.33": {"opencode-1.18.33", openCodeStory, nil},
	"opencode-1.18.33-permission": {"opencode-1.18.33", permissionStory, []span{
		{49, 49, "the tool is said to begin before the permission is given: a race of the agent"},
		{55, 129, busy}, {136, 160, "the history of those prompts"},
	}},
	"claude-agent-acp-0.101.0": {"claude-agent-acp-0.101.0", claudeStory, []span{
		{77, 208, busy + "; the last one is never answered"}, {216, 238, "the history of those prompts"},
	}},
	"pi-acp-0.0.34": {"pi-acp-0.0.34", piStory, nil},
}

func says(msg string, texts ...string) []fakes.Frame {
	var all []fakes.Frame
	for _, text := range texts {
		all = append(all, fakes.Delta{Text: text, Msg: msg})
	}
	return all
}

var (
	hello    = []string{"Hello", " from", " the", " fake", " model."}
	finished = []string{"Tool ", "finished, ", "all ", "done."}
	slow     = []string{"slow0 ", "slow1 ", "slow2 ", "slow3 "}
)

const command = `{"command":"echo tool-says-hi","description":"say hi"}`

// as is what the agent says beside its words: an update as it was recorded.
func as(all []fixtures.Passed, i int) fakes.Frame {
	var m struct {
		Params struct {
			Update map[string]jsontext.Value `json:"update"`
		} `json:"params"`
	}
	if err := json.Unmarshal(all[i].Frame, &m); err != nil {
		panic(err)
	}
	kind := strings.Trim(string(m.Params.Update["sessionUpdate"]), `"`)
	delete(m.Params.Update, "sessionUpdate")
	fields, err := json.Marshal(m.Params.Update)
	if err != nil {
		panic(err)
	}
	return fakes.Native{Type: kind, Fields: string(fields)}
}

// total is a running total of a session: calls of the model that took 11 tokens and gave
// 7 each, and what they cost together.
func total(calls int64, usd float64) fakes.Frame {
	in, out := calls*11, calls*7
	return fakes.Usage{Kind: fakes.UsageTotal, In: &in, Out: &out, CostUSD: &usd}
}

func used(in, out int64) fakes.Frame { return fakes.Usage{Kind: fakes.UsageTurn, In: &in, Out: &out} }

// tell puts frames and lists of them one after another.
func tell(parts ...any) []fakes.Frame {
	var all []fakes.Frame
	for _, p := range parts {
		switch p := p.(type) {
		case fakes.Frame:
			all = append(all, p)
		case []fakes.Frame:
			all = append(all, p...)
		}
	}
	return all
}

func call(id, name string) fakes.Frame { return fakes.ToolCall{ID: id, Name: name, Input: command} }

func openCodeStory(all []fixtures.Passed) []fakes.Frame {
	tool := func(again int) []fakes.Frame {
		return tell(fakes.Init{}, says("", "Let me run it. "), call("call_fake1", "bash"), as(all, again),
			fakes.Result{ID: "call_fake1", Out: "tool-says-hi\n"}, says("", finished...))
	}
	return tell(
		fakes.Init{}, says("", hello...), total(1, 2.5e-05), fakes.End{Reason: fakes.EndOK},
		tool(17), total(2, 7.500000000000001e-05), fakes.End{Reason: fakes.EndOK},
		tool(30), total(3, 0.000125), fakes.End{Reason: fakes.EndOK},
		fakes.Init{}, says("", slow...), fakes.Silent{},
		fakes.Init{}, fakes.Failure{Message: "fake provider error 401", Fatal: true},
	)
}

func permissionStory([]fixtures.Passed) []fakes.Frame {
	ask := fakes.Ask{ID: "q", Tool: "bash"}
	return tell(
		fakes.Init{}, says("", hello...), total(1, 2.5e-05), fakes.End{Reason: fakes.EndOK},
		// The tool is told to begin before the question: nothing is known to follow.
		fakes.Init{}, says("", "Let me run it. "), call("call_fake1", "bash"), fakes.Turn{State: "text-end"}, ask,
		fakes.Result{ID: "call_fake1", Out: "tool-says-hi\n"}, says("", finished...), total(2, 7.500000000000001e-05), fakes.End{Reason: fakes.EndOK},
		fakes.Init{}, says("", "Let me run it. "), call("call_fake1", "bash"), ask, total(3, 0.0001), fakes.End{Reason: fakes.EndOK},
		fakes.Init{}, says("", slow...), fakes.Silent{},
		fakes.Init{}, says("", "Let me run it. "), call("call_fake1", "bash"), ask,
	)
}

func claudeStory(all []fixtures.Passed) []fakes.Frame {
	const msg = "msg_fake1"
	priced := func(usd float64) fakes.Frame {
		in, out := int64(11), int64(7)
		return fakes.Usage{Kind: fakes.UsageTurn, In: &in, Out: &out, CostUSD: &usd}
	}
	ok := fakes.End{Reason: fakes.EndOK}
	stopped := func(from, to int) []fakes.Frame {
		out := tell(fakes.Init{}, used(12, 0))
		for i := from; i < to; i++ {
			out = append(out, as(all, i))
		}
		return append(out, fakes.Silent{})
	}
	return tell(
		fakes.Init{}, as(all, 7), as(all, 8), says(msg, hello...), priced(0.00018399999999999997), as(all, 15), ok,
		fakes.Init{}, as(all, 19), says(msg, "Let me run it. "), call("toolu_fake1", "Bash"), used(11, 7),
		fakes.Result{ID: "toolu_fake1", Out: "tool-says-hi",
			Details: `{"stdout":"tool-says-hi","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`},
		as(all, 26), as(all, 27), says(msg, finished...), priced(0.0007359999999999999-0.00018399999999999997), ok,
		fakes.Init{}, as(all, 36), says(msg, finished...), priced(0.0011039999999999997-0.0007359999999999999), ok,
		stopped(46, 50), stopped(55, 74),
	)
}

func piStory(all []fixtures.Passed) []fakes.Frame {
	ok := fakes.End{Reason: fakes.EndOK}
	window := func(used int64) fakes.Frame {
		return fakes.Native{Type: "usage_update", Fields: fmt.Sprintf(`{"used":%d,"size":128000}`, used)}
	}
	tool := func(empty int) []fakes.Frame {
		return tell(fakes.Init{}, says("", "Let me run it. "), call("call_fake1", "bash"), as(all, empty),
			fakes.Result{ID: "call_fake1", Out: "tool-says-hi\n"}, says("", finished...), window(18), ok)
	}
	return tell(
		fakes.Init{}, says("", hello...), window(18), ok,
		tool(22), tool(37),
		fakes.Init{}, says("", slow...), window(27), fakes.Silent{},
		fakes.Init{}, as(all, 59), as(all, 60), as(all, 61), as(all, 62), window(1396), ok,
	)
}

// What the fake says is what the real agent said to a client that says the same, but for
// ids.
func TestFidelity(t *testing.T) {
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			all, err := fixtures.LoadExchange(recordings, name)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, story.version, story.steps(all))
			var want, got [][]byte
			for i, p := range all {
				if left(story.apart, i) {
					continue
				}
				if p.Dir == fixtures.FromClient {
					c.say(t, string(p.Frame))
					continue
				}
				if strings.HasPrefix(string(p.Frame), `{"jsonrpc": "2.0", "id": null`) {
					c.say(t, "{bad") // as the recorded client did
				}
				want = append(want, placeholders(p.Frame))
				got = append(got, c.line(t, string(p.Frame)))
			}
			if problem := fidelity.Differ(want, got, nil); problem != "" {
				t.Error(problem)
			}
			c.end(t)
			t.Logf("%d of %d messages of the agent are told again", len(got), count(all))
		})
	}
}

func count(all []fixtures.Passed) (n int) {
	for _, p := range all {
		if p.Dir == fixtures.FromServer {
			n++
		}
	}
	return n
}

func left(apart []span, i int) bool {
	for _, s := range apart {
		if s.from <= i && i <= s.to {
			return true
		}
	}
	return false
}

// Every recording is told.
func TestEveryRecordingIsTold(t *testing.T) {
	names := fixtures.Names(recordings)
	for _, name := range names {
		if _, told := stories[name]; !told {
			t.Errorf("%s is not told", name)
		}
	}
	if len(names) != len(stories) {
		t.Errorf("%d recordings, %d stories", len(names), len(stories))
	}
}

var recordedIDs = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`"ses_0*([0-9]+)"`), `"<SES_$1>"`},
	{regexp.MustCompile(`"msg_0*([0-9]+)"`), `"<MSG_$1>"`},
	{regexp.MustCompile(`"00000000-0000-4000-8000-0*([0-9]+)"`), `"<UUID_$1>"`},
}

// modelUsage is what the models have spent one by one, which the fake does not tell.
var modelUsage = regexp.MustCompile(`"model_usage": ?\[[^\]]*\]`)

func placeholders(line []byte) []byte {
	for _, x := range recordedIDs {
		line = x.pattern.ReplaceAll(line, []byte(x.name))
	}
	return modelUsage.ReplaceAll(line, []byte(`"model_usage":[]`))
}

// client is one that plays with the fake in this process.
type client struct {
	in    *io.PipeWriter
	lines chan []byte
	exit  chan int
	// session is what the fake calls the session that the recording has.
	session, recorded string
}

func newClient(t *testing.T, version string, frames []fakes.Frame) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := &client{in: stdin, lines: make(chan []byte, 1000), exit: make(chan int, 1)}
	go func() {
		defer close(c.lines)
		lines := bufio.NewReader(stdout)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			c.lines <- line[:len(line)-1]
		}
	}()
	go func() {
		play := fakes.Play{Args: []string{"acp"}, Stdin: in, Stdout: out, Stderr: io.Discard}
		code := acp.PlayScript(ctx, frames, play, acp.Options{Version: version, Seed: 7})
		in.Close()
		out.Close()
		c.exit <- code
	}()
	t.Cleanup(func() { stdin.Close(); stdout.Close() })
	return c
}

// say writes a line of the recorded client, about the session that the fake has.
func (c *client) say(t *testing.T, line string) {
	t.Helper()
	if c.session != "" {
		line = strings.ReplaceAll(line, c.recorded, c.session)
	}
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
}

var sessionID = regexp.MustCompile(`"sessionId": ?"([^"]+)"`)

// line is what the fake says where the agent said the recorded line.
func (c *client) line(t *testing.T, recorded string) []byte {
	t.Helper()
	select {
	case line, more := <-c.lines:
		if !more {
			t.Fatalf("the fake has ended; recorded: %s", recorded)
		}
		if found := sessionID.FindStringSubmatch(string(line)); c.session == "" && found != nil {
			c.session, c.recorded = found[1], sessionID.FindStringSubmatch(recorded)[1]
		}
		return line
	case <-time.After(20 * time.Second):
		t.Fatalf("the fake says nothing; recorded: %s", recorded)
	}
	return nil
}

// end ends the input: nothing more is said, and the exit code is 0.
func (c *client) end(t *testing.T) {
	t.Helper()
	c.in.Close()
	for line := range c.lines {
		t.Errorf("said beyond the recording: %s", line)
	}
	if code := <-c.exit; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
