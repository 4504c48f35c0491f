package native

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/native/loop"
	"github.com/adaptercheck/adaptercheck/adapters/native/message"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/tiers"
	"github.com/adaptercheck/adaptercheck/internal/observe"
)

// run is one conversation under way, in a goroutine of its own.
type run struct {
	adapter   *Adapter
	session   *session
	info      RunInfo
	home      state.Home
	before    string // the session of the run before; empty is none
	kept      []message.Message
	opts      executor.StartOpts
	pieces    []string // that waited for the run
	router    *provider.Router
	feed      *observe.Feed
	questions questions
	began     time.Time

	life   context.Context // ends when the run is aborted
	cancel context.CancelFunc
}

func (a *Adapter) start(ctx context.Context, task executor.TaskHandle, opts executor.StartOpts) (*executor.Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.SessionKey == "" {
		return nil, errNoKey
	}
	config, err := a.options.Config(ctx, opts.AgentID)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", state.SanitizeAgent(opts.AgentID), err)
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	router, err := a.route(config)
	if err != nil {
		return nil, err
	}
	s, err := a.reserve(opts.SessionKey)
	if err != nil {
		return nil, err
	}
	handed := executor.NewRun(ID, opts.SessionKey)
	r := &run{
		adapter: a, session: s, opts: opts, router: router, began: a.options.Now(),
		home: state.Home{Dir: a.options.Home, Agent: opts.AgentID},
		info: RunInfo{
			AgentID: opts.AgentID, SessionKey: opts.SessionKey, SessionID: "native-" + newUUID(), RunID: "run-" + rand.Text(),
			TaskID: task.TaskID, TeamID: task.TeamID, Config: config,
		},
		feed: observe.New(handed, observe.Options{QueueMax: a.options.QueueMax, Now: a.options.Now}),
	}
	r.life, r.cancel = context.WithCancel(context.Background()) // a run outlives its start
	r.questions.timeout = a.options.ApprovalTimeout
	if err := a.admit(handed, r); err != nil {
		r.cancel()
		a.giveUp(s)
		return nil, err
	}
	go r.hold()
	return handed, nil
}

// newUUID is a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// route names the agent's providers. Their order is the configuration's.
func (a *Adapter) route(c state.AgentConfig) (*provider.Router, error) {
	candidates := []provider.Candidate{{Provider: c.PrimaryProvider, Model: c.PrimaryModel, KeyEnv: c.EnvVar}}
	for _, f := range c.Fallbacks {
		candidates = append(candidates, provider.Candidate{Provider: f.Provider, Model: f.Model})
	}
	return provider.NewRouter(provider.Options{
		Candidates: candidates, Keys: a.options.Keys, BaseURLs: a.options.BaseURLs, HTTPClient: a.http, Stall: a.options.Stall,
	})
}

// admit makes the run known, unless the adapter has been disposed of meanwhile.
func (a *Adapter) admit(handed *executor.Run, r *run) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disposed {
		return executor.ErrDisposed
	}
	s := r.session
	if model := r.opts.Model; model != "" {
		r.router.SetModel(model)
	} else if s.model != "" {
		r.router.SetModel(s.model)
	}
	r.pieces, r.before, r.kept = s.take(), s.native, s.talk
	if r.before != "" && s.agent != r.home.Agent {
		r.before, r.kept = "", nil // another agent's conversation is not this one's
	}
	s.live, s.agent = r, r.home.Agent
	a.live[r] = struct{}{}
	a.know(handed, handle{session: s, run: r})
	return nil
}

// emit publishes events under the run's id and the host's key of the session: the
// runtime's own name is another one in each run.
func (r *run) emit(events ...executor.Event) {
	head := executor.Envelope{RunID: r.info.RunID, SessionID: &r.info.SessionKey}
	for _, e := range events {
		r.feed.Publish(e.WithHead(head))
	}
}

func failure(code, said string, fatal bool) executor.Error {
	return executor.Error{Code: &code, Message: said, Fatal: fatal}
}

// hold holds the conversation, keeps it, and says how it ended. The session is free before
// anybody can see that the run is over.
func (r *run) hold() {
	defer r.adapter.busy.Done()
	defer r.cancel()
	out := r.converse()
	r.questions.close()
	events := r.keep(out)
	if out.Reason == executor.ReasonError {
		events = append(events, out.Failure)
	}
	events = append(events, executor.Done{Reason: out.Reason, Summary: out.Summary, Usage: out.Usage, CostUSD: out.Cost})
	r.adapter.free(r, out)
	r.emit(events...)
	r.feed.End()
}

