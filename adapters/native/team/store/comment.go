package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The kinds of author of a comment.
const (
	ByAgent  = "agent"
	ByUser   = "user"
	BySystem = "system"
)

// Comment is a remark on a task.
type Comment struct {
	ID     string `json:"id"`
	TaskID string `json:"taskId"`
	// AuthorAgentID is empty for an author that is no agent.
	AuthorAgentID string `json:"authorAgentId,omitempty"`
	AuthorType    string `json:"authorType"`
	Body          string `json:"body"`
	CreatedAt     int64  `json:"createdAt"`
}

const commentColumns = "id, task_id, author_agent_id, author_type, body, created_at"

func scanComment(row scanner) (Comment, error) {
	var c Comment
	err := row.Scan(&c.ID, &c.TaskID, &c.AuthorAgentID, &c.AuthorType, &c.Body, &c.CreatedAt)
	return c, err
}

// AddComment adds a comment by an agent, a user or the system, at the end.
func (s *Store) AddComment(ctx context.Context, taskID, body, authorType, authorAgentID string) (Comment, error) {
	if strings.TrimSpace(body) == "" {
		return Comment{}, fmt.Errorf("%w: a comment needs a text", ErrInvalid)
	}
	if !slices.Contains([]string{ByAgent, ByUser, BySystem}, authorType) {
		return Comment{}, fmt.Errorf("%w: unknown kind of author %q", ErrInvalid, authorType)
	}
	var made Comment
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		if _, err = taskOf(ctx, tx, taskID); err == nil {
			made, err = s.comment(ctx, tx, taskID, body, authorType, authorAgentID)
		}
		return err
	})
	return made, err
}

func (s *Store) comment(ctx context.Context, tx *sql.Tx, taskID, body, authorType, authorAgentID string) (Comment, error) {
	return scanComment(tx.QueryRowContext(ctx, `INSERT INTO task_comments (id, task_id, author_agent_id, author_type, body, created_at)
		VALUES (?, ?, ?, ?, ?, ?) RETURNING `+commentColumns, newID(), taskID, authorAgentID, authorType, Clean(body), s.stamp()))
}

// Comments are those of a task, in their order.
func (s *Store) Comments(ctx context.Context, taskID string) ([]Comment, error) {
	return collect(ctx, s.db, scanComment, "SELECT "+commentColumns+" FROM task_comments WHERE task_id = ? ORDER BY n", taskID)
}

// lastComment is the text of the last one; empty is none.
func lastComment(ctx context.Context, q querier, taskID string) (string, error) {
	var body string
	err := q.QueryRowContext(ctx, "SELECT body FROM task_comments WHERE task_id = ? ORDER BY n DESC LIMIT 1", taskID).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return body, err
}
