package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/internal/nearest"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// Candidate is a provider that may serve, and the model that does so there.
type Candidate struct {
	Provider ID
	Model    string
	// KeyEnv names the variable with its key; empty is the provider's usual one.
	KeyEnv string
}

// Options of a router. Candidates must name one at least.
type Options struct {
	// Candidates in the order in which they are asked. The first is the primary.
	Candidates []Candidate
	// Keys resolves the name of a variable; empty is unknown. Nil knows nothing.
	Keys func(env string) string
	// BaseURLs are addresses that stand for the providers' own.
	BaseURLs map[ID]string
	// HTTPClient talks to them; nil is http.DefaultClient.
	HTTPClient *http.Client
	// Stall is how long a provider may say nothing; 0 is for ever.
	Stall time.Duration
	// FellBack is told of a failure for which another candidate is asked. May be nil.
	FellBack func(*Error)
}

// Router asks one of several providers for a turn. A turn begins with the candidate that
// served last, and goes round all of them, each once: one that failed before may serve
// again. Its methods may be called from several goroutines, Turn from one at a time.
type Router struct {
	options Options
	all     []route
	checked string // names of the variables without a key

	mu     sync.Mutex
	model  string // that stands for the one of the primary's provider
	sticky int    // the candidate that is asked first
}

// route leads to a candidate.
type route struct {
	Candidate
	spec    Spec
	base    string
	key     string
	primary bool // it is of the primary's provider
	client  client
}

// client speaks a dialect to one provider.
type client interface {
	turn(ctx context.Context, model string, r Request, l listener) (Answer, error)
}

// listener is told what comes.
type listener struct {
	say    func(Piece)
	heard  func() // something came
	called func() // a call is whole
}

// NewRouter returns a router. A candidate of an unknown provider is an error; those whose
// key is not known are left out. It opens nothing.
func NewRouter(o Options) (*Router, error) {
	if len(o.Candidates) == 0 {
		return nil, errors.New("no provider was named")
	}
	if o.Keys == nil {
		o.Keys = func(string) string { return "" }
	}
	if o.HTTPClient == nil {
		o.HTTPClient = http.DefaultClient
	}
	r := &Router{options: o}
	var checked []string
	for _, c := range o.Candidates {
		spec, known := Known(c.Provider)
		if !known {
			return nil, fmt.Errorf("unknown provider %q%s", c.Provider, nearest.Hint(string(c.Provider), IDs()))
		}
		to := route{Candidate: c, spec: spec, base: spec.Base(o.BaseURLs[c.Provider], o.Keys), primary: c.Provider == o.Candidates[0].Provider}
		env := c.KeyEnv
		if env == "" {
			env = spec.KeyEnv
		}
		to.key = strings.TrimSpace(o.Keys(env))
		if spec.Keyless() {
			to.key = ollamaKey
		}
		if to.key == "" {
			checked = append(checked, env)
			continue
		}
		r.all = append(r.all, to)
	}
	r.checked = strings.Join(checked, ", ")
	return r, nil
}

// SetModel sets the model that the primary's provider is asked for from the next turn on,
// and makes it the first to be asked. Empty is the candidates' own again. Other providers
// keep their models: they do not have this one.
func (r *Router) SetModel(model string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.model, r.sticky = model, 0
}

// modelOf is the model that a candidate is asked for. The caller holds mu.
func (r *Router) modelOf(i int) string {
	if r.model != "" && r.all[i].primary {
		return r.model
	}
	return r.all[i].Model
}

// Turn asks for one turn and hands out its pieces as they come. A failure is an [*Error],
// that of the last candidate asked; what ends with ctx is the error of ctx. What came
// before a failure is in the answer.
func (r *Router) Turn(ctx context.Context, q Request, say func(Piece)) (Answer, error) {
	if len(r.all) == 0 {
		return Answer{}, &Error{Code: CodeAuth, Provider: r.options.Candidates[0].Provider, Message: "no key is known (checked " + r.checked + ")"}
	}
	r.mu.Lock()
	first := r.sticky
	r.mu.Unlock()
	for n := range r.all {
		i := (first + n) % len(r.all)
		a, err := r.ask(ctx, i, q, say)
		var failed *Error
		switch {
		case err == nil, errors.As(err, &failed) && failed.Yielded:
			r.stick(i)
			return a, err
		case failed == nil || !failed.fallsBack() || n == len(r.all)-1:
			return a, err
		}
		if r.options.FellBack != nil {
			r.options.FellBack(failed)
		}
	}
	return Answer{}, errors.New("no provider was asked") // cannot happen: the last one returns
}

func (r *Router) stick(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sticky = i
}

// ask asks one candidate.
func (r *Router) ask(ctx context.Context, i int, q Request, say func(Piece)) (Answer, error) {
	r.mu.Lock()
	to, model := &r.all[i], r.modelOf(i)
	r.mu.Unlock()
	if to.client == nil {
		if to.Provider == Anthropic {
			to.client = newMessages(to.base, to.key, r.options.HTTPClient)
		} else {
			to.client = newChat(to.Provider, to.base, to.key, r.options.HTTPClient)
		}
	}
	asked, end := context.WithCancelCause(ctx)
	defer end(nil)
	var at progress
	l := listener{
		say:    func(p Piece) { at.yielded = true; p.Model = model; say(p) },
		called: func() { at.yielded = true },
		heard:  func() { at.answered = true },
	}
	if r.options.Stall > 0 {
		timer := time.AfterFunc(r.options.Stall, func() { end(errStalled) })
		defer timer.Stop()
		l.heard = func() { at.answered = true; timer.Reset(r.options.Stall) }
	}
	a, err := to.client.turn(asked, model, q, l)
	a.Provider, a.Model = to.Provider, model
	if err != nil {
		return a, failure(asked, to.Provider, err, at, redact.New([]string{to.key}, nil))
	}
	return a, nil
}
