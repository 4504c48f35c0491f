package executormutants

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// variant describes one right adapter.
func variant(id, note string, t twist, changes ...change) Variant {
	id = "executor-right-" + id
	return Variant{ID: id, Note: note, Subject: func() check.Subject { return subject(id, t, changes...) }}
}

// Right returns adapters that keep the contract in ways that look unusual. Some
// fall short at SHOULD; none may be accused at MUST.
func Right() []Variant {
	var all []Variant
	all = append(all, rightAdapters()...)
	all = append(all, rightEvents()...)
	return append(all, rightStreams()...)
}

// rightAdapters differ in what they are and have.
func rightAdapters() []Variant {
	return []Variant{
		variant("plain", "the right adapter as it is", func(*right) hooks { return hooks{} }),
		variant("fields-absent", "fills in no optional capability", claims(func(c *executor.Capabilities) {
			*c = executor.Capabilities{Streaming: true, Resume: true, Models: []string{}}
		})),
		variant("fields-present", "fills in every optional capability", claims(func(c *executor.Capabilities) {
			c.NativeHome = &executor.NativeHome{Scope: executor.PerIdentity, Persist: true}
			c.NativeSkills, c.NativeMemory = executor.Preserve, executor.PreserveNone
			c.NativeChannels, c.NativeScheduler = executor.NoChannels, true
			c.MCP, c.Worktrees = true, true
		})),
		variant("human", "a human takes part", func(*right) hooks {
			return hooks{participant: func() executor.ParticipantKind { return executor.Human }}
		}),
		variant("odd-id", "has an id with a space and a slash", func(*right) hooks {
			const id = "my runtime/2"
			return hooks{
				id:      func() string { return id },
				handle:  func(in *executor.Run) *executor.Run { return executor.NewRun(id, in.SessionKey()) },
				restore: func(context.Context, string) (*executor.Run, error) { return nil, errors.ErrUnsupported },
				serialize: func(context.Context, *executor.Run) (string, error) {
					return "", errors.ErrUnsupported
				},
				capabilities: func(c executor.Capabilities) executor.Capabilities { c.Resume = false; return c },
			}
		}, without(fakes.Codec)),
		variant("no-codec", "has no codec and does not claim to resume", claims(func(c *executor.Capabilities) { c.Resume = false }), noCodec, without(fakes.Codec)),
		variant("codec-unsupported", "learns at run time that it has no codec", func(r *right) hooks {
			h := unsupportedCodec(r)
			h.capabilities = func(c executor.Capabilities) executor.Capabilities { c.Resume = false; return c }
			return h
		}),
		variant("no-dispose", "has no dispose", nil, noDispose),
		variant("dispose-unsupported", "learns at run time that it has no dispose", func(*right) hooks {
			return hooks{dispose: func(context.Context) error { return errors.ErrUnsupported }}
		}),
		variant("steerable-unclaimed", "is steerable and does not say so", claims(func(c *executor.Capabilities) { c.Steerable = false })),
		variant("health-message", "has something to say when it is well", func(r *right) hooks {
			return hooks{health: func(ctx context.Context) (executor.Health, error) {
				h, err := r.adapter.Health(ctx)
				if h.OK {
					h.Message = "version 1.2.3"
				}
				return h, err
			}}
		}),
		variant("bare", "plays on a wire of whole messages and a terminal", nil, without(fakes.NativeRunID, fakes.InitFrame, fakes.Deltas,
			fakes.ReasoningText, fakes.Tools, fakes.PartialInput, fakes.UsageFrames, fakes.Money, fakes.MaxTurns, fakes.TokenLimit, fakes.Retract,
			fakes.SecondRun, fakes.Sessions, fakes.StartOptions, fakes.HealthDown, fakes.Refuse, fakes.SilentRun, fakes.CutStream, fakes.Approvals,
			fakes.Steer, fakes.Codec, fakes.Observers, fakes.UnknownFrames)),
		variant("back-pressure", "drops nothing, however slowly it is read", nil, unbounded, blocks),
		variant("connected", "carries the runs of a session in one stream", nil, connected),
		variant("connected-tells", "tells of frames that did not come, and does not read them up", gap(fakes.Failure{Code: "frames-lost", Message: "frames were lost"}), connected),
		variant("connected-accepts", "accepts a start before the runtime has, and fails the run when that does not",
			unacknowledged(executor.Error{Message: "the runtime did not answer", Fatal: true}, executor.Done{Reason: executor.ReasonError}), connected),
		{ID: "executor-right-queues", Note: "queues a second start", Subject: queueing},
		{ID: "executor-right-claude-code", Note: "has a process for a runtime", Subject: subjects.ClaudeCode},
		{ID: "executor-right-codex", Note: "has a process for a runtime that says its text whole", Subject: subjects.Codex},
		{ID: "executor-right-codex-app-server", Note: "has a process for a runtime that asks back", Subject: subjects.CodexAppServer},
		{ID: "executor-right-hermes", Note: "has a process that says nothing before it exits", Subject: subjects.Hermes},
		{ID: "executor-right-acp", Note: "has a process for a runtime that begins with a handshake", Subject: subjects.ACP},
		{ID: "executor-right-pi", Note: "has a process that may be done several times", Subject: subjects.Pi},
		{ID: "executor-right-hermes-stream", Note: "has a process for a runtime, and its books in a database", Subject: subjects.HermesStream},
	}
}

