package team

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/server"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

const (
	// maxSummary is how much of a summary is passed on, in characters.
	maxSummary = 4000
	// maxPosts is how many posts of teammates are passed on before one turn; what is left
	// comes before the next.
	maxPosts = 50
)

// inbox is what reaches a run from its team.
type inbox struct {
	store *store.Store
	run   server.Run
	leads bool // it may have delegated
	chats bool

	mu    sync.Mutex
	heard int64 // the last post that was passed on, or that was there before the run
}

func newInbox(o Options, run server.Run, ofTeam bool) *inbox {
	return &inbox{store: o.Store, run: run, leads: ofTeam, chats: o.TeamChat && run.TeamID != ""}
}

// start notes what was posted before the run: that is not passed on.
func (b *inbox) start(ctx context.Context) (err error) {
	if b.chats {
		b.heard, err = b.store.Head(ctx, b.run.TeamID)
	}
	return err
}

// Inbox fetches what reached the run since it was asked last, as messages of the user
// for the next turn. What became of delegated tasks is one message, which begins with
// "[Task Update]"; what teammates posted while the run goes on is another. Each outcome
// and each post comes once.
func (a *Attachment) Inbox(ctx context.Context) ([]string, error) {
	b := a.inbox
	b.mu.Lock()
	defer b.mu.Unlock()
	posts, next, err := b.posts(ctx)
	if err != nil {
		return nil, fmt.Errorf("inbox: %w", err)
	}
	// Updates come last: fetching them takes them, so nothing may fail after it.
	updates, err := b.updates(ctx)
	if err != nil {
		return nil, fmt.Errorf("inbox: %w", err)
	}
	b.heard = next
	var messages []string
	if len(updates) > 0 {
		messages = append(messages, updated(updates))
	}
	if len(posts) > 0 {
		messages = append(messages, posted(posts))
	}
	return messages, nil
}

func (b *inbox) posts(ctx context.Context) ([]store.Post, int64, error) {
	if !b.chats {
		return nil, 0, nil
	}
	return b.store.Heard(ctx, b.run.TeamID, b.run.AgentID, b.heard, maxPosts)
}

func (b *inbox) updates(ctx context.Context) ([]store.Update, error) {
	if !b.leads {
		return nil, nil
	}
	return b.store.TakeUpdates(ctx, b.run.AgentID, b.run.TeamID)
}

func posted(posts []store.Post) string {
	all := make([]string, len(posts))
	for i, p := range posts {
		all[i] = server.Wrap(p)
	}
	return strings.Join(all, "\n\n")
}

// how is an outcome in words.
func how(o store.Outcome) string {
	switch o {
	case store.Succeeded:
		return "is done"
	case store.Failed:
		return "failed with an error"
	case store.Aborted:
		return "was stopped before it was finished"
	case store.MaxTurns:
		return "ran out of turns before it was finished"
	case store.Withdrawn:
		return "was cancelled"
	}
	return "was left as " + string(o)
}

// updated is the message about tasks that ended.
func updated(updates []store.Update) string {
	var text strings.Builder
	noun := "task that you delegated has"
	if len(updates) > 1 {
		noun = "tasks that you delegated have"
	}
	fmt.Fprintf(&text, "[Task Update] %d %s ended. This comes from the task list and not from the user.", len(updates), noun)
	open := false
	for _, u := range updates {
		open = open || u.Outcome != store.Succeeded
		fmt.Fprintf(&text, "\n\n%s: %q (task %s) %s.", u.Worker, u.Title, u.TaskID, how(u.Outcome))
		if summary := shortened(u.Summary); summary != "" {
			text.WriteString("\n| " + strings.ReplaceAll(summary, "\n", "\n| "))
		}
	}
	if open {
		text.WriteString("\n\nDecide about those that are not done: delegate again, to the same or another teammate, or tell the user.")
	}
	return text.String()
}

func shortened(summary string) string {
	summary = strings.TrimSpace(summary)
	if runes := []rune(summary); len(runes) > maxSummary {
		return string(runes[:maxSummary]) + "…"
	}
	return summary
}
