//go:build unix

package pi_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// modelsFile is what the recorded program was given as models.json.
const modelsFile = `{"providers":{"fake":{"baseUrl":"http://127.0.0.1:18081/v1","api":"openai-completions","apiKey":"dummy","models":[
{"id":"fake-model","name":"Fake","reasoning":REASONS,"input":["text"],"contextWindow":128000,"maxTokens":4096,"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}},
{"id":"fake-model-2","name":"Fake2","reasoning":false,"input":["text"],"contextWindow":128000,"maxTokens":4096,"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}}]}}}`

// A scene is what happens to a process: client lets the next recorded line of the client
// come and be answered, a signal is sent, and frames are said.
type (
	scene  any
	client int // that many lines
)

// deltas are the pieces of a text.
func deltas(pieces ...string) (frames []fakes.Frame) {
	for _, p := range pieces {
		frames = append(frames, fakes.Delta{Text: p})
	}
	return frames
}

func thoughts(pieces ...string) (frames []fakes.Frame) {
	for _, p := range pieces {
		frames = append(frames, fakes.Think{Text: p})
	}
	return frames
}

// parts are the pieces of a call's input, which has no text at first.
func parts(index int, id string, pieces ...string) []fakes.Frame {
	frames := []fakes.Frame{fakes.CallPart{Index: index, ID: id, Name: "bash"}}
	for _, p := range pieces {
		frames = append(frames, fakes.CallPart{Index: index, Fragment: p})
	}
	return frames
}

func all(groups ...[]fakes.Frame) scene {
	var frames []fakes.Frame
	for _, g := range groups {
		frames = append(frames, g...)
	}
	return frames
}

var (
	begins = []fakes.Frame{fakes.Init{}}
	spends = []fakes.Frame{fakes.Usage{In: n(11), Out: n(7)}}
	ends   = []fakes.Frame{fakes.End{Reason: fakes.EndOK}}
	cut    = []fakes.Frame{fakes.End{Reason: fakes.EndLength}}

	hello    = deltas("Hello", " from", " the", " fake", " model.")
	letMe    = deltas("Let me run it. ")
	finished = deltas("Tool ", "finished, ", "all ", "done.")
	thinks   = append(thoughts("Let ", "me think."), deltas("Thought", " over.")...)

	toolSays  = result("call_fake1", "tool-says-hi\n")
	described = parts(0, "call_fake1", `{"command":"echo tool-says-`, `hi","description":"say hi"}`)
)

var (
	two    = append(called(0, "call_fake1", "echo tool-says-hi"), called(1, "call_fake2", "echo tool-says-hi 2")...)
	second = result("call_fake2", "tool-says-hi 2\n")
)

var helloText = "Hello from the fake model."

func n(v int64) *int64 { return &v }

func result(id, out string) []fakes.Frame {
	return []fakes.Frame{fakes.Result{ID: id, Name: "bash", Out: out}}
}

func failure(text string) []fakes.Frame {
	return []fakes.Frame{fakes.Failure{Message: text, Fatal: true}}
}

func retries(text string) []fakes.Frame { return []fakes.Frame{fakes.Turn{State: "retry", Text: text}} }

// called is the call of a command, in the pieces in which the provider gave it.
func called(index int, id, command string) []fakes.Frame {
	whole := `{"command":"` + command + `"}`
	return parts(index, id, whole[:12], whole[12:])
}

// runs is the call when it is whole, and the tool works.
func runs(command string) []fakes.Frame {
	return []fakes.Frame{fakes.ToolCall{ID: "call_fake1", Name: "bash", Input: `{"command":"` + command + `"}`}}
}

const err500 = "500 fake provider error 500"

