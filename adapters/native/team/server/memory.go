package server

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

// someFacts is how many facts are given unless asked otherwise.
const someFacts = 10

type (
	saveMemory struct {
		Content       string   `json:"content"`
		Title         string   `json:"title,omitempty" jsonschema:"What the fact is about. Needed for a fact."`
		Tags          []string `json:"tags,omitempty"`
		ProcedureName string   `json:"procedureName,omitempty" jsonschema:"Saves the next version of the procedure of this name, not a fact."`
	}
	searchMemory struct {
		Query string     `json:"query"`
		Mode  store.Mode `json:"mode,omitempty" jsonschema:"By words (fts), by likeness (vector), or by both (hybrid, which it is if absent)."`
		Limit int        `json:"limit,omitempty"`
	}
	browseMemory struct {
		Limit int `json:"limit,omitempty"`
	}
)

type memory struct {
	memory *store.Memory
	run    Run
}

// NewMemory is the server of memory. What an agent of a team saves is its team's; what
// an agent without one saves is its own. It finds that, and what belongs to everybody.
func NewMemory(m *store.Memory, run Run) *mcp.Server {
	b, s := newBox("native-memory"), memory{m, run}
	add(b, "memory_save", "Save a lasting fact (title and content), or with procedureName the next version of how something is done. Teammates find it too.", nil, s.save)
	add(b, "memory_search", "Search what was saved. The best hits come first, each with its id.", func(p map[string]*jsonschema.Schema) {
		oneOf(p["mode"], store.ByText, store.ByVector, store.Hybrid)
		between(p["limit"], 1, 100)
	}, s.search)
	add(b, "memory_browse", "List what was saved last: facts, and procedures in their latest version.", func(p map[string]*jsonschema.Schema) {
		between(p["limit"], 1, 200)
	}, s.browse)
	return b.Server
}

// owner is whose a saved fact is.
func (m memory) owner() store.Scope {
	if m.run.TeamID != "" {
		return store.Scope{TeamID: m.run.TeamID}
	}
	return store.Scope{AgentID: m.run.AgentID}
}

// reader is who looks.
func (m memory) reader() store.Scope {
	return store.Scope{TeamID: m.run.TeamID, AgentID: m.run.AgentID}
}

func (m memory) save(ctx context.Context, in saveMemory) (string, error) {
	owner := m.owner()
	if in.ProcedureName != "" {
		p, err := m.memory.SaveProcedure(ctx, in.ProcedureName, in.Content, owner)
		return shown(map[string]any{"saved": "procedure", "procedure": p}, unsaved(err))
	}
	if strings.TrimSpace(in.Title) == "" {
		return "", errors.New("a fact requires a title (or set procedureName for a procedure)")
	}
	f, err := m.memory.SaveFact(ctx, store.Fact{Title: in.Title, Content: in.Content, Tags: in.Tags, TeamID: owner.TeamID, AgentID: owner.AgentID})
	return shown(map[string]any{"saved": "fact", "fact": f}, unsaved(err))
}

// unsaved says why nothing was saved.
func unsaved(err error) error {
	if errors.Is(err, store.ErrSecret) {
		return errors.New("nothing to save: the content was nothing but secrets, which are not kept")
	}
	return err
}

func (m memory) search(ctx context.Context, in searchMemory) (string, error) {
	return shown(m.memory.Search(ctx, in.Query, in.Mode, m.reader(), cmp.Or(in.Limit, someFacts)))
}

func (m memory) browse(ctx context.Context, in browseMemory) (string, error) {
	limit := cmp.Or(in.Limit, someFacts)
	facts, err := m.memory.Browse(ctx, m.reader(), limit)
	if err != nil {
		return "", err
	}
	procedures, err := m.memory.Procedures(ctx, m.reader(), limit)
	return shown(map[string]any{"facts": facts, "procedures": procedures}, err)
}
