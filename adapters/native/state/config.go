package state

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
)

// DefaultMaxTurns is how many turns a run has where the configuration does not say.
const DefaultMaxTurns = 16

// AgentConfig is how an agent of the native runtime is set up.
type AgentConfig struct {
	ID              string      `json:"id"`
	Name            string      `json:"name"`
	PrimaryProvider provider.ID `json:"primaryProvider"`
	PrimaryModel    string      `json:"primaryModel"`
	// EnvVar names the variable with the key of the primary provider.
	EnvVar string `json:"envVar"`
	// ParticipantKind is "agent" or another word; nothing depends on it.
	ParticipantKind string `json:"participantKind"`
	// SystemPrompt is what the agent is told of itself. Empty leaves it to the file SOUL.md
	// in its home.
	SystemPrompt string `json:"systemPrompt"`
	// Fallbacks serve in this order when the primary cannot.
	Fallbacks []Fallback `json:"fallbacks,omitzero"`
	Tools     Tools      `json:"tools"`
	// MaxTurns is how many turns a run may have; 0 is [DefaultMaxTurns].
	MaxTurns int `json:"maxTurns,omitzero"`
	// BudgetUSD is what a run of the agent may cost; nil is any amount.
	BudgetUSD *float64 `json:"budgetUsd"`
	// CreatedAt and UpdatedAt are milliseconds since the epoch.
	CreatedAt float64 `json:"createdAt"`
	UpdatedAt float64 `json:"updatedAt"`
	TenantID  *string `json:"tenantId"`
}

// Fallback is a provider and the model that serves there.
type Fallback struct {
	Provider provider.ID `json:"provider"`
	Model    string      `json:"model"`
}

// Tools says which servers of tools the agent has.
type Tools struct {
	Memory   bool      `json:"memory"`
	Tools    bool      `json:"tools"`
	Tasks    TaskTools `json:"tasks"`
	TeamChat bool      `json:"teamchat"`
	// Custom names tools of the host's own.
	Custom []string `json:"custom,omitzero"`
}

// TaskTools says how far an agent may go with tasks.
type TaskTools string

// The closed set of task tools. The zero value is none.
const (
	TasksNone TaskTools = ""
	TasksRead TaskTools = "read"
	TasksFull TaskTools = "full"
)

// MarshalJSON writes false, "read" or true.
func (t TaskTools) MarshalJSON() ([]byte, error) {
	switch t {
	case TasksNone:
		return []byte("false"), nil
	case TasksRead:
		return []byte(`"read"`), nil
	case TasksFull:
		return []byte("true"), nil
	}
	return nil, fmt.Errorf("unknown task tools %q", string(t))
}

// UnmarshalJSON reads false, "read" or true.
func (t *TaskTools) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "false":
		*t = TasksNone
	case `"read"`:
		*t = TasksRead
	case "true":
		*t = TasksFull
	default:
		return errors.New(`want true, false or "read"`)
	}
	return nil
}

// Default is the configuration of an agent that has none.
func Default(id string) AgentConfig {
	return AgentConfig{
		ID: id, Name: "Native Agent", PrimaryProvider: provider.Anthropic, PrimaryModel: "claude-haiku-4-5",
		EnvVar: "ANTHROPIC_API_KEY", ParticipantKind: "agent",
		Tools: Tools{Memory: true, Tools: true, Tasks: TasksRead, TeamChat: true}, MaxTurns: DefaultMaxTurns,
	}
}

// DefaultID is the id of the default where no other is asked for.
const DefaultID = "native-default"

// Decode reads a configuration as it was stored. Unknown members are left out. A blob that
// is null, no JSON, or not a valid configuration gives the default with that id; an empty
// id is [DefaultID].
func Decode(blob []byte, id string) AgentConfig {
	c, err := Parse(blob)
	if err != nil {
		if id == "" {
			id = DefaultID
		}
		return Default(id)
	}
	return c
}

// Parse reads a configuration, and says what is wrong with one that is not valid. The
// error names the member and never its value.
func Parse(blob []byte) (AgentConfig, error) {
	var given map[string]jsontext.Value
	if json.Unmarshal(blob, &given) != nil || given == nil {
		return AgentConfig{}, errors.New("agent configuration: want one JSON object")
	}
	for _, name := range []string{"systemPrompt", "tools", "createdAt", "updatedAt", "tenantId"} {
		if _, has := given[name]; !has {
			return AgentConfig{}, fmt.Errorf("agent configuration: member %s is missing", name)
		}
	}
	var c AgentConfig
	if err := json.Unmarshal(blob, &c); err != nil {
		var wrong *json.SemanticError
		if errors.As(err, &wrong) {
			return AgentConfig{}, fmt.Errorf("agent configuration: member %s has a value of the wrong type", strings.TrimPrefix(string(wrong.JSONPointer), "/"))
		}
		return AgentConfig{}, errors.New("agent configuration: want one JSON object")
	}
	if _, has := given["maxTurns"]; has && c.MaxTurns < 1 {
		return AgentConfig{}, errors.New("agent configuration: member maxTurns: want a whole number from 1")
	}
	if err := c.Validate(); err != nil {
		return AgentConfig{}, err
	}
	return c, nil
}

// Validate says what is wrong with a configuration. The error names the member and never
// its value, but for an unknown provider.
func (c AgentConfig) Validate() error {
	for _, m := range []struct{ name, value string }{
		{"id", c.ID}, {"name", c.Name}, {"primaryProvider", string(c.PrimaryProvider)}, {"primaryModel", c.PrimaryModel},
		{"envVar", c.EnvVar}, {"participantKind", c.ParticipantKind},
	} {
		if m.value == "" {
			return fmt.Errorf("agent configuration: member %s is missing or empty", m.name)
		}
	}
	for i, f := range c.Fallbacks {
		if f.Provider == "" || f.Model == "" {
			return fmt.Errorf("agent configuration: member fallbacks, entry %d: want a provider and a model", i+1)
		}
	}
	if !slices.Contains([]TaskTools{TasksNone, TasksRead, TasksFull}, c.Tools.Tasks) {
		return errors.New(`agent configuration: member tools.tasks: want true, false or "read"`)
	}
	if c.MaxTurns < 0 {
		return errors.New("agent configuration: member maxTurns: want a whole number from 1")
	}
	if c.BudgetUSD != nil && !(*c.BudgetUSD > 0) {
		return errors.New("agent configuration: member budgetUsd: want null or an amount above 0")
	}
	return nil
}