// rightEvents differ in what their events look like.
func rightEvents() []Variant {
	session := func(id *string) func(*executor.Envelope) { return func(h *executor.Envelope) { h.SessionID = id } }
	return []Variant{
		variant("session-null", "never names the session", stamps(session(nil))),
		variant("session-key", "names the session by its key", stamping(func(run *executor.Run) func(*executor.Envelope) {
			key := run.SessionKey()
			return session(&key)
		})),
		variant("session-late", "names the session from the third event on", stamping(func(*executor.Run) func(*executor.Envelope) {
			n := 0
			return func(h *executor.Envelope) {
				if n++; n < 3 {
					h.SessionID = nil
				}
			}
		})),
		variant("seq-from-zero", "numbers from 0", stamps(func(h *executor.Envelope) { h.Seq-- })),
		variant("seq-gaps", "numbers by sevens", stamps(func(h *executor.Envelope) { h.Seq *= 7 })),
		variant("ts-falling", "its clock runs backward", stamps(func(h *executor.Envelope) { h.TS -= 1000 * h.Seq })),
		variant("cost-estimated", "estimates an unknown price and says so", bills(func(e *executor.Cost) {
			if e.CostUSD == nil {
				usd := float64(e.Usage.InputTokens+e.Usage.OutputTokens) * 1e-6
				e.CostUSD, e.Estimated = &usd, true
			}
		})),
		variant("cost-null-estimated", "says of an unknown price that it would be estimated", bills(func(e *executor.Cost) { e.Estimated = e.CostUSD == nil })),
		variant("done-short", "restates neither usage nor price", ends(func(e executor.Done) []executor.Event {
			e.Usage, e.CostUSD = nil, executor.Nullable[float64]{}
			return one(e)
		})),
		variant("done-null", "restates that the price is unknown", ends(func(e executor.Done) []executor.Event {
			e.CostUSD = executor.Null[float64]()
			return one(e)
		})),
		variant("summary-empty", "never sums up", ends(func(e executor.Done) []executor.Event {
			e.Summary = ""
			return one(e)
		})),
		variant("input-text", "gives the input of tools as text", called(func(e *executor.ToolCall) {
			text, _ := jsontext.AppendQuote(nil, string(e.Input))
			if !e.Partial {
				e.Input = executor.JSON(text)
			}
		})),
		variant("input-whole", "does not stream the input of tools", drop(func(e executor.ToolCall) bool { return e.Partial })),
		variant("calls-open", "leaves a call open when the run ends", drop(func(e executor.ToolResult) bool { return e.Output == "the run ended before the tool did" })),
		variant("channel-explicit", "says that the answer is on the assistant channel", edit(func(e executor.TextDelta) []executor.Event {
			if e.Channel == "" {
				e.Channel = executor.Assistant
			}
			return one(e)
		})),
		variant("text-by-rune", "gives an answer that is not long rune by rune", edit(func(e executor.TextDelta) []executor.Event {
			if len(e.Text) > 1000 {
				return one(e)
			}
			var runes []executor.Event
			for _, r := range e.Text {
				runes = append(runes, executor.TextDelta{Envelope: e.Envelope, Text: string(r), Channel: e.Channel})
			}
			return runes
		})),
		variant("status-often", "reports progress before every event", rewrites(func(e executor.Event) []executor.Event {
			return []executor.Event{executor.Status{Phase: executor.PhaseThinking}, executor.Status{Phase: executor.PhaseRunning, Model: "memory-small", Detail: executor.DetailRetry}, e}
		})),
		variant("status-never", "reports no progress", drop(func(e executor.Status) bool { return e.Detail == "" })),
		variant("error-code-null", "gives errors no code", edit(func(e executor.Error) []executor.Event {
			e.Code = nil
			return one(e)
		})),
		variant("error-code-own", "gives errors a code of its own", edit(func(e executor.Error) []executor.Event {
			code := "E_42/quota exceeded"
			e.Code = &code
			return one(e)
		})),
		variant("error-unannounced", "ends in done(error) without a word", drop(every[executor.Error])),
		variant("error-mild-hidden", "keeps errors that the runtime recovers from to itself", drop(func(e executor.Error) bool { return !e.Fatal })),
		variant("at-end", "tells all of a run at its end", func(*right) hooks {
			return hooks{
				capabilities: func(c executor.Capabilities) executor.Capabilities {
					c.Streaming, c.ToolApproval = false, false
					return c
				},
				rewrite: func(*executor.Run) func(executor.Event) []executor.Event {
					var held []executor.Event
					return func(e executor.Event) []executor.Event {
						held = append(held, e)
						if e.Kind() != executor.KindDone {
							return nil
						}
						return held
					}
				},
			}
		}, without(fakes.LiveText, fakes.InitFrame, fakes.NativeRunID, fakes.Approvals)),
		variant("turn-complete", "reports the turn complete before the done", ends(func(e executor.Done) []executor.Event {
			return []executor.Event{executor.Status{Phase: executor.PhaseTurnComplete}, e}
		})),
	}
}

