package claudecode

import (
	"math"
	"slices"
	"strings"
)

// model is what the CLI knows of a model: US dollars for a million tokens, and sizes
// in tokens.
type model struct {
	name                                 string
	input, output, cacheRead, cacheWrite float64
	window, maxOutput                    int
	effort                               bool // effort is chosen anew each turn
	tasks                                bool // it is given the tools for lists of tasks
}

var models = []model{
	{"claude-opus-5-5", 4, 20, 0.2, 5, 1_000_000, 128_000, true, false},
	{"claude-opus-4-8", 5, 25, 0.5, 6.25, 200_000, 64_000, false, false},
	{"claude-haiku-4-5", 1, 5, 0.1, 1.25, 200_000, 32_000, false, true},
	{"claude-sonnet-4-5-20250929", 3, 15, 0.3, 3.75, 200_000, 64_000, false, false},
	{"claude-sonnet-4-20250514", 3, 15, 0.3, 3.75, 200_000, 64_000, false, false},
}

// modelOf finds a model; one that the list lacks has the numbers of the first.
func modelOf(name string) (m model, known bool) {
	i := slices.IndexFunc(models, func(m model) bool { return m.name == apiName(name) })
	if i < 0 {
		m = models[0]
		m.name, m.effort = name, false
		return m, false
	}
	m = models[i]
	if apiName(name) != name {
		m.window = 1_000_000
	}
	return m, true
}

// apiName is the model's name at the provider: without the size of its window.
func apiName(name string) string { return strings.TrimSuffix(name, "[1m]") }

// tokens are counts of one message, turn or session. Input counts nothing of the cache.
type tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Thinking   int64 `json:"thinking"` // of Output
}

func (t *tokens) add(x tokens) {
	t.Input += x.Input
	t.Output += x.Output
	t.CacheRead += x.CacheRead
	t.CacheWrite += x.CacheWrite
	t.Thinking += x.Thinking
}

// price is what the tokens cost by the list.
func (m model) price(t tokens) float64 {
	const million = 1e6
	return float64(t.Input)/million*m.input + float64(t.Output)/million*m.output +
		float64(t.CacheRead)/million*m.cacheRead + float64(t.CacheWrite)/million*m.cacheWrite
}

// estimate is how many tokens the CLI takes a text for of which nobody told.
func estimate(text string) int64 { return int64(math.Round(float64(len(text)) / 3)) }

// estimateThinking is the same for a piece of thinking.
func estimateThinking(text string) int64 { return int64(len(text)+3) / 4 }

// bill is what a session has spent.
type bill struct {
	Cost   float64     `json:"cost"`
	Models []modelBill `json:"models"`
}

type modelBill struct {
	Model  string  `json:"model"`
	Cost   float64 `json:"cost"`
	Tokens tokens  `json:"tokens"`
	// Guessed: the last of Cost is a guess, as nobody told it and the list lacks the
	// model.
	Guessed bool `json:"guessed,omitzero"`
}

func (b *bill) add(x modelBill) {
	b.Cost += x.Cost
	i := slices.IndexFunc(b.Models, func(m modelBill) bool { return m.Model == x.Model })
	if i < 0 {
		b.Models = append(b.Models, x)
		return
	}
	m := &b.Models[i]
	m.Tokens.add(x.Tokens)
	m.Cost, m.Guessed = m.Cost+x.Cost, x.Guessed
}

// plus is both bills in one; neither is changed.
func (b bill) plus(x bill) bill {
	b.Models = slices.Clone(b.Models)
	for _, m := range x.Models {
		b.add(m)
	}
	return b
}

// sum is all tokens of all models.
func (b bill) sum() (t tokens) {
	for _, m := range b.Models {
		t.add(m.Tokens)
	}
	return t
}
