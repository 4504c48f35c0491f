package acp

import (
	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// bill is what a run has spent. Tokens come with the answer to the prompt, money as a
// running total of the session; both are told together.
type bill struct {
	before *float64 // the session's total as it was told last; nil was never told

	money  *float64        // not told yet
	tokens *executor.Usage // not told yet

	spent *executor.Usage
	usd   *float64
}

// spent maps the money of a session. What it had cost before the prompt was sent is
// none of the run's.
func (m *mapper) spent(number int64, update jsontext.Value) []executor.Event {
	var u struct {
		Cost *sdk.Cost `json:"cost"`
	}
	switch err := decode(update, &u); {
	case err != nil || u.Cost != nil && !isAmount(u.Cost.Amount):
		if m.live {
			return m.unread.Malformed(number)
		}
		return nil
	case u.Cost == nil || u.Cost.Currency != "USD":
		return nil
	}
	now := u.Cost.Amount
	if m.live {
		m.bill.rise(now)
	}
	m.bill.before = &now
	if m.outcome == outcomeNone {
		return nil
	}
	return m.bill.present() // the answer to the prompt has come: nothing else will tell it
}

// rise adds what a total has grown by. One that went down belongs to a count that began
// anew: then all of it is new.
func (b *bill) rise(total float64) {
	grown := total
	if b.before != nil && total >= *b.before {
		grown -= *b.before
	}
	if b.money != nil {
		grown += *b.money
	}
	b.money = &grown
}

// count adds the tokens of a turn. Those of thinking are part of the output, unless the
// agent's own sum counts them beside it.
func (b *bill) count(usage jsontext.Value) {
	var u sdk.Usage
	if !set(usage) || decode(usage, &u) != nil {
		return
	}
	in, out, cached := int64(u.InputTokens), int64(u.OutputTokens), int64(0)
	if u.CachedReadTokens != nil {
		cached = int64(*u.CachedReadTokens)
	}
	if u.CachedWriteTokens != nil {
		in += int64(*u.CachedWriteTokens)
	}
	if thought := u.ThoughtTokens; thought != nil && int64(u.TotalTokens) == in+cached+out+int64(*thought) {
		out += int64(*thought)
	}
	if in < 0 || out < 0 || cached < 0 || in+out+cached == 0 {
		return
	}
	b.tokens = &executor.Usage{InputTokens: in, OutputTokens: out}
	if u.CachedReadTokens != nil {
		b.tokens.CachedInputTokens = &cached
	}
}

// present tells what was not told yet. Nothing spent is nothing told.
func (b *bill) present() []executor.Event {
	money, tokens := b.money, b.tokens
	b.money, b.tokens = nil, nil
	if tokens == nil && (money == nil || *money == 0) {
		return nil
	}
	e := executor.Cost{CostUSD: money}
	if tokens != nil {
		e.Usage = *tokens
		b.spent = oneshot.AddUsage(b.spent, *tokens)
	}
	if money != nil {
		sum := *money
		if b.usd != nil {
			sum += *b.usd
		}
		b.usd = &sum
	}
	return []executor.Event{e}
}

// cost is what done restates.
func (b *bill) cost() executor.Nullable[float64] {
	if b.usd == nil {
		return executor.Null[float64]()
	}
	return executor.Value(*b.usd)
}
