package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/renameio/v2/maybe"

	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/state"
)

// agentID is what an agent's id is made of: it names files.
var agentID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// maxAgentID is how long one is, in bytes.
const maxAgentID = 128

func isAgentID(id string) bool { return len(id) <= maxAgentID && agentID.MatchString(id) }

// agents keeps how agents and teams are set up, one file each.
type agents struct {
	home string
	now  func() time.Time
}

// seeded is what is kept of a team.
type seeded struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Leader     string `json:"leaderAgentId"`
	Specialist string `json:"specialistAgentId"`
	CreatedAt  int64  `json:"createdAt"`
}

// config is how an agent is set up: as its file says, or by default.
func (a agents) config(_ context.Context, id string) (state.AgentConfig, error) {
	if !isAgentID(id) {
		return state.AgentConfig{}, fmt.Errorf("agent: %q is no agent's id", id)
	}
	blob, err := os.ReadFile(a.path("agents", id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return state.AgentConfig{}, fmt.Errorf("agent %s: %w", id, err)
	}
	return state.Decode(blob, id), nil
}

func (a agents) path(kind, id string) string { return filepath.Join(a.home, kind, id+".json") }

// save writes a file of an agent or a team.
func (a agents) save(kind, id string, v any) error {
	data, err := json.Marshal(v, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, id, err)
	}
	path := a.path(kind, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%s %s: %w", kind, id, err)
	}
	if err := maybe.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("%s %s: %w", kind, id, err)
	}
	return nil
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// maxSlug is how much of a name is in an id, in bytes.
const maxSlug = 32

// newAgentID makes an id out of a name.
func newAgentID(name string) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	slug = strings.Trim(slug[:min(len(slug), maxSlug)], "-")
	if slug == "" {
		slug = "agent"
	}
	return "native-" + slug + "-" + random(3)
}

// random is so many bytes in hexadecimal.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// The names of what is seeded.
const (
	teamName       = "My First Team"
	leaderName     = "Team Lead"
	specialistName = "Coder"
)

const leaderPrompt = `You lead a small team. Break the work down, delegate what a teammate can do, and keep track of the tasks.
Say what was done and what is left, in a few plain sentences.`

const specialistPrompt = `You write code. Work in the given directory with the tools that you have: read what is there, change what the task
asks for and nothing else, and look at the result. Say what you changed, in a few plain sentences.`

// seed makes a team of two.
func (a agents) seed(spec provider.Spec, model string) (seeded, error) {
	if model == "" {
		model = spec.Leader
	}
	now := a.now().UnixMilli()
	t := seeded{ID: "team-" + random(8), Name: teamName, CreatedAt: now}
	for _, m := range []struct {
		id                  *string
		name, model, prompt string
	}{{&t.Leader, leaderName, model, leaderPrompt}, {&t.Specialist, specialistName, spec.Specialist, specialistPrompt}} {
		id, err := a.free(m.name)
		if err != nil {
			return seeded{}, err
		}
		c := state.Default(id)
		c.Name, c.SystemPrompt, c.PrimaryProvider, c.PrimaryModel, c.EnvVar = m.name, m.prompt, spec.ID, m.model, spec.KeyEnv
		if spec.Keyless() {
			c.EnvVar = provider.EnvOllama // a configuration names one
		}
		c.CreatedAt, c.UpdatedAt = float64(now), float64(now)
		if err := c.Validate(); err != nil {
			return seeded{}, err
		}
		if err := a.save("agents", id, c); err != nil {
			return seeded{}, err
		}
		*m.id = id
	}
	return t, a.save("teams", t.ID, t)
}

// free makes an id that no agent has.
func (a agents) free(name string) (string, error) {
	for range 20 {
		id := newAgentID(name)
		if _, err := os.Lstat(a.path("agents", id)); errors.Is(err, fs.ErrNotExist) {
			return id, nil
		}
	}
	return "", errors.New("agent: every id that was tried is taken")
}

// seedTeam makes a team of a leader and a specialist. It calls nobody.
func (h *Host) seedTeam(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
	}
	if !h.read(w, r, &q) {
		return
	}
	spec, known := provider.Known(provider.ID(q.Provider))
	switch {
	case q.Provider == "":
		spec = h.preferred()
	case !known:
		refuse(w, http.StatusBadRequest, "unknown provider; want one of "+strings.Join(provider.IDs(), ", "))
		return
	}
	t, err := h.agents.seed(spec, strings.TrimSpace(q.Model))
	if err != nil {
		h.o.Log.Error("a team cannot be seeded", "error", err)
		refuse(w, http.StatusInternalServerError, failed)
		return
	}
	answer(w, http.StatusCreated, object{"teamId": t.ID, "leaderAgentId": t.Leader, "specialistAgentId": t.Specialist})
}

// preferred is the first provider that can be asked, else Anthropic.
func (h *Host) preferred() provider.Spec {
	k := h.keys()
	for _, s := range provider.All() {
		if k.reach(s) {
			return s
		}
	}
	s, _ := provider.Known(provider.Anthropic)
	return s
}
