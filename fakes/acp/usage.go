package acp

import (
	"strconv"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// tokens are what calls of the model have spent.
type tokens struct {
	In         int64 `json:"in"`
	Out        int64 `json:"out"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Thought    int64 `json:"thought"`
}

func (t tokens) plus(x tokens) tokens {
	return tokens{t.In + x.In, t.Out + x.Out, t.CacheRead + x.CacheRead, t.CacheWrite + x.CacheWrite, t.Thought + x.Thought}
}

// total is the sum of them; what was thought is within what came out.
func (t tokens) total() int64 { return t.In + t.Out + t.CacheRead + t.CacheWrite }

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// rise is what a total has grown by; one that is not told has not grown.
func rise(before int64, now *int64) int64 {
	if now == nil {
		return 0
	}
	return max(*now-before, 0)
}

// Usage counts what a call of the model has spent.
func (r *renderer) Usage(f fakes.Usage) error {
	if !r.agent.bills {
		return unplayable("what %s has spent", r.agent)
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	s, before := &t.of.record, t.of.record.Spent
	x := tokens{value(f.In), value(f.Out), value(f.CacheRead), value(f.CacheWrite), value(f.Reasoning)}
	switch f.Kind {
	case fakes.UsageTotal:
		x = tokens{rise(before.In, f.In), rise(before.Out, f.Out), rise(before.CacheRead, f.CacheRead), rise(before.CacheWrite, f.CacheWrite), 0}
	case fakes.UsageLast:
		if f.TotalIn != nil {
			x.In = rise(before.In, f.TotalIn)
		}
		if f.TotalOut != nil {
			x.Out = rise(before.Out, f.TotalOut)
		}
	}
	t.used = x.In + x.CacheRead
	if r.agent.name != openCode {
		t.used += x.Out
	}
	s.Spent, t.spent, s.Used = s.Spent.plus(x), t.spent.plus(x), t.used
	if f.CostUSD != nil {
		s.Priced = true
		if f.Kind == fakes.UsageTotal {
			s.Cost = *f.CostUSD
		} else {
			s.Cost += *f.CostUSD
		}
	}
	if r.agent.name != claude {
		return nil // it is told at the end
	}
	return r.update(t.of, usageUpdate{Kind: "usage_update", Used: t.used, Size: r.agent.window, Meta: claudeModel(f.Model)})
}

// claudeModel is how claude-agent-acp names the model.
func claudeModel(name string) object {
	if name == "" {
		name = "claude-opus-5-5"
	}
	return object{"_claude/model": name}
}

// account tells, at the end of a turn, what the session has spent.
func (r *renderer) account(t *turn) error {
	u := usageUpdate{Kind: "usage_update", Used: t.used, Size: r.agent.window}
	s := t.of.record
	switch r.agent.name {
	case pi:
		if t.told {
			return nil
		}
		u.Used = s.Used
	case claude:
		u.Used = s.Used
		u.Meta = claudeModel("")
		u.Meta.(object)["_claude/origin"] = object{"kind": "human"}
		if !s.Priced {
			return nil
		}
	}
	if s.Priced {
		u.Cost = &money{s.Cost, "USD"}
	}
	return r.update(t.of, u)
}

// usageOf is what the answer to a prompt counts; nil is nothing.
func (r *renderer) usageOf(t *turn) any {
	if !r.agent.bills {
		return nil
	}
	x := t.spent
	u := object{"inputTokens": x.In, "outputTokens": x.Out, "totalTokens": x.total()}
	if r.agent.name == claude || x.CacheRead > 0 {
		u["cachedReadTokens"] = x.CacheRead
	}
	if r.agent.name == claude || x.CacheWrite > 0 {
		u["cachedWriteTokens"] = x.CacheWrite
	}
	if x.Thought > 0 {
		u["thoughtTokens"] = x.Thought
	}
	return u
}

// metaOf is what the answer to a prompt has beside; nil is nothing.
func (r *renderer) metaOf(t *turn) any {
	switch r.agent.name {
	case openCode:
		return object{}
	case claude:
		x := t.spent
		return object{"quota": object{"token_count": object{
			"totalTokens": x.total(), "inputTokens": x.In, "cachedInputTokens": x.CacheRead, "cachedWriteTokens": x.CacheWrite,
			"outputTokens": x.Out, "reasoningOutputTokens": x.Thought,
		}, "model_usage": []any{}}}
	}
	return nil
}

// codeOf is the code of an error: a number as it is, all else is internal.
func codeOf(code string) int {
	if n, err := strconv.Atoi(code); err == nil && n < 0 {
		return n
	}
	return codeInternal
}
