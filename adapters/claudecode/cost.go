package claudecode

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// totals are running counts as the wire tells them: over all turns of a process,
// and since 2.1.277 over all processes of a session. Input has no cached tokens in
// it.
type totals struct {
	USD    float64 `json:"usd"`
	Input  int64   `json:"input"`
	Cached int64   `json:"cached"`
	Output int64   `json:"output"`
}

// below reports whether a count of t is less than that of o: the two are not of one
// counting.
func (t totals) below(o totals) bool {
	const rounding = 1e-9 // of sums of prices
	return t.USD < o.USD-rounding || t.Input < o.Input || t.Cached < o.Cached || t.Output < o.Output
}

func (t totals) minus(o totals) totals {
	return totals{USD: max(0, t.USD-o.USD), Input: t.Input - o.Input, Cached: t.Cached - o.Cached, Output: t.Output - o.Output}
}

func (t totals) context() int64 { return t.Input + t.Cached }

func (t totals) tokens() int64 { return t.context() + t.Output }

func (t totals) usage() executor.Usage {
	return executor.Usage{InputTokens: t.Input, OutputTokens: t.Output, CachedInputTokens: &t.Cached}
}

// spending turns the running totals of results into increments.
type spending struct {
	before totals // as told by the last result of the session
	usage  *executor.Usage
	usd    executor.Nullable[float64]
	call   totals         // the last call of a model, its tokens
	models map[string]row // as told by the last result of this process
}

// row is what the table of totals says of one model.
type row struct {
	totals
	// guessed: the runtime has no price for the model, and counts that of another.
	guessed bool
}

// since is the version from which on totals go on when a session is resumed.
var since = [3]int{2, 1, 277}

// version notes which version counts. Before 2.1.277, and where no version is told,
// each process counts from zero.
func (s *spending) version(v string) {
	var told [3]int
	for i, part := range strings.SplitN(v, ".", 3) {
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits >= 0 {
			part = part[:digits]
		}
		told[i], _ = strconv.Atoi(part) // what is no number is older than all
	}
	for i := range told {
		switch {
		case told[i] > since[i]:
			return
		case told[i] < since[i]:
			s.before = totals{}
			return
		}
	}
}

// called notes the tokens of a call of a model, as far as its beginning tells.
func (s *spending) called(usage jsontext.Value) {
	s.call = totals{}
	s.grew(usage)
}

// grew notes what is told of the call later on: those counts that are there.
func (s *spending) grew(usage jsontext.Value) {
	var created, input int64
	told := false
	members(usage, func(name []byte, v jsontext.Value) { // what cannot be read tells nothing
		if !set(v) {
			return
		}
		switch string(name) {
		case "input_tokens":
			input, told = count(v), true
		case "cache_creation_input_tokens":
			created = count(v)
		case "cache_read_input_tokens":
			s.call.Cached = count(v)
		case "output_tokens":
			s.call.Output = count(v)
		}
	})
	if told {
		s.call.Input = input + created
	}
}

// result gives the cost events of a result: what was spent since the one before.
// The last call of a model is told apart, last, as hosts read from it how full the
// context is; the price is then parted by tokens, which makes it an estimate whose
// sum is what was told.
func (s *spending) result(f *frame) []executor.Event {
	delta, model, guessed := s.delta(f)
	call := s.call
	s.call = totals{}
	if delta == (totals{}) {
		return nil
	}
	priced := delta.USD > 0 && !guessed // tokens at no price are tokens whose price the runtime does not know
	s.usage = oneshot.AddUsage(s.usage, delta.usage())
	s.sum(delta.USD, priced)
	cost := func(t totals, estimated bool) executor.Event {
		c := executor.Cost{Usage: t.usage(), Model: model, Estimated: estimated && priced}
		if priced {
			c.CostUSD = &t.USD
		}
		return c
	}
	if rest := delta.minus(call); call.context() > 0 && rest.context() > 0 && !delta.below(call) {
		call.USD = delta.USD * float64(call.tokens()) / float64(delta.tokens())
		rest.USD = delta.USD - call.USD
		return []executor.Event{cost(rest, true), cost(call, true)}
	}
	return []executor.Event{cost(delta, false)}
}

// sum adds to what the run's done restates. One unknown price makes the sum unknown.
func (s *spending) sum(usd float64, priced bool) {
	known, ok := s.usd.Get()
	switch {
	case !priced, s.usd.Present() && !ok:
		s.usd = executor.Null[float64]()
	default:
		s.usd = executor.Value(known + usd)
	}
}

// delta returns what is new in a result, the model if that is of one alone, and
// whether some of the price is a guess of the runtime.
func (s *spending) delta(f *frame) (delta totals, model *string, guessed bool) {
	usd, priced := number(f.costUSD)
	if !priced || usd < 0 {
		usd = s.before.USD
	}
	models := modelTotals(f.modelUsage)
	if len(models) == 0 {
		return s.turn(f, usd), nil, false
	}
	now := totals{USD: usd}
	var used []string
	for name, row := range models {
		now.Input, now.Cached, now.Output = now.Input+row.Input, now.Cached+row.Cached, now.Output+row.Output
		if row.totals != s.models[name].totals {
			used, guessed = append(used, name), guessed || row.guessed
		}
	}
	s.models = models
	if now.below(s.before) {
		s.before = totals{}
	}
	delta = now.minus(s.before)
	s.before = now
	if len(used) == 1 {
		model = &used[0]
	}
	return delta, model, guessed
}

// turn is delta for a result without a table of totals by model: there is the usage
// of the turn, and the price so far unless it is 0.
func (s *spending) turn(f *frame, usd float64) totals {
	var turn spending
	turn.called(f.usage)
	delta := turn.call
	switch {
	case usd >= s.before.USD:
		delta.USD = usd - s.before.USD
	default:
		delta.USD = usd
	}
	s.before.Input += delta.Input
	s.before.Cached += delta.Cached
	s.before.Output += delta.Output
	if usd > 0 {
		s.before.USD = usd
	}
	return delta
}

// modelTotals reads the table of token totals by model.
func modelTotals(table jsontext.Value) map[string]row {
	rows := map[string]jsontext.Value{}
	members(table, func(name []byte, v jsontext.Value) { rows[string(name)] = v })
	models := make(map[string]row, len(rows))
	for name, told := range rows {
		var t row
		members(told, func(name []byte, v jsontext.Value) { // a row that cannot be read has nothing
			switch string(name) {
			case "inputTokens", "cacheCreationInputTokens":
				t.Input += count(v)
			case "cacheReadInputTokens":
				t.Cached += count(v)
			case "outputTokens":
				t.Output += count(v)
			case "costBasis":
				t.guessed = is(v, "unknown")
			}
		})
		models[name] = t
	}
	return models
}