// rightStreams differ in when and how long.
func rightStreams() []Variant {
	const slow = 2 * time.Millisecond
	pause := func(ctx context.Context) {
		timer := time.NewTimer(slow)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return []Variant{
		variant("stream-open", "is connected: its streams stay open", func(r *right) hooks {
			return hooks{
				capabilities: func(c executor.Capabilities) executor.Capabilities {
					c.RuntimeClass = executor.ConnectedSubstrate
					return c
				},
				stream: func(run *executor.Run, in executor.Stream) executor.Stream {
					if _, unknown := in.(executor.Ended); unknown {
						return in
					}
					return neverEnding(r, in)
				},
			}
		}),
		variant("stream-open-oneshot", "is one-shot and its streams stay open", func(r *right) hooks {
			return hooks{stream: func(run *executor.Run, in executor.Stream) executor.Stream {
				if _, unknown := in.(executor.Ended); unknown {
					return in
				}
				return neverEnding(r, in)
			}}
		}),
		variant("unknown-fails", "the stream of a handle that it does not know fails", streams(func(_ *right, in executor.Stream) executor.Stream {
			if _, unknown := in.(executor.Ended); unknown {
				return streamFuncs{Stream: in, next: func(context.Context) (executor.Event, error) { return nil, executor.ErrUnknownRun }}
			}
			return in
		})),
		variant("slow", "takes its time, within the budget", func(r *right) hooks {
			return hooks{
				start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
					pause(ctx)
					return r.adapter.Start(ctx, executor.TaskHandle{}, o)
				},
				health: func(ctx context.Context) (executor.Health, error) {
					pause(ctx)
					return r.adapter.Health(ctx)
				},
				abort: func(ctx context.Context, run *executor.Run) error {
					pause(ctx)
					return r.adapter.Abort(ctx, run)
				},
				stream: func(_ *executor.Run, in executor.Stream) executor.Stream {
					var pulls atomic.Int64
					return streamFuncs{Stream: in, next: func(ctx context.Context) (executor.Event, error) {
						if pulls.Add(1) < 100 {
							pause(ctx)
						}
						return in.Next(ctx)
					}}
				},
			}
		}),
		variant("abort-waits", "returns from abort when the run is over", func(r *right) hooks {
			return hooks{abort: func(ctx context.Context, run *executor.Run) error {
				s := r.adapter.Events(run)
				defer func() { _ = s.Close() }()
				if err := r.adapter.Abort(ctx, run); err != nil {
					return err
				}
				for _, err := range executor.All(ctx, s) {
					if err != nil {
						return err
					}
				}
				return nil
			}}
		}),
		variant("hears-itself", "observes every run itself", func(r *right) hooks {
			return hooks{start: func(ctx context.Context, o executor.StartOpts) (*executor.Run, error) {
				run, err := r.adapter.Start(ctx, executor.TaskHandle{}, o)
				if err == nil {
					s := r.adapter.Events(run)
					r.watch.Go(func() {
						defer func() { _ = s.Close() }()
						for {
							if _, err := s.Next(context.WithoutCancel(ctx)); err != nil {
								return
							}
						}
					})
				}
				return run, err
			}}
		}),
	}
}
