package provider

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// book is the rules of a space, indexed by what tells them best apart: each stands in
// one bucket, and a request looks into those that can have its rule.
type book struct {
	mu        sync.RWMutex
	rules     []*rule
	byRequest map[int]*bucket
	byResult  map[string]*bucket
	byText    map[gram]*bucket
	texts     []*bucket    // those of byText, in the order of their first rules
	grams     map[gram]int // how many rules have it in their text
	filter    filter       // of the keys of byText
	byModel   map[modelTurn]*bucket
}

// gram is four bytes of a text.
type gram uint32

// filter says quickly that a gram is not there.
type filter [1 << 10]uint64

func (g gram) slot() (word, bit uint32) {
	h := uint32(g) * 0x9E3779B1 >> 16
	return h >> 6, h & 63
}

func (f *filter) add(g gram) {
	word, bit := g.slot()
	f[word] |= 1 << bit
}

func (f *filter) has(g gram) bool {
	word, bit := g.slot()
	return f[word]>>bit&1 != 0
}

// fewTexts are tried one by one, which is quicker than to look for grams.
const fewTexts = 16

type modelTurn struct {
	model string
	turn  int
}

// bucket is rules by their index, in order. Those before first are used up.
type bucket struct {
	rules []int
	first atomic.Int64
}

func (b *book) add(r *rule) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byRequest == nil {
		b.byRequest, b.byResult, b.byText = map[int]*bucket{}, map[string]*bucket{}, map[gram]*bucket{}
		b.grams, b.byModel = map[gram]int{}, map[modelTurn]*bucket{}
	}
	i := len(b.rules)
	if r.Follows && i > 0 {
		r.before = b.rules[i-1]
	}
	b.rules = append(b.rules, r)
	r.number = i + 1
	to := b.bucket(r.When)
	to.rules = append(to.rules, i)
}

// bucket is where a rule belongs.
func (b *book) bucket(w When) *bucket {
	switch {
	case w.Request != 0:
		return at(b.byRequest, w.Request)
	case w.Result != "":
		return at(b.byResult, w.Result)
	case len(w.Text) >= 4:
		g := b.rarest(w.Text)
		b.filter.add(g)
		if b.byText[g] == nil {
			b.texts = append(b.texts, at(b.byText, g))
		}
		return b.byText[g]
	case strings.HasSuffix(w.Model, "*"):
		return at(b.byModel, modelTurn{"", w.Turn})
	}
	return at(b.byModel, modelTurn{w.Model, w.Turn})
}

func at[K comparable](m map[K]*bucket, k K) *bucket {
	if m[k] == nil {
		m[k] = &bucket{}
	}
	return m[k]
}

// rarest is the gram of a text that the fewest rules have so far.
func (b *book) rarest(text string) gram {
	best, least := gram(0), -1
	for i := range len(text) - 3 {
		g := gramAt(text, i)
		b.grams[g]++
		if n := b.grams[g]; least < 0 || n < least {
			best, least = g, n
		}
	}
	return best
}

func gramAt[T string | []byte](text T, i int) gram {
	return gram(text[i]) | gram(text[i+1])<<8 | gram(text[i+2])<<16 | gram(text[i+3])<<24
}

// find takes the first rule that a request keeps; nil if there is none.
func (b *book) find(q *query) *rule {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for {
		best := b.first(q)
		if best == nil || best.take() {
			return best
		} // somebody else was first to use it up
	}
}

func (b *book) first(q *query) *rule {
	best := len(b.rules)
	look := func(in *bucket) {
		if in != nil {
			best = b.look(in, q, best)
		}
	}
	look(b.byRequest[q.number])
	if len(b.byResult) > 0 {
		for _, id := range q.request.fresh() {
			look(b.byResult[id])
		}
	}
	for _, model := range []string{"", q.request.model} {
		for _, turn := range []int{0, q.turn()} {
			look(b.byModel[modelTurn{model, turn}])
		}
	}
	if len(b.texts) <= fewTexts {
		for _, in := range b.texts {
			look(in)
		}
	} else {
		b.lookText(q, look)
	}
	if best == len(b.rules) {
		return nil
	}
	return b.rules[best]
}

// lookText looks into the buckets whose grams are in the text.
func (b *book) lookText(q *query, look func(*bucket)) {
	text := q.text()
	var seen map[gram]bool
	for i := range len(text) - 3 {
		g := gramAt(text, i)
		if !b.filter.has(g) || seen[g] {
			continue
		}
		if in := b.byText[g]; in != nil {
			if seen == nil {
				seen = map[gram]bool{}
			}
			seen[g] = true
			look(in)
		}
	}
}

// look returns the first rule of a bucket that the request keeps, if it comes before
// best, else best.
func (b *book) look(in *bucket, q *query, best int) int {
	first := in.first.Load()
	rules := in.rules[first:]
	for len(rules) > 0 && b.rules[rules[0]].spent() {
		rules = rules[1:]
	}
	if now := int64(len(in.rules) - len(rules)); now > first {
		in.first.CompareAndSwap(first, now)
	}
	for _, i := range rules {
		if i >= best {
			return best
		}
		if r := b.rules[i]; !r.spent() && !r.waits() && q.keeps(r.When) {
			return i
		}
	}
	return best
}

// query is a request as rules ask about it. What takes time is worked out once.
type query struct {
	request *request
	number  int

	turns                  int
	said, system           []byte
	saidKnown, systemKnown bool
}

func (q *query) turn() int {
	if q.turns == 0 {
		q.turns = q.request.turn()
	}
	return q.turns
}

func (q *query) text() []byte {
	if !q.saidKnown {
		q.said, q.saidKnown = q.request.text(), true
	}
	return q.said
}

func (q *query) systemText() []byte {
	if !q.systemKnown {
		q.system, q.systemKnown = q.request.systemText(), true
	}
	return q.system
}

// keeps reports whether a request is as a rule wants it.
func (q *query) keeps(w When) bool {
	r := q.request
	switch {
	case w.Dialect != "" && w.Dialect != r.dialect,
		w.Request != 0 && w.Request != q.number,
		w.Stream != nil && *w.Stream != r.stream,
		w.Tools != nil && *w.Tools != (len(r.tools) > 0),
		w.Model != "" && !models(w.Model, r.model),
		w.Turn != 0 && w.Turn != q.turn(),
		w.Results != nil && *w.Results != (len(r.fresh()) > 0),
		w.Result != "" && !slices.Contains(r.fresh(), w.Result),
		w.Text != "" && !bytes.Contains(q.text(), []byte(w.Text)),
		w.System != "" && !bytes.Contains(q.systemText(), []byte(w.System)):
		return false
	}
	return true
}

// models reports whether a model is the one that is meant.
func models(pattern, model string) bool {
	if prefix, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(model, prefix)
	}
	return pattern == model
}
