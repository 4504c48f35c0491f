package openclaw_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

const recorded = "openclaw-2026.9.6"

// notCompared says why a recording is not told again frame by frame.
var notCompared = map[string]string{
	"after-kill":       "a turn that a restarted gateway recovers by itself, among its start-up events",
	"after-restart":    "two runs of two sessions at once, among start-up events, cut by a SIGKILL",
	"chat-tool-nocaps": "the windows of the two streams fall apart by one delta",
	"clawboo-adapter":  "a webchat client: timings of each send, and runs of four sessions at once",
	"clawboo-adapter2": "a webchat client, as above",
	"clawboo-adapter3": "a webchat client, as above",
	"methods":          "54 requests: those that the fake plays are in TestRecordedMethods",
	"obs-driver":       "eight runs of six sessions, interleaved by the clock",
	"obs-observer":     "the same, heard by another client",
	"obs-readonly":     "the same, heard by another client",
	"reattach":         "a run of another session ends in the middle",
	"scoped-caps":      "the windows of the two streams fall apart by one delta",
	"scoped-caps-b":    "the same run, heard by another client",
	"streamerr":        "the windows of the two streams fall apart at each retry",
}

// step is one thing of a story: the client asks what it was recorded to ask next, or the
// run says something.
type step func(s *story)

func ask(s *story) { s.ask() }

func asks(n int) step {
	return func(s *story) {
		for range n {
			s.ask()
		}
	}
}

// says lets the latest run say the steps of a script.
func says(steps string) step {
	return func(s *story) {
		s.t.Helper()
		text := "schema: adaptercheck-script-v1\nsteps:\n"
		for line := range strings.Lines(steps) {
			text += "  " + strings.TrimLeft(line, "\t")
		}
		parsed, err := script.Parse(s.t.Name(), []byte(text))
		if err != nil {
			s.t.Fatal(err)
		}
		emit(s.t, s.latest(), parsed.Frames...)
	}
}

// slow lets the run say the long answer, word by word.
func slow(words int) step {
	return func(s *story) {
		for i := range words {
			text := fmt.Sprintf(" slow%d", i)
			emit(s.t, s.latest(), fakes.Delta{Text: strings.TrimPrefix(text, map[bool]string{true: " "}[i == 0])})
		}
	}
}

// fails lets the provider fail some times, the last time for good or not.
func fails(times int, forGood bool, code, message string) step {
	return func(s *story) {
		for i := range times {
			emit(s.t, s.latest(), fakes.Failure{Code: code, Message: message, Fatal: forGood && i == times-1})
		}
	}
}

const hello = `- init
- delta: "Hello"
`

// compared has, for each recording, the story that it tells. One without steps is asks
// alone.
var compared = map[string][]step{
	"connect-bad-client-id": nil, "connect-bad-client-mode": nil, "connect-bad-device-id": nil, "connect-bad-frame-type": nil,
	"connect-bad-sig": nil, "connect-bad-token": nil, "connect-badjson": nil, "connect-badparams": nil,
	"connect-control-ui-nodevice": nil, "connect-control-ui-noorigin": nil, "connect-device-cli": nil, "connect-extra-field": nil,
	"connect-idle-no-connect": nil, "connect-no-device-cli": nil, "connect-no-device-gwclient": nil, "connect-no-nonce": nil,
	"connect-no-token": nil, "connect-not-connect-first": nil, "connect-ok-device": nil, "connect-proto3": nil,
	"connect-proto3-4": nil, "connect-proto5": nil, "connect-read-only": nil, "connect-second-connect": nil,
	"connect-stale-signedAt": nil, "connect-unknown-method": nil, "connect-wrong-nonce": nil,
	"chat-text": {asks(2), says(hello), says(`- delta: " from"
`), says(`- delta: " the"
- delta: " fake"
`), says(`- delta: " model."
- usage: {in: 11, out: 7, cost: 0.000025}
- end: ok
`), asks(2)},
	"chat-tool": {asks(2), says(`- init
- delta: "Let me run it."
- usage: {in: 11, out: 7}
- call: {id: call_fake1, name: exec, input: {command: echo tool-says-hi, description: say hi}}
- result: {id: call_fake1, out: tool-says-hi}
- delta: "Tool"
`), says(`- delta: " finished,"
`), says(`- delta: " all"
- delta: " done."
- usage: {in: 11, out: 7}
- end: ok
`)},
	"chat-abort":     {asks(2), says("- init\n"), slow(8), asks(4)},
	"sessions-abort": {asks(2), says("- init\n"), slow(5), asks(3)},
	"agent-abort":    {asks(2), says("- init\n"), slow(1), asks(2)},
	"err401": {asks(3), says(`- init
- error: {code: auth, fatal: true, msg: "⚠️ e401/fake-model request failed (authentication failed, HTTP 401). Re-authenticate the provider and try again."}
`), ask},
	"err429": {asks(3), says("- init\n"), fails(7, false, "rate_limit", "⚠️ API rate limit reached. Please try again later.")},
	"err500": {asks(3), says("- init\n"), fails(7, true, "server_error",
		"⚠️ e500/fake-model request failed (provider internal error, HTTP 500). This is usually temporary — try again shortly.")},
	"approval": {asks(3), says(`- init
- delta: "Let me run it."
- usage: {in: 11, out: 7}
- call: {id: call_fake1, name: exec, input: {command: touch /srv/openclaw/ap-x}}
- ask: {id: 00000000-0000-4000-8000-000000000008, tool: exec}
`), ask, says(`- result: {id: call_fake1, err: true, out: "Exec denied (gateway id=00000000-0000-4000-8000-000000000008, user-denied): touch /srv/openclaw/ap-x"}
- delta: "Tool"
`), says(`- delta: " finished,"
`), says(`- delta: " all"
- delta: " done."
- usage: {in: 11, out: 7}
- end: ok
`)},
	"shutdown": {asks(2), says("- init\n"), slow(59), says(`- delta: " slow59"
- usage: {in: 11, out: 7}
- end: ok
`), func(s *story) { s.rt.Restart() }},
	"openclaw-node-chat": {asks(2), says(hello), says(`- delta: " from"
- delta: " the"
- delta: " fake"
`), says(`- delta: " model."
- usage: {in: 11, out: 7, cost: 0.000025}
- end: ok
`), ask, says(hello), says(`- delta: " from"
`), says(`- delta: " the"
- delta: " fake"
`), says(`- delta: " model."
- usage: {in: 11, out: 7, cost: 0.000025}
- end: ok
`)},
}