// stories tell each recording again.
var stories = map[string]map[string][]scene{
	"0.73.1": {
		"json-text":        {all(begins, hello, spends, ends)},
		"json-badmodel":    {all(begins, hello, spends, ends)},
		"json-badprovider": {},
		"json-tool":        {all(begins, letMe, described, spends, toolSays, finished, spends, ends)},
		"json-err401":      {all(begins, failure("401 fake provider error 401"))},
		"json-err500":      {all(begins, retries(err500), retries(err500), retries(err500), failure(err500))},
		"json-streamerr":   {all(begins, deltas("partial "), failure("fake mid-stream error"))},
		"json-sigterm":     {all(begins, deltas("slow0 ", "slow1 ", "slow2 ")), syscall.SIGTERM},
		"json-sigint":      {all(begins, deltas("slow0 ", "slow1 ", "slow2 ")), syscall.SIGINT},
		"text-print":       {all(begins, hello, spends, ends)},
		"text-print-err":   {all(begins, failure("401 fake provider error 401"))},
		"rpc-basic": {
			client(2), all(begins, hello, spends, ends), client(1),
			all(begins, letMe, described, spends, toolSays, finished, spends, ends), client(6),
		},
		"rpc-length":      {client(1), all(begins, deltas("cut ", "off"), spends, cut), client(1)},
		"rpc-two-tools":   {client(1), all(begins, letMe, two, spends, toolSays), all(second, finished, spends, ends)},
		"rpc-error":       {client(2), all(begins, failure(err500)), client(2), all(begins, hello, spends, ends)},
		"rpc-retry-abort": {client(1), all(begins, retries(err500)), client(1)},
		"rpc-eof-midrun":  {client(1), all(begins, deltas("slow0 ", "slow1 ", "slow2 "))},
		"rpc-abort": {
			client(1), all(begins, deltas("slow0 ", "slow1 ", "slow2 ", "slow3 ")), client(1), all(deltas("slow4 ")), client(1),
			all(deltas("slow5 ", "slow6 ")), client(2),
		},
		"rpc-retry":         {client(1), all(begins, deltas("I will "), retries("server overloaded")), client(1), all(hello, spends, ends)},
		"rpc-confirm-allow": {client(1), asked(letMe), client(1), all(noSudo, finished, spends, ends)},
	},
	"1.6.0": {
		"rpc-basic": {
			client(2), all(begins, hello, spends, ends), client(1),
			all(begins, letMe, called(0, "call_fake1", "echo tool-says-hi"), spends, toolSays, finished, spends, ends), client(5),
		},
		"rpc-length":    {client(1), all(begins, deltas("cut ", "off"), spends, cut)},
		"rpc-two-tools": {client(1), all(begins, letMe, two, spends, toolSays, second, finished, spends, ends)},
		"rpc-err401":    {client(1), all(begins, failure(`401: {"message":"fake provider error 401","type":"x"}`)), client(1)},
		"rpc-retry":     {client(1), all(begins, deltas("I will "), retries("server overloaded")), client(1), all(hello, spends, ends)},
		"rpc-abort": {
			client(1), all(begins, deltas("slow0 ", "slow1 ", "slow2 ")), client(2), all(deltas("slow3 ", "slow4 ")), client(2),
		},
		"rpc-sigterm":       {client(1), all(begins, deltas("slow0 ", "slow1 ", "slow2 ")), syscall.SIGTERM},
		"rpc-confirm-allow": {client(1), asked(letMe), client(1), all(noSudo, finished, spends, ends)},
	},
}

var noSudo = []fakes.Frame{fakes.Result{
	ID: "call_fake1", Out: "/bin/bash: line 1: sudo: command not found\n\n\nCommand exited with code 127", Error: true,
}}

// asked is a call about which an extension asks.
func asked(before []fakes.Frame) scene {
	return all(begins, before, called(0, "call_fake1", "sudo echo hi"), spends, []fakes.Frame{fakes.Ask{Tool: "bash"}})
}

// both are the stories of recordings that both versions have.
var both = map[string][]scene{
	"rpc-thinking":        {client(1), all(begins, thinks, spends, ends)},
	"rpc-tool-fails":      {client(1), all(begins, letMe, called(0, "call_fake1", "echo bad; exit 3"), spends, []fakes.Frame{fakes.Result{ID: "call_fake1", Out: "bad\n\n\nCommand exited with code 3", Error: true}}, finished, spends, ends)},
	"rpc-length":          {client(1), all(begins, deltas("cut ", "off"), spends, []fakes.Frame{fakes.End{Reason: fakes.EndLength}}), client(1)},
	"rpc-steer":           {client(1), all(begins, letMe, called(0, "call_fake1", "echo tool-says-hi"), spends, runs("echo tool-says-hi")), client(1), all(toolSays, thinks, spends, ends)},
	"rpc-follow":          {client(1), all(begins, deltas("Hello")), client(1), all(deltas(" from", " the", " fake", " model."), spends, []fakes.Frame{fakes.Final{Text: &helloText}}, thinks, spends, ends)},
	"rpc-abort-tool":      {client(1), all(begins, letMe, called(0, "call_fake1", "sleep 5; echo x"), spends, runs("sleep 5; echo x")), client(1)},
	"rpc-confirm-deny":    {client(1), asked(letMe), client(1), all(finished, spends, ends)},
	"rpc-extension-error": {client(1), all([]fakes.Frame{fakes.Failure{Message: "extension broke"}}, begins, hello, spends, ends)},
}

func TestFidelity(t *testing.T) {
	for version, told := range stories {
		for _, name := range fixtures.Names("pi-" + version) {
			t.Run(version+"/"+name, func(t *testing.T) {
				t.Parallel()
				story, has := told[name]
				if !has {
					story, has = both[name]
				}
				if !has {
					t.Fatal("nobody tells this recording again")
				}
				retell(t, version, name, story)
			})
		}
	}
}

