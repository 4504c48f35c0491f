package acp

import (
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
)

// errand is what an agent is started for.
type errand struct {
	resume  string // the session to go on with; empty is a new one
	dir     string
	servers []sdk.McpServer
	prompt  string
	model   string // empty leaves it to the agent
	auth    string // method of authentication; empty is none
	files   string
	grace   time.Duration
}

// methodFence is a request that no agent knows: what was due before it has been said when
// it is refused. Methods with an underscore are anybody's own.
const methodFence = "_adaptercheck/fence"

// step is how far a talk has come.
type step int

const (
	stepShake step = iota // the agent gets ready
	stepFence             // it is ready, and may have something to say by itself
	stepTurn              // it was sent the prompt
	stepOver              // nothing more is asked
)

// talk is what this host asks of the agent: the handshake, the session and its model, the
// prompt, the end. Its methods may be called from several goroutines.
type talk struct {
	errand  errand
	console *console
	hush    func() // ends stdin: the agent ends by itself then

	mu      sync.Mutex
	step    step
	sent    bool // the prompt was
	session string
	able    abilities
	authed  bool
	aborted bool
	asked   map[int64]string // methods, by the ids of requests without an answer
	last    string           // the method that was asked last
	fence   *time.Timer
}

// abilities are how an agent goes on with a session.
type abilities struct{ load, resume bool }

func (t *talk) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = map[int64]string{}
	t.ask(sdk.AgentMethodInitialize, initialize(t.errand.files))
}

// ask puts a request. One that cannot be put gets no answer. The caller holds mu.
func (t *talk) ask(method string, params any) {
	if id, err := t.console.ask(method, params); err == nil {
		t.asked[id], t.last = method, method
	}
}

// take returns the method that was answered, empty if none was.
func (t *talk) take(id jsontext.Value) string {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	method := t.asked[n]
	delete(t.asked, n)
	return method
}

// welcomed goes on with the session.
func (t *talk) welcomed(able abilities) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.able = able
	t.open()
}

// resumes reports whether the session goes on.
func (t *talk) resumes() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.errand.resume != "" && (t.able.load || t.able.resume)
}

// open asks for the session. The caller holds mu.
func (t *talk) open() {
	e := t.errand
	switch {
	case t.step != stepShake:
	case e.resume != "" && t.able.load:
		t.ask(sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{SessionId: sdk.SessionId(e.resume), Cwd: e.dir, McpServers: e.servers})
	case e.resume != "" && t.able.resume:
		t.ask(sdk.AgentMethodSessionResume, sdk.ResumeSessionRequest{SessionId: sdk.SessionId(e.resume), Cwd: e.dir, McpServers: e.servers})
	default:
		t.ask(sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: e.dir, McpServers: e.servers})
	}
}

// authenticate does so, once, and reports whether it does.
func (t *talk) authenticate() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.authed || t.errand.auth == "" || t.step != stepShake {
		return false
	}
	t.authed = true
	t.ask(sdk.AgentMethodAuthenticate, sdk.AuthenticateRequest{MethodId: t.errand.auth})
	return true
}

// authenticated asks for the session again.
func (t *talk) authenticated() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open()
}

// opened goes on with the model that is wanted, if there is one, and reports whether the
// agent has a choice then.
func (t *talk) opened(session string, of choice) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step != stepShake {
		return true
	}
	t.session = session
	id, model := sdk.SessionId(session), t.errand.model
	switch {
	case model == "":
		t.approach()
	case of.option != "":
		t.ask(sdk.AgentMethodSessionSetConfigOption, sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
			SessionId: id, ConfigId: sdk.SessionConfigId(of.option), Value: sdk.SessionConfigValueId(model),
		}})
	case of.models:
		t.ask(sdk.AgentMethodSessionSetModel, sdk.UnstableSetSessionModelRequest{SessionId: id, ModelId: sdk.UnstableModelId(model)})
	default:
		return false
	}
	return true
}

// chosen goes on when the model is set.
func (t *talk) chosen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step == stepShake {
		t.approach()
	}
}

// approach puts the request before the prompt. An agent that does not answer it gets the
// prompt after the grace. The caller holds mu.
func (t *talk) approach() {
	t.step = stepFence
	t.ask(methodFence, struct{}{})
	t.fence = time.AfterFunc(t.errand.grace, t.fenced)
}

// fenced sends the prompt, once.
func (t *talk) fenced() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step != stepFence {
		return
	}
	t.fence.Stop()
	t.step, t.sent = stepTurn, true
	t.ask(sdk.AgentMethodSessionPrompt, sdk.PromptRequest{
		SessionId: sdk.SessionId(t.session), Prompt: []sdk.ContentBlock{sdk.TextBlock(t.errand.prompt)},
	})
}

// prompted reports whether the agent was sent the prompt: what it says now is of the run.
func (t *talk) prompted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent
}

// abort cancels the turn. One that was not asked for does not begin.
func (t *talk) abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.aborted = true
	switch t.step {
	case stepShake, stepFence:
		t.end()
	case stepTurn:
		_ = t.console.tell(sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: sdk.SessionId(t.session)}) // signals follow
	}
}

// over ends the talk, once: the agent ends by itself when its stdin does.
func (t *talk) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end()
}

// end is over for who holds mu.
func (t *talk) end() {
	if t.step == stepOver {
		return
	}
	t.step = stepOver
	if t.fence != nil {
		t.fence.Stop()
	}
	t.hush()
}

// late reports which answer keeps the prompt from being sent, empty for none, and ends
// the talk if one does.
func (t *talk) late() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.step >= stepTurn {
		return ""
	}
	t.end()
	return t.last
}

// choice is how an agent lets the model be chosen; the zero value is not at all.
type choice struct {
	option string // id of the option that is the model
	models bool   // by a method of its own
}

// servers are the options' as the protocol has them.
func servers(all []Server) []sdk.McpServer {
	out := []sdk.McpServer{} // the member may not be null
	for _, s := range all {
		if s.URL != "" {
			out = append(out, sdk.McpServer{Http: &sdk.McpServerHttpInline{Type: "http", Name: s.Name, Url: s.URL, Headers: []sdk.HttpHeader{}}})
			continue
		}
		stdio := &sdk.McpServerStdio{Name: s.Name, Command: s.Command[0], Args: append([]string{}, s.Command[1:]...), Env: []sdk.EnvVariable{}}
		for _, e := range s.Env {
			name, value, _ := strings.Cut(e, "=")
			stdio.Env = append(stdio.Env, sdk.EnvVariable{Name: name, Value: value})
		}
		out = append(out, sdk.McpServer{Stdio: stdio})
	}
	return out
}
