package subjects

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/reference"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

// piRoles are Pi's names of the roles.
var piRoles = map[history.Role]string{
	history.System: "system", history.User: "user", history.Assistant: "assistant",
	history.Tool: "toolResult", history.Custom: "custom",
}

// Pi is the adapters of Pi: of its session files, written here as Pi writes them, and of
// pi --mode rpc over a child process that says what the real one says and obeys what the
// real one obeys.
//
// A session file has no place for references to files, artifacts and summaries, and
// every tool result is a message of its own. There is no local KV port. A refused start
// is not offered, as with [ClaudeCode]; nor is a turn limit, which Pi does not have.
func Pi() check.Subject {
	return check.Subject{
		Name: "pi",
		Offers: fakes.Features{
			fakes.Source, fakes.Append, fakes.Ports,
			fakes.InitFrame, fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.PartialInput, fakes.UsageFrames, fakes.Money,
			fakes.TokenLimit, fakes.Retract, fakes.TerminalFrame, fakes.Framed, fakes.SecondRun, fakes.Sessions, fakes.StartOptions,
			fakes.HealthDown, fakes.SilentRun, fakes.CutStream, fakes.ExitCodes, fakes.Approvals, fakes.Steer, fakes.Codec,
			fakes.Process, fakes.Observers, fakes.UnknownFrames, fakes.MildErrors, fakes.LiveText, fakes.NativeSession,
		},
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Undeliverable},
		Format: check.Format{
			RuntimeID: pi.RuntimeID,
			Source:    history.PiSession,
			// The choices of a model and of a thinking level are entries too.
			MaxMessages: history.MaxHistoryMessages - 2,
			Roles:       piRoles,
			Blocks: []history.BlockType{
				history.TypeText, history.TypeThinking, history.TypeToolCall, history.TypeToolResult,
				history.TypeImage, history.TypeOpaqueProvider,
			},
			OneResult: true,
			Converted: true,
		},
		History: openPi,
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return fake.New(ctx, fake.Options{Version: o.Version, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			x := pi.NewExecutor(pi.ExecutorOptions{
				Command: at.Command, Env: at.Env, Home: at.Dir, Dir: at.Dir, Grace: grace, ApprovalTimeout: time.Second,
			})
			return &check.ExecutorInstance{Adapter: x, Close: x.Dispose}, nil
		},
	}
}

func openPi(_ context.Context, f check.Fixture) (*check.HistoryInstance, error) {
	path := filepath.Join(f.Dir, "session.jsonl")
	if err := layPi(path, f); err != nil {
		return nil, err
	}
	engine, err := privacy.New(privacy.Config{})
	if err != nil {
		return nil, err
	}
	o := pi.Options{
		Path: path, SessionID: f.SessionID, ProjectRoot: f.Root, Trusted: true,
		Transport: f.Transport, Privacy: engine, EmbeddingPort: f.Ports.Embedding,
	}
	if f.Model.ID != "" {
		o.Model = &f.Model
	}
	a, err := pi.New(o)
	if err != nil {
		return nil, err
	}
	return &check.HistoryInstance{Adapter: a, Source: piSession{path}}, nil
}

// layPi writes the session of a fixture. The history of another runtime is no Pi
// session: it has that runtime's own form.
func layPi(path string, f check.Fixture) error {
	if f.RuntimeID != pi.RuntimeID {
		return reference.Create(reference.CreateOptions{
			Path: path, RuntimeID: f.RuntimeID, SessionID: f.SessionID, ProjectRoot: f.Root, Messages: f.Messages,
		})
	}
	cwd, err := filepath.EvalSymlinks(f.Root)
	if err != nil {
		return err
	}
	w := &piWriter{}
	w.line(history.Members{
		{Name: "type", Value: `"session"`}, {Name: "version", Value: "3"}, {Name: "id", Value: w.quote(f.SessionID)},
		{Name: "timestamp", Value: w.quote(piTime(piEpoch))}, {Name: "cwd", Value: w.quote(cwd)},
	})
	w.entry("model_change", "a0000001", piEpoch, history.Members{
		{Name: "provider", Value: w.quote(f.Model.Provider)}, {Name: "modelId", Value: w.quote(f.Model.ID)},
	})
	w.entry("thinking_level_change", "a0000002", piEpoch, history.Members{{Name: "thinkingLevel", Value: `"off"`}})
	for _, m := range f.Messages {
		w.message(m)
	}
	if w.err != nil {
		return fmt.Errorf("pi session: %w", w.err)
	}
	return os.WriteFile(path, w.buf.Bytes(), 0o600)
}

// piSession is the session file behind the adapter.
type piSession struct{ path string }

func (s piSession) Path() string { return s.path }

// Append adds an entry below the last one.
func (s piSession) Append(_ context.Context, m history.Message) error {
	data, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	var last struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		return fmt.Errorf("the last line of the session: %w", err)
	}
	w := &piWriter{}
	if last.Type != "session" {
		w.last = last.ID
	}
	if w.message(m); w.err != nil {
		return fmt.Errorf("pi session: %w", w.err)
	}
	file, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(w.buf.Bytes()); err != nil {
		return err
	}
	return file.Close()
}
