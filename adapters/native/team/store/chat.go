package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Post is a message in the room of a team.
type Post struct {
	// Seq orders posts and only grows; it may skip numbers.
	Seq       int64
	TeamID    string
	AuthorID  string
	Body      string
	CreatedAt int64
}

const postColumns = "seq, team_id, author_id, body, created_at"

func scanPost(row scanner) (Post, error) {
	var p Post
	err := row.Scan(&p.Seq, &p.TeamID, &p.AuthorID, &p.Body, &p.CreatedAt)
	return p, err
}

// Say posts to the room of a team. It is [ErrInvalid] without a team, an author or a
// text.
func (s *Store) Say(ctx context.Context, teamID, authorID, body string) (Post, error) {
	if teamID == "" || authorID == "" || strings.TrimSpace(body) == "" {
		return Post{}, fmt.Errorf("%w: a post needs a team, an author and a text", ErrInvalid)
	}
	var made Post
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		made, err = scanPost(tx.QueryRowContext(ctx, "INSERT INTO chat (team_id, author_id, body, created_at) VALUES (?, ?, ?, ?) RETURNING "+postColumns,
			teamID, authorID, Clean(body), s.stamp()))
		return err
	})
	return made, err
}

// Heard is what others posted in a room after a number, the oldest first and at most
// limit of them, and the number to go on from, which is never lower. One's own posts
// are left out.
func (s *Store) Heard(ctx context.Context, teamID, readerID string, after int64, limit int) (posts []Post, next int64, err error) {
	limit = max(limit, 1)
	// What is posted meanwhile is for the next time: going past it would lose it.
	head, err := s.Head(ctx, teamID)
	if err != nil {
		return nil, after, err
	}
	posts, err = collect(ctx, s.db, scanPost, "SELECT "+postColumns+` FROM chat WHERE team_id = ? AND author_id <> ? AND seq > ? AND seq <= ?
		ORDER BY seq LIMIT ?`, teamID, readerID, after, head, limit)
	if err != nil {
		return nil, after, err
	}
	if len(posts) > 0 && len(posts) == limit {
		return posts, posts[len(posts)-1].Seq, nil // there may be more
	}
	return posts, max(after, head), nil
}

// Head is the number of the last post in a room; 0 is none.
func (s *Store) Head(ctx context.Context, teamID string) (seq int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM chat WHERE team_id = ?", teamID).Scan(&seq)
	return seq, err
}
