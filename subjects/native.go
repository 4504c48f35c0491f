package subjects

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/adapters/native/tool"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
	fake "github.com/adaptercheck/adaptercheck/fakes/provider"
	"github.com/adaptercheck/adaptercheck/fakes/provider/puppet"
)

// Native is the adapter that holds its conversations itself, over a provider that speaks
// Anthropic Messages on the loopback.
//
// A runtime that is down is not offered, nor a start that it refuses: health and start ask
// no provider. Nor are pieces of a tool's input, which this adapter does not tell of, text
// that is taken back, which these wires do not have, and steering, which reaches the model
// with its next turn and not before. An error that does not end a run is one for which the
// agent's other model is asked.
//
// The tools are those of the script, and ask it what to return.
func Native() check.Subject {
	return overProvider("native", fake.Anthropic, state.AgentConfig{
		PrimaryProvider: provider.Anthropic, PrimaryModel: "claude-haiku-4-5",
		Fallbacks: []state.Fallback{{Provider: provider.Anthropic, Model: "claude-sonnet-4-6"}},
	})
}

// NativeChat is the same adapter over a provider that speaks OpenAI Chat Completions, as
// all but Anthropic do. None is asked by OpenAI Responses.
func NativeChat() check.Subject {
	s := overProvider("native-chat", fake.Chat, state.AgentConfig{
		PrimaryProvider: provider.OpenAI, PrimaryModel: "gpt-4o-mini",
		Fallbacks: []state.Fallback{{Provider: provider.OpenAI, Model: "gpt-4o"}},
	})
	s.Offers = append(s.Offers, fakes.Money)
	return s
}

func overProvider(name string, d fake.Dialect, config state.AgentConfig) check.Subject {
	spec, _ := provider.Known(config.PrimaryProvider)
	config.ID, config.Name, config.ParticipantKind, config.EnvVar = name, name, "agent", spec.KeyEnv
	config.SystemPrompt, config.MaxTurns = "You are played.", puppet.MaxTurns
	return check.Subject{
		Name: name,
		Offers: fakes.Features{
			fakes.Deltas, fakes.ReasoningText, fakes.Tools, fakes.UsageFrames, fakes.MaxTurns, fakes.TokenLimit, fakes.TerminalFrame,
			fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.SilentRun, fakes.CutStream, fakes.Approvals, fakes.Codec,
			fakes.Observers, fakes.UnknownFrames, fakes.LiveText, fakes.NativeSession, fakes.OwnTools, fakes.MildErrors,
		},
		// The tools are here and not at the provider, which is never told of those that are
		// not to be called.
		Declares: check.Declarations{SecondStart: check.Refuses, Queue: check.Drop, Blocklist: check.Undeliverable},
		Runtime: func(ctx context.Context, o check.RuntimeOptions) (fakes.Runtime, error) {
			return puppet.New(ctx, puppet.Options{Dialect: d, Seed: o.Seed})
		},
		Executor: func(_ context.Context, at fakes.Endpoint) (*check.ExecutorInstance, error) {
			transport := &http.Transport{MaxIdleConnsPerHost: 8}
			script := &http.Client{Transport: transport, Timeout: time.Minute}
			a := native.New(native.Options{
				Home: at.Dir, Agent: config, Grace: grace, ApprovalTimeout: grace,
				Keys: func(env string) string {
					if env != spec.KeyEnv {
						return ""
					}
					return variable(at.Env, puppet.EnvKey)
				},
				BaseURLs: map[provider.ID]string{provider.Anthropic: at.URL, provider.OpenAI: at.URL + "/v1"},
				Tools: func(_ context.Context, of native.RunInfo) (native.Toolbox, error) {
					box := native.Toolbox{}
					for _, name := range puppet.Tools() {
						box.Tools = append(box.Tools, played{name: name, at: variable(at.Env, puppet.EnvTools), session: of.SessionID, script: script})
					}
					return box, nil
				},
				NeedsApproval: func(d tool.Definition) bool { return d.Name == puppet.Guarded },
			})
			return &check.ExecutorInstance{Adapter: a, Close: func(ctx context.Context) error {
				defer transport.CloseIdleConnections()
				return a.Dispose(ctx)
			}}, nil
		},
	}
}

// played is a tool that returns what the script says.
type played struct {
	name, at, session string
	script            *http.Client
}

// Definition names the tool.
func (p played) Definition() tool.Definition { return tool.Definition{Name: p.name} }

// Call asks the script.
func (p played) Call(ctx context.Context, _ json.RawMessage) tool.Result {
	call, _ := tool.CallOf(ctx)
	question, err := json.Marshal(puppet.Question{Session: p.session, ID: call.ID})
	if err != nil {
		return tool.Error("the tool could not ask")
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, p.at, bytes.NewReader(question))
	if err != nil {
		return tool.Error("the tool could not ask")
	}
	res, err := p.script.Do(q)
	if err != nil {
		return tool.Error("the tool was not answered")
	}
	defer res.Body.Close()
	var answer puppet.Answer
	if res.StatusCode != http.StatusOK || json.NewDecoder(res.Body).Decode(&answer) != nil {
		return tool.Error("the tool was not answered")
	}
	return tool.Result{Output: answer.Output, IsError: answer.IsError}
}
