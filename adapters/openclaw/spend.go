package openclaw

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// history is what the gateway has written down of a session, in part.
type history struct {
	Messages []jsontext.Value `json:"messages"`
	InFlight object[inFlight] `json:"inFlightRun"`
}

// inFlight is the run that the session is at, with its text so far.
type inFlight struct {
	Run  text `json:"runId"`
	Text text `json:"text"`
}

// row is a message of the history.
type row struct {
	message
	Provider text             `json:"provider"`
	Model    text             `json:"model"`
	Usage    jsontext.Value   `json:"usage"`
	Stop     text             `json:"stopReason"`
	Failure  text             `json:"errorMessage"`
	Key      text             `json:"idempotencyKey"`
	CallID   text             `json:"toolCallId"`
	ToolName text             `json:"toolName"`
	IsError  flag             `json:"isError"`
	Abort    object[abortion] `json:"openclawAbort"`
	Own      object[origin]   `json:"__openclaw"`
}

// abortion marks a row that an abort has left.
type abortion struct {
	Aborted flag `json:"aborted"`
}

// usage is what one call of a model used.
type usage struct {
	Input      number        `json:"input"`
	Output     number        `json:"output"`
	CacheRead  number        `json:"cacheRead"`
	CacheWrite number        `json:"cacheWrite"`
	Cost       object[money] `json:"cost"`
}

// money is what a call cost in US dollars.
type money struct {
	Total jsontext.Value `json:"total"`
}

// rowsOf lists the rows of a run: those that name it, or, of a gateway that does not
// name runs there, those between its prompt and the next one. It reports whether the
// run's beginning is among them.
func rowsOf(h *history, run string) (rows []row, whole bool) {
	within := false
	for _, v := range h.Messages {
		var r row
		if !read(v, &r) {
			continue
		}
		if r.Role == "user" {
			within = r.Key == text(run+":user") || r.Key == text(run)
			whole = whole || within
			continue
		}
		if r.Own.is.Run == text(run) || r.Own.is.Run == "" && within {
			rows = append(rows, r)
		}
	}
	return rows, whole
}

// spent sums up what a run cost.
type spent struct {
	usage   *executor.Usage
	usd     float64
	unknown bool // the price of a call is not known
}

// money is the sum of the prices: absent where nothing was spent, null where a price
// is not known.
func (s spent) money() executor.Nullable[float64] {
	switch {
	case s.usage == nil:
		return executor.Nullable[float64]{}
	case s.unknown:
		return executor.Null[float64]()
	}
	return executor.Value(s.usd)
}

// costs gives the cost of each call of a model.
func costs(rows []row) ([]executor.Event, spent) {
	var out []executor.Event
	var sum spent
	for _, r := range rows {
		c, any := r.cost()
		if !any {
			continue
		}
		sum.usage = oneshot.AddUsage(sum.usage, c.Usage)
		if c.CostUSD == nil {
			sum.unknown = true
		} else {
			sum.usd += *c.CostUSD
		}
		out = append(out, c)
	}
	return out, sum
}

// cost is what the call behind a row cost, and false where the row is none: the
// gateway writes rows of its own, which cost nothing. A price of nothing for something
// is that of a model whose price the gateway does not know. What it does know, it works
// out from a table itself.
func (r *row) cost() (executor.Cost, bool) {
	var u usage
	if r.Role != "assistant" || !read(r.Usage, &u) || u.Input+u.Output+u.CacheRead+u.CacheWrite == 0 {
		return executor.Cost{}, false
	}
	cached := int64(u.CacheRead)
	c := executor.Cost{Usage: executor.Usage{
		InputTokens: int64(u.Input + u.CacheWrite), OutputTokens: int64(u.Output), CachedInputTokens: &cached,
	}}
	if name := modelName(r.Provider, r.Model); name != "" {
		c.Model = &name
	}
	if usd := price(u.Cost.is.Total); usd > 0 {
		c.CostUSD, c.Estimated = &usd, true
	}
	return c, true
}

// price is an amount, 0 where there is none.
func price(v jsontext.Value) float64 {
	var usd float64
	if v.Kind() != '0' || json.Unmarshal(v, &usd) != nil || math.IsInf(usd, 0) || math.IsNaN(usd) {
		return 0
	}
	return usd
}