// Every recording is told again, or says why not.
func TestEveryRecordingIsCompared(t *testing.T) {
	for _, name := range fixtures.Names(recorded) {
		_, is := compared[name]
		if why := notCompared[name]; is == (why != "") {
			t.Errorf("%s: compared %t, and why not %q", name, is, why)
		}
	}
	if len(compared) < 25 {
		t.Errorf("%d recordings are compared", len(compared))
	}
}

// The gateway says what the real one was recorded to say, frame by frame, but for what
// differs from run to run.
func TestFidelity(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(compared)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, name)
			steps := compared[name]
			if steps == nil {
				steps = []step{asks(len(s.requests))}
			}
			for _, step := range steps {
				step(s)
			}
			s.compare()
		})
	}
}

// notPlayed are the methods of the recording that this fake says it does not play.
var notPlayed = strings.Fields("sessions.resolve models.list chat.inject cron.list usage.cost")

// Each request of the recording of methods that the fake plays is answered as it was
// recorded: in full, or where the answer tells of the machine by whether it is done.
func TestRecordedMethods(t *testing.T) {
	inPart := strings.Fields(`agents.files.list agents.files.get sessions.list sessions.describe sessions.reset sessions.delete
		chat.history config.get health status agents.delete`)
	s := newStory(t, "methods")
	recordedAnswers := map[any]object{}
	for _, p := range s.want {
		var f object
		if len(p.Frame) > 0 && json.Unmarshal(p.Frame, &f) == nil && f["type"] == "res" {
			recordedAnswers[f["id"]] = f
		}
	}
	var want, got []object
	for len(s.requests) > 0 {
		var q struct{ ID, Method string }
		if err := json.Unmarshal(s.requests[0].Frame, &q); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(notPlayed, q.Method) {
			s.requests = s.requests[1:]
			continue
		}
		s.ask()
		if q.Method == "chat.send" || q.Method == "sessions.send" {
			if run := s.latest(); run != nil && len(run.Calls()) == 0 {
				text := "Hello from the fake model."
				emit(t, run, fakes.Init{}, fakes.Final{Text: &text}, ok)
			}
		}
		answer := s.got[slices.IndexFunc(s.got, func(f object) bool { return f["id"] == q.ID })]
		was := recordedAnswers[q.ID]
		if slices.Contains(inPart, q.Method) && was["ok"] == true {
			was, answer = object{"ok": was["ok"]}, object{"ok": answer["ok"]}
		}
		want, got = append(want, was), append(got, answer)
	}
	if problem := fidelity.Differ(lines(t, plain(want, false)), lines(t, plain(got, false)), nil); problem != "" {
		t.Error(problem)
	}
}
