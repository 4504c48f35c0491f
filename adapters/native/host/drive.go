package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/idle"
	"github.com/adaptercheck/adaptercheck/contract/executor/rotation"
)

// ending is what came of a task's sessions.
type ending struct {
	reason    executor.Reason
	summary   string
	cost      *float64 // what is known of it; nil is nothing
	spent     float64  // what counts against the budget
	budget    bool     // the budget was reached
	rotations int
	session   string // key of the last session
}

// outcome is the word of the store for it.
func (e ending) outcome() store.Outcome {
	switch e.reason {
	case executor.ReasonSuccess:
		return store.Succeeded
	case executor.ReasonAborted:
		return store.Aborted
	case executor.ReasonMaxTurns:
		return store.MaxTurns
	default:
		return store.Failed
	}
}

// maxProgress is how much of a summary a handoff holds, in characters.
const maxProgress = 400

// drive runs the job to its end, in one session and those that follow it.
func (h *Host) drive(ctx context.Context, j *job) ending {
	// A task that is run once more begins anew, so its sessions have names of their own.
	first := fmt.Sprintf("runtime:%s:task:%s:%s", RuntimeID, j.task.ID, random(4))
	end := ending{session: first}
	run, err := h.start(ctx, j, first, "")
	for {
		if err != nil {
			end.reason = executor.ReasonError
			if ctx.Err() != nil {
				end.reason = executor.ReasonAborted
			}
			h.o.Log.Warn("a session does not start", "task", j.task.ID, "error", err)
			return end
		}
		mark := h.follow(ctx, j, run, &end)
		if end.reason != executor.ReasonMaxTurns || end.rotations >= j.rotate || end.budget || ctx.Err() != nil {
			return end
		}
		end.rotations++
		before := run
		run, err = rotation.Rotate(ctx, rotation.Rotation{
			Adapter: h.adapter, Current: before,
			Handoff: rotation.Handoff{
				TaskID: j.task.ID, PredecessorSessionKey: before.SessionKey(), Reason: rotation.MaxTurns,
				LastSummary: shortened(end.summary), TokensUsed: mark, RotationIndex: end.rotations,
			},
			Restart: func(ctx context.Context, note string) (*executor.Run, error) {
				end.session = fmt.Sprintf("%s:r%d", first, end.rotations)
				return h.start(ctx, j, end.session, note)
			},
			Record: func(ctx context.Context, r rotation.Record) error {
				_, err := j.store.AddComment(ctx, j.task.ID, r.Handoff.Note(), store.BySystem, "")
				return err
			},
		})
	}
}

// start begins a session. Its tools work where the job does.
func (h *Host) start(ctx context.Context, j *job, key, note string) (*executor.Run, error) {
	h.places.work(key, j.dir)
	run, err := h.adapter.Start(ctx, executor.TaskHandle{TaskID: j.task.ID, TeamID: j.task.TeamID}, j.opts(key, note))
	if err != nil {
		h.places.forget(key)
	}
	return run, err
}

// follow reads a session to its end, adds it up, and returns how full its context was.
func (h *Host) follow(ctx context.Context, j *job, run *executor.Run, end *ending) (tokens int64) {
	defer h.places.forget(run.SessionKey())
	stop := func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.o.Ending)
		defer cancel()
		if err := h.adapter.Abort(bounded, run); err != nil {
			h.o.Log.Warn("a session cannot be aborted", "task", j.task.ID, "error", err)
		}
	}
	stream := idle.WithTimeout(h.adapter.Events(run), idle.Options{Idle: h.o.Silence, Grace: h.o.Ending, OnIdle: stop})
	defer stream.Close()
	// A run that is to end is given a moment to say so itself.
	reading, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	stopped := make(chan struct{})
	never := context.AfterFunc(ctx, func() {
		defer close(stopped)
		stop()
		time.AfterFunc(h.o.Ending, giveUp)
	})
	defer func() {
		if !never() {
			<-stopped
		}
	}()

	end.reason = executor.ReasonError // unless it says something else
	var text strings.Builder
	var mark rotation.Watermark
	for {
		event, err := stream.Next(reading)
		var malformed *executor.EventError
		switch {
		case errors.As(err, &malformed):
			continue
		case err != nil:
			if ctx.Err() != nil {
				end.reason = executor.ReasonAborted
			}
			if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				h.o.Log.Warn("a session cannot be read", "task", j.task.ID, "error", err)
			}
			end.summary = text.String()
			return mark.Tokens()
		}
		mark.Observe(event)
		switch e := event.(type) {
		case executor.TextDelta:
			if !e.OnReasoning() {
				text.WriteString(e.Text)
			}
		case executor.Cost:
			end.pay(e)
			if j.agent.BudgetUSD != nil && end.spent >= *j.agent.BudgetUSD && !end.budget {
				end.budget = true
				stop()
			}
		case executor.Error:
			h.o.Log.Warn("a session tells of an error", "task", j.task.ID, "fatal", e.Fatal)
		case executor.Done:
			end.reason, end.summary = e.Reason, e.Summary
			if end.summary == "" {
				end.summary = text.String()
			}
			if ctx.Err() != nil {
				end.reason = executor.ReasonAborted
			}
			return mark.Tokens()
		}
	}
}

// The price of a million tokens where it is not known: a budget that nothing counts
// against would be none.
const (
	guessedInput  = 3.0
	guessedOutput = 15.0
)

// pay adds a cost event up.
func (e *ending) pay(c executor.Cost) {
	if c.CostUSD == nil {
		e.spent += (float64(rotation.ContextTokens(c.Usage)-c.Usage.OutputTokens)*guessedInput + float64(c.Usage.OutputTokens)*guessedOutput) / 1e6
		return
	}
	e.spent += *c.CostUSD
	sum := *c.CostUSD
	if e.cost != nil {
		sum += *e.cost
	}
	e.cost = &sum
}

// shortened is the beginning of a text.
func shortened(s string) string {
	if utf8.RuneCountInString(s) <= maxProgress {
		return s
	}
	return string([]rune(s)[:maxProgress])
}
