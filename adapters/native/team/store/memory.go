package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// ErrSecret: all that was to be saved is a secret, and nothing was saved.
var ErrSecret = errors.New("nothing but secrets")

// Memory is what agents know, in a store. With an embedder facts are found by
// likeness too, without one by their words only.
type Memory struct {
	store *Store
	embed history.EmbeddingPort
}

// Memory is the store's memory. A nil embedder is none. Vectors of another model
// stay in the store and are not compared.
func (s *Store) Memory(embed history.EmbeddingPort) *Memory { return &Memory{store: s, embed: embed} }

// Scope says whose a fact is, or who looks. As an owner, an empty field is everybody:
// a fact with neither is seen by all, one with a team by the agents of that team. As
// one who looks, an empty team is none, an empty agent is none.
type Scope struct{ TeamID, AgentID string }

// visible is the condition for who looks, on the columns of both tables.
const visible = "team_id IN ('', ?) AND agent_id IN ('', ?)"

// Fact is something known.
type Fact struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Content   string   `json:"content"`
	Tags      []string `json:"tags,omitempty"`
	TeamID    string   `json:"scopeTeamId,omitempty"`
	AgentID   string   `json:"scopeAgentId,omitempty"`
	CreatedAt int64    `json:"createdAt"`
}

// Procedure is how something is done. Saving one of a name that there is makes its
// next version; the versions before stay.
type Procedure struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Version   int    `json:"version"`
	Content   string `json:"content"`
	TeamID    string `json:"scopeTeamId,omitempty"`
	AgentID   string `json:"scopeAgentId,omitempty"`
	CreatedAt int64  `json:"createdAt"`
}

const factColumns = "id, title, content, tags, team_id, agent_id, created_at"

func scanFact(row scanner) (Fact, error) {
	var f Fact
	err := f.scan(row)
	return f, err
}

func (f *Fact) scan(row scanner, more ...any) error {
	var tags string
	into := append([]any{&f.ID, &f.Title, &f.Content, &tags, &f.TeamID, &f.AgentID, &f.CreatedAt}, more...)
	if err := row.Scan(into...); err != nil {
		return err
	}
	return json.Unmarshal([]byte(tags), &f.Tags)
}

const procedureColumns = "id, name, version, content, team_id, agent_id, created_at"

func (p *Procedure) scan(row scanner) error {
	return row.Scan(&p.ID, &p.Name, &p.Version, &p.Content, &p.TeamID, &p.AgentID, &p.CreatedAt)
}

// SaveFact keeps a fact: its title, content, tags and owner are those of f, all else
// is the store's. It is [ErrInvalid] without a title or content, [ErrSecret] where
// the content is nothing but secrets.
func (m *Memory) SaveFact(ctx context.Context, f Fact) (Fact, error) {
	if strings.TrimSpace(f.Title) == "" || strings.TrimSpace(f.Content) == "" {
		return Fact{}, fmt.Errorf("%w: a fact needs a title and content", ErrInvalid)
	}
	content := Clean(f.Content)
	if nothingLeft(f.Content, content) {
		return Fact{}, ErrSecret
	}
	f.Title, f.Content = Clean(f.Title), content
	cleaned := make([]string, len(f.Tags))
	for i, tag := range f.Tags {
		cleaned[i] = Clean(tag)
	}
	tags, err := json.Marshal(cleaned)
	if err != nil {
		return Fact{}, err
	}
	model, vector, err := m.vector(ctx, f.Title+"\n"+f.Content)
	if err != nil {
		return Fact{}, err
	}
	var made Fact
	err = m.store.write(ctx, func(tx *sql.Tx) error {
		var n int64
		row := tx.QueryRowContext(ctx, `INSERT INTO facts (id, title, content, tags, team_id, agent_id, model, vector, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING `+factColumns+`, n`,
			newID(), f.Title, f.Content, string(tags), f.TeamID, f.AgentID, model, vector, m.store.stamp())
		if err := made.scan(row, &n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO facts_text (rowid, title, content, tags) VALUES (?, ?, ?, ?)",
			n, f.Title, f.Content, strings.Join(cleaned, " "))
		return err
	})
	return made, err
}

// SaveProcedure keeps the next version of a procedure of a name and an owner. It is
// [ErrInvalid] without a name or content, [ErrSecret] as for a fact.
func (m *Memory) SaveProcedure(ctx context.Context, name, text string, owner Scope) (Procedure, error) {
	if strings.TrimSpace(name) == "" || strings.TrimSpace(text) == "" {
		return Procedure{}, fmt.Errorf("%w: a procedure needs a name and content", ErrInvalid)
	}
	content := Clean(text)
	if nothingLeft(text, content) {
		return Procedure{}, ErrSecret
	}
	var p Procedure
	err := m.store.write(ctx, func(tx *sql.Tx) error {
		return p.scan(tx.QueryRowContext(ctx, `INSERT INTO procedures (id, name, version, content, team_id, agent_id, created_at)
			SELECT ?1, ?2, 1 + coalesce(max(version), 0), ?3, ?4, ?5, ?6 FROM procedures WHERE name = ?2 AND team_id = ?4 AND agent_id = ?5
			RETURNING `+procedureColumns, newID(), Clean(name), content, owner.TeamID, owner.AgentID, m.store.stamp()))
	})
	return p, err
}

// Browse lists the facts that one who looks may see, the latest first, at most limit
// of them.
func (m *Memory) Browse(ctx context.Context, by Scope, limit int) ([]Fact, error) {
	return collect(ctx, m.store.db, scanFact, "SELECT "+factColumns+" FROM facts WHERE "+visible+" ORDER BY n DESC LIMIT ?", by.TeamID, by.AgentID, limit)
}

// Procedures lists the latest version of the procedures that one who looks may see,
// the latest first, at most limit of them.
func (m *Memory) Procedures(ctx context.Context, by Scope, limit int) ([]Procedure, error) {
	return collect(ctx, m.store.db, func(row scanner) (Procedure, error) {
		var p Procedure
		err := p.scan(row)
		return p, err
	}, "SELECT "+procedureColumns+" FROM procedures p WHERE "+visible+` AND version =
			(SELECT max(version) FROM procedures o WHERE o.name = p.name AND o.team_id = p.team_id AND o.agent_id = p.agent_id)
		ORDER BY created_at DESC, rowid DESC LIMIT ?`, by.TeamID, by.AgentID, limit)
}

// vector is what the embedder makes of a text, as it is stored; nothing without one.
func (m *Memory) vector(ctx context.Context, text string) (model string, packed []byte, err error) {
	if m.embed == nil {
		return "", nil, nil
	}
	vectors, err := m.embed.Embed(ctx, []string{text})
	if err != nil {
		return "", nil, fmt.Errorf("embedding: %w", err)
	}
	if len(vectors) != 1 {
		return "", nil, fmt.Errorf("embedding: %d vectors for one text", len(vectors))
	}
	packed = make([]byte, 0, 4*len(vectors[0]))
	for _, x := range vectors[0] {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(float32(x)))
	}
	return m.model(), packed, nil
}

// model names what made a vector.
func (m *Memory) model() string {
	id := m.embed.Identity()
	return id.Provider + "/" + id.Model
}
