package property

import (
	"context"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// Law is one law about subjects, for callers that are no tests. Its zero value is none.
type Law struct {
	name    string
	profile report.Profile
	fits    func(check.Subject) bool
	look    func(context.Context, check.Subject, Options) (Result, error)
	again   func(context.Context, check.Subject, Options, []byte) (Result, error)
}

// Laws lists the laws in the order in which they are looked at: stream, conversations and
// groups, which are those of [Executor], [Conversations] and [History].
func Laws() []Law {
	return []Law{streamLaw().public(), conversationLaw().public(), groupLaw().public()}
}

// Find returns the law of the name.
func Find(name string) (Law, bool) {
	for _, l := range Laws() {
		if l.name == name {
			return l, true
		}
	}
	return Law{}, false
}

// Name is one word.
func (l Law) Name() string { return l.name }

// Profile is the contract that a subject of the law implements.
func (l Law) Profile() report.Profile { return l.profile }

// Fits reports whether the law can be looked at on the subject: whether it implements the
// contract, and its runtime can be given what the law draws.
func (l Law) Fits(s check.Subject) bool { return l.fits(s) }

// Look looks for an input for which the subject breaks the law. An error is why there is
// no judgement. It does not panic outside go test, if testing.Init and flag.Parse were
// called.
func (l Law) Look(ctx context.Context, s check.Subject, o Options) (Result, error) {
	return l.look(ctx, s, o)
}

// Again tries one input, which an earlier Result held.
func (l Law) Again(ctx context.Context, s check.Subject, o Options, input []byte) (Result, error) {
	return l.again(ctx, s, o, input)
}

// Result is what came of looking.
type Result struct {
	// Inputs is how many were tried, those apart that only made a failure smaller.
	Inputs int
	// Failure is nil where the law was kept.
	Failure *Failure
}

// Failure is a law that was broken.
type Failure struct {
	// Codes say how, in closed words, and Seen what was judged.
	Codes []check.Code
	Seen  string
	// Details may quote what the subject said.
	Details []string
	// Text shows the smallest input that was found, a line for each part of it, and
	// Input holds it for [Law.Again]. They hold what the law has drawn, and nothing that a
	// subject said.
	Text  string
	Input []byte
}

// law is a law over one type of input.
type law[In fmt.GoStringer] struct {
	name    string
	profile report.Profile
	draw    func(check.Subject) func(*rapid.T) In
	// judge tries one input. With hurry it need not wait as long as usual.
	judge  func(ctx context.Context, s check.Subject, o Options, in In, hurry bool) verdict
	encode func(In) ([]byte, error)
	decode func([]byte) (In, error)
	// apart, if not nil, names subjects whose runtimes cannot be given what is drawn.
	apart func(check.Subject) bool
}

func (l law[In]) fits(s check.Subject) bool {
	return s.Implements(l.profile) && (l.apart == nil || !l.apart(s))
}

func (l law[In]) search(s check.Subject, o Options) *search[In] {
	return &search[In]{
		options: o, cases: o.cases(s), name: l.name, draw: l.draw(s),
		judge: func(ctx context.Context, in In, hurry bool) verdict { return l.judge(ctx, s, o, in, hurry) },
	}
}

// hold reports to a test.
func (l law[In]) hold(t TB, s check.Subject, o Options) {
	t.Helper()
	if !s.Implements(l.profile) {
		t.Fatalf("%s does not implement the %s contract", s.Name, l.profile)
	}
	if !l.fits(s) {
		t.Logf("the law %q does not fit the runtime of %s", l.name, s.Name)
		return
	}
	l.search(s, o).run(t)
}

func (l law[In]) public() Law {
	return Law{l.name, l.profile, l.fits, l.look, l.again}
}

func (l law[In]) look(ctx context.Context, s check.Subject, o Options) (Result, error) {
	looking := l.search(s, o)
	runAlone(ctx, looking.run)
	r := Result{Inputs: looking.ran}
	switch {
	case looking.fault != nil:
		return r, looking.fault
	case looking.code == "":
		return r, ctx.Err()
	}
	f, err := l.failure(looking.least, looking.worst)
	r.Failure = f
	return r, err
}

func (l law[In]) again(ctx context.Context, s check.Subject, o Options, input []byte) (Result, error) {
	in, err := l.decode(input)
	if err != nil {
		return Result{}, err
	}
	v := l.judge(ctx, s, o, in, false)
	switch {
	case v.fault != nil:
		return Result{}, v.fault
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case len(v.found) == 0:
		return Result{Inputs: 1}, nil
	}
	f, err := l.failure(in, v)
	return Result{Inputs: 1, Failure: f}, err
}

func (l law[In]) failure(in In, v verdict) (*Failure, error) {
	input, err := l.encode(in)
	if err != nil {
		return nil, fmt.Errorf("write the input down: %w", err)
	}
	f := &Failure{Seen: v.seen, Details: v.details, Text: in.GoString(), Input: input}
	for _, found := range v.found {
		if !slices.Contains(f.Codes, found.code) {
			f.Codes = append(f.Codes, found.code)
		}
	}
	return f, nil
}
