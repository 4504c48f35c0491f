package property

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
)

// Conversations is the law of many runs: whatever a host does with the runs of one
// adapter, each run tells its own story, whole. The host starts runs on two sessions, also
// where one is alive, subscribes more than once, closes, aborts before, during and after
// a run, asks for another model and writes context; the runtime speaks, calls tools,
// spends and ends its runs in every way. Then, for each run,
//
//   - its events keep every rule of [verify.Whole], and its done has the right reason;
//   - its text is what its runtime said, in order, nothing of it twice and nothing of
//     another run; an aborted or failed run may lack the end of it;
//   - its calls and its tokens are those of its runtime, where it ended well;
//   - everyone who listens sees the same end of the same story, with [Options.Should]
//     from its beginning.
//
// A conversation that breaks it is reported to t as the shortest list of acts that does,
// and the test ends.
func Conversations(t TB, s check.Subject, o Options) {
	t.Helper()
	conversationLaw().hold(t, s, o)
}

func conversationLaw() law[conversation] {
	return law[conversation]{
		name: "conversations", profile: report.Executor, encode: encodeConversation, decode: decodeConversation,
		draw: func(s check.Subject) func(*rapid.T) conversation { return conversations(s.Offers) },
		judge: func(ctx context.Context, s check.Subject, o Options, in conversation, hurry bool) verdict {
			var seen sighting[[]*talk]
			v := execute(ctx, o, s, hurry, check.Check{
				ID: "executor.laws.conversations", Case: "events-round-trip", Codes: []check.Code{codeRunLost},
				Run: func(ctx context.Context, c *check.C) { seen.put(converse(ctx, c, in)) },
			})
			if runs := seen.get(); runs != nil {
				for _, r := range *runs {
					judged := r.judge(o.Should)
					v.found = append(v.found, judged.found...)
					v.seen = strings.Trim(v.seen+"; "+judged.seen, "; ")
				}
			}
			return v
		},
	}
}

// The codes of the law beside those of verify.
const (
	codeRunLost   check.Code = "run-lost"           // a start that never reached its runtime
	codeReason    check.Code = "done-reason-wrong"  // the run ended otherwise
	codeText      check.Code = "text-wrong"         // not what the runtime said
	codeCalls     check.Code = "calls-wrong"        // other calls than the runtime's
	codeSpend     check.Code = "tokens-wrong"       // other tokens than the runtime's
	codeListeners check.Code = "observers-disagree" // two streams of one run differ
)

// judge holds what the listeners of a run saw against what was said in it.
func (r *talk) judge(alsoShould bool) verdict {
	var v verdict
	if r.refused {
		return v
	}
	where := fmt.Sprintf("run %d", r.number)
	add := func(code check.Code) { v.found = append(v.found, finding{code, where}) }
	own := r.own(r.first.played)
	v.seen = where + " " + kinds(own.events)
	for _, f := range judgeStream(own, alsoShould) {
		v.found = append(v.found, finding{f.code, strings.TrimSpace(where + " " + f.where)})
	}
	done, ended := verify.Last(own.events, "")
	if !ended {
		return v // and that is found already
	}
	if !r.mayEnd(done.Reason) {
		add(codeReason)
	}
	well := done.Reason == executor.ReasonSuccess
	if !r.told(words(own.events), well) {
		add(codeText)
	}
	if well {
		if n := calls(own.events); n < r.calls || n > r.calls && !r.asked {
			add(codeCalls)
		}
		if used, _ := verify.Spend(own.events, ""); r.out > 0 && used.OutputTokens != r.out {
			add(codeSpend)
		}
	}
	for _, l := range r.more {
		// A run that is lost may be over before someone listens to it.
		if !l.closed && !r.lost && !sameStory(own.events, r.own(l.played).events, alsoShould) {
			add(codeListeners)
		}
	}
	return v
}

// mayEnd reports whether the run's done may have this reason.
func (r *talk) mayEnd(with executor.Reason) bool {
	switch {
	case r.lost && with == executor.ReasonError:
		return true
	case len(r.reasons) == 0:
		return with != executor.ReasonSuccess || r.steered
	}
	return slices.Contains(r.reasons, with)
}

// own is what a stream told of this run: that of a connected runtime shows those that
// follow as well.
func (r *talk) own(p played) played {
	if id, bound := r.handle.ID(); bound {
		p.events = slices.DeleteFunc(slices.Clone(p.events), func(e executor.Event) bool { return e.Head().RunID != id })
	}
	return p
}

var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`r\d+w\d+\.`) })

// words are those that the runtimes of the law say. What was taken back is not believed.
func words(events []executor.Event) []string {
	for i, e := range events {
		if s, is := e.(executor.Status); is && s.Detail == executor.DetailTextRestarted {
			return words(events[i+1:])
		}
	}
	return word().FindAllString(verify.Text(events, "", executor.Assistant), -1)
}

// told reports whether what was heard is what the runtime said: all of it, if the run
// ended well, else its beginning. A runtime that shows its answer at the end alone, or was
// given more to answer, may leave out what it said on the way.
func (r *talk) told(heard []string, well bool) bool {
	if r.steered || r.brief {
		rest := r.words
		for _, w := range heard {
			i := slices.Index(rest, w)
			if i < 0 {
				return false
			}
			rest = rest[i+1:]
		}
		return true
	}
	return len(heard) <= len(r.words) && slices.Equal(heard, r.words[:len(heard)]) && !(well && len(heard) < len(r.words))
}

// calls counts the calls with the whole of their input.
func calls(events []executor.Event) int {
	ids := map[string]bool{}
	for _, e := range events {
		if c, ok := e.(executor.ToolCall); ok && !c.Partial {
			ids[c.ID] = true
		}
	}
	return len(ids)
}

// sameStory reports whether the second listener saw what the first did, from where it
// came in; or all of it. Texts may come in other pieces.
func sameStory(first, second []executor.Event, whole bool) bool {
	a, b := story(first), story(second)
	if len(b) > len(a) || whole && len(b) != len(a) {
		return false
	}
	textA, textB := verify.Text(first, "", executor.Assistant), verify.Text(second, "", executor.Assistant)
	if whole && textA != textB || !strings.HasSuffix(textA, textB) {
		return false
	}
	return reflect.DeepEqual(a[len(a)-len(b):], b)
}

// story is what a run told beside its text, without the marks of the stream.
func story(events []executor.Event) []executor.Event {
	var out []executor.Event
	for _, e := range events {
		switch e.Kind() {
		case executor.KindTextDelta, executor.KindStatus:
		default:
			h := e.Head()
			h.Seq, h.TS = 0, 0
			out = append(out, e.WithHead(h))
		}
	}
	return out
}