// converse opens the tools of the run and holds the conversation.
func (r *run) converse() loop.Outcome {
	talk, lost := r.adapter.history(r.home, r.before, r.kept)
	o := r.plan(talk)
	if lost != nil {
		// The first event binds the run, which is for the provider to do: it waits for that.
		tell := sync.OnceFunc(func() {
			r.emit(failure(codeTranscript, "the conversation so far could not be read; the session begins anew", false))
		})
		o.Emit = func(events ...executor.Event) {
			tell()
			r.emit(events...)
		}
	}
	if r.life.Err() != nil {
		return aborted(o)
	}
	if r.adapter.options.Tools != nil {
		box, err := r.adapter.options.Tools(r.life, r.info)
		if box.Close != nil {
			defer func() { _ = box.Close() }() // the run is over either way
		}
		switch {
		case r.life.Err() != nil:
			return aborted(o)
		case err != nil:
			out := loop.Outcome{Reason: executor.ReasonError, Messages: append(talk, message.FromUser(o.Prompt))}
			out.Failure = failure("tools", "the tools of the run could not be opened", true)
			return out
		}
		o.Tools, o.Inbox = box.Tools, box.Inbox
	}
	return loop.Run(r.life, o)
}

func aborted(o loop.Options) loop.Outcome {
	return loop.Outcome{Reason: executor.ReasonAborted, Messages: append(slices.Clone(o.History), message.FromUser(o.Prompt))}
}

// plan is what the conversation is.
func (r *run) plan(talk []message.Message) loop.Options {
	a, c := r.adapter, r.info.Config
	self := c.SystemPrompt
	if self == "" {
		self = r.home.Soul()
	}
	turns := c.MaxTurns
	if turns == 0 {
		turns = state.DefaultMaxTurns
	}
	o := loop.Options{
		Model: r.router, History: talk, Prompt: prompt(r.pieces, r.opts.Context, r.opts.Message),
		// Of the time there is only the day: the prompt is the same from turn to turn.
		System:    tiers.Assemble(tiers.Tiers{Stable: self, Context: "Today: " + tiers.DateStamp(r.began)}).Text,
		Blocklist: r.opts.ChildToolBlocklist, MaxTurns: turns, MaxTokens: a.options.MaxTokens, Grace: a.options.Grace,
		RequestID: func(turn int) string { return r.info.SessionID + "/" + strconv.Itoa(turn) },
		Inputs: func() []string {
			a.mu.Lock()
			defer a.mu.Unlock()
			return r.session.take()
		},
		Emit: r.emit,
	}
	if a.options.NeedsApproval != nil {
		o.Approve = r.approve
	}
	return o
}

// keep writes down the conversation and the run. What could not be written is told, and
// fails nothing: the run has happened.
func (r *run) keep(out loop.Outcome) []executor.Event {
	if !r.home.Keeps() {
		return nil
	}
	err := r.home.Save(r.info.SessionID, out.Messages)
	row := state.Row{
		SessionID: r.info.SessionID, AgentID: r.info.AgentID, SessionKey: r.info.SessionKey, RunID: r.info.RunID, TaskID: r.info.TaskID, TeamID: r.info.TeamID,
		Model: out.Model, Reason: string(out.Reason), Turns: out.Turns, StartedAt: r.began, EndedAt: r.adapter.options.Now(),
	}
	if u := out.Usage; u != nil {
		row.InputTokens, row.OutputTokens = u.InputTokens, u.OutputTokens
		if u.CachedInputTokens != nil {
			row.InputTokens += *u.CachedInputTokens
		}
	}
	if usd, known := out.Cost.Get(); known {
		row.CostUSD = &usd
	}
	// An aborted run is written down like any other.
	err = errors.Join(err, r.home.Note(context.WithoutCancel(r.life), row))
	if err == nil {
		return nil
	}
	return []executor.Event{failure("state", "the run could not be written down", false)}
}

// free frees the session after a run.
func (a *Adapter) free(r *run, out loop.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := r.session
	s.taken, s.live, s.native = false, nil, r.info.SessionID
	if !r.home.Keeps() {
		s.talk = message.Bound(out.Messages, message.MaxHistory)
	}
	delete(a.live, r)
	if len(a.live) == 0 {
		a.release()
	}
}