func retell(t *testing.T, version, name string, story []scene) {
	recorded, err := fixtures.LoadDialogue("pi-"+version, name)
	if err != nil {
		t.Fatal(err)
	}
	meta := recorded[len(recorded)-1]
	var lines, want, wantErrs [][]byte
	reasons := "false"
	for _, s := range recorded {
		switch s.Dir {
		case fixtures.ToStdin:
			lines = append(lines, s.Line())
		case fixtures.FromStdout:
			want = append(want, normal(s.Line()))
		case fixtures.FromStderr:
			wantErrs = append(wantErrs, s.Line())
		}
		if bytes.Contains(s.Line(), []byte(`"reasoning":true`)) || bytes.Contains(s.Line(), []byte(`"thinkingLevel":"medium"`)) {
			reasons = "true"
		}
	}
	rt, err := pi.New(t.Context(), pi.Options{Version: version})
	childtest.Closing(t, rt, err)
	agent := filepath.Join(rt.Endpoint().Dir, "agent")
	if err := os.MkdirAll(agent, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(agent, "models.json"), []byte(strings.ReplaceAll(modelsFile, "REASONS", reasons)), 0o600); err != nil {
		t.Fatal(err)
	}
	rpc := strings.HasPrefix(name, "rpc-")
	host := childtest.StartWith(t, rt, func(h *childtest.Host) {
		h.Env = append(h.Env, "PI_CODING_AGENT_DIR="+agent)
		if !rpc {
			h.Stdin = strings.NewReader("")
			return
		}
		if h.In, err = h.StdinPipe(); err != nil {
			t.Fatal(err)
		}
	}, meta.Args[1:]...)

	var got [][]byte
	read := func() []byte {
		line := []byte(strings.TrimSuffix(host.Line(t), "\n"))
		got = append(got, normal(line))
		return line
	}
	var run fakes.Run
	killed := false
	for _, s := range story {
		if run == nil {
			if _, speaks := s.([]fakes.Frame); speaks {
				run = childtest.Next(t, rt)
			}
		}
		switch s := s.(type) {
		case client:
			for range int(s) {
				host.Say(t, string(substitute(lines[0], read)))
				settled(t, lines[0], run, read)
				lines = lines[1:]
			}
		case syscall.Signal:
			host.Signal(t, s)
			killed = true
		case []fakes.Frame:
			childtest.Emit(t, run, s...)
		}
	}
	if rpc && !killed {
		host.In.Close()
	}
	for _, line := range bytes.SplitAfter([]byte(host.Rest(t)), []byte("\n")) {
		if len(line) > 0 {
			got = append(got, normal(bytes.TrimSuffix(line, []byte("\n"))))
		}
	}
	if code := host.Reap(); code != *meta.Exit {
		t.Errorf("exit code %d, recorded %d", code, *meta.Exit)
	}
	if problem := fidelity.Differ(want, got, nil); problem != "" {
		t.Error(problem)
	}
	errs := bytes.Split(bytes.TrimSuffix(host.Errs.Bytes(), []byte("\n")), []byte("\n"))
	if host.Errs.Len() == 0 {
		errs = nil
	}
	if problem := fidelity.Differ(wantErrs, errs, nil); problem != "" {
		t.Errorf("stderr: %s", problem)
	}
}

// said is what is read of a line.
type said struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// substitute gives an answer the id of the question, which comes next.
func substitute(line []byte, read func() []byte) []byte {
	var s said
	if json.Unmarshal(line, &s) != nil || s.Type != "extension_ui_response" {
		return line
	}
	for {
		var q said
		if json.Unmarshal(read(), &q) == nil && q.Type == "extension_ui_request" {
			return bytes.Replace(line, []byte(s.ID), []byte(q.ID), 1)
		}
	}
}

// settled waits until the process has taken a line of its client.
func settled(t *testing.T, line []byte, run fakes.Run, read func() []byte) {
	t.Helper()
	var s said
	bad := json.Unmarshal(line, &s) != nil
	if s.Type == "extension_ui_response" {
		childtest.Await(t, "the answer is heard", func() bool {
			for _, c := range run.Calls() {
				if c.Method == fakes.MethodAnswer {
					return true
				}
			}
			return false
		})
		return
	}
	for {
		var answer said
		if json.Unmarshal(read(), &answer) != nil || answer.Type != "response" {
			continue
		}
		if bad || answer.ID == s.ID || answer.ID == "" {
			return
		}
	}
}

// normal takes out of a line what is a matter of time or of the provider: when it was,
// how long it took, the provider's id of an answer, the text of the system prompt. An
// update of a message tells of the message as it is by then, not as it was: where the
// end of the answer was read with a piece of it, the piece tells what was spent and why
// the model stopped. That, and what an older version tells of a call that is not whole,
// depends on how the provider's bytes came.
func normal(line []byte) []byte {
	var v map[string]any
	if json.Unmarshal(line, &v) != nil {
		return line
	}
	if e, is := v["assistantMessageEvent"].(map[string]any); is {
		if kind, _ := e["type"].(string); !strings.HasSuffix(kind, "_end") {
			for _, of := range []any{v, v["message"], e["partial"]} {
				if o, is := of.(map[string]any); is {
					delete(o, "usage")
					delete(o, "stopReason")
				}
			}
			if strings.HasPrefix(kind, "toolcall_") {
				delete(e, "partial")
				delete(v, "message")
			}
		}
	}
	scrub(v)
	out, err := json.Marshal(v)
	if err != nil {
		return line
	}
	return out
}

func scrub(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			switch key {
			case "timestamp":
				if _, is := x.(float64); is {
					v[key] = 0
				}
			case "durationMs", "responseId", "sections":
				v[key] = key
			}
			scrub(v[key])
		}
	case []any:
		for _, x := range v {
			scrub(x)
		}
	}
}
