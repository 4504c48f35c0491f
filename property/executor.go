package property

import (
	"context"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// Executor is the first law: whatever a runtime says, the events that one observer
// reads to the end of the run keep every rule of [verify.Whole]: seq rises, one done
// and nothing after it, every result answers a call once, and so on. Runs that break
// it are reported to t as the smallest script of frames that does, and the test
// ends.
//
// A runtime with tools of its own says nothing while one works and after it has failed: it
// answers, and does not speak by itself, so that the law does not fit it.
//
// A script holds what the subject offers and its fake can play: text in every form, calls and
// results that come twice or for nothing, mild errors, frames of unknown types and
// of other runs, usage, one of the ways to end, and frames after the end.
func Executor(t TB, s check.Subject, o Options) {
	t.Helper()
	streamLaw().hold(t, s, o)
}

func streamLaw() law[monologue] {
	return law[monologue]{
		name: "stream", profile: report.Executor, encode: encodeScript, decode: decodeScript,
		apart: func(s check.Subject) bool { return s.Offers.Has(fakes.OwnTools) },
		draw:  func(s check.Subject) func(*rapid.T) monologue { return scripts(s.Offers) },
		judge: func(ctx context.Context, s check.Subject, o Options, in monologue, hurry bool) verdict {
			var seen sighting[played]
			v := execute(ctx, o, s, hurry, check.Check{
				ID: "executor.laws.stream", Case: "events-round-trip",
				Run: func(ctx context.Context, c *check.C) { seen.put(play(ctx, c, in)) },
			})
			if p := seen.get(); p != nil {
				v.found = append(judgeStream(*p, o.Should), v.found...)
				v.seen = kinds(p.events)
			}
			return v
		},
	}
}

// The codes of the law beside those of verify.
const (
	codeMalformed check.Code = "event-malformed" // an event that could not be read
	codeEndless   check.Code = "stream-endless"  // events without end
)

// should are the rules that are not MUST.
var should = map[verify.Code]bool{verify.CallOpenAtDone: true, verify.DoneErrorUnprefaced: true, verify.CallInputText: true}

// judgeStream holds what an observer saw against the rules.
func judgeStream(p played, alsoShould bool) []finding {
	var out []finding
	events := p.events
	ended := false
	for _, e := range events {
		ended = ended || e.Kind() == executor.KindDone
	}
	found := verify.Stream(events)
	if ended {
		found = verify.Whole(events)
	} else {
		// Without a done, what is missing at the end is the done alone.
		found = append(found, verify.Terminals(events)...)
		if len(events) == 0 {
			found = append(found, verify.Finding{Code: verify.DoneMissing})
		}
	}
	found = append(append(found, verify.Announced(events)...), verify.InputText(events)...)
	for _, f := range found {
		if should[f.Code] && !alsoShould {
			continue
		}
		where := fmt.Sprintf("event %d", f.Index)
		if f.Index >= len(events) {
			where = "at the end"
		}
		out = append(out, finding{check.Code(f.Code), where})
	}
	if p.malformed > 0 {
		out = append(out, finding{codeMalformed, fmt.Sprintf("%d of them", p.malformed)})
	}
	if p.endless {
		out = append(out, finding{codeEndless, ""})
	}
	return out
}

// waits reports whether the verdict took waiting in vain.
func waits(v verdict) bool {
	for _, f := range v.found {
		switch {
		case f.code == check.Code(verify.DoneMissing), f.code == check.Code(verify.FatalWithoutDone), strings.HasSuffix(string(f.code), "-hung"):
			return true
		}
	}
	return false
}

// kinds lists the kinds of events: closed words.
func kinds(events []executor.Event) string {
	words := []string{"events:"}
	for _, e := range events {
		words = append(words, string(e.Kind()))
	}
	if len(events) == 0 {
		words = append(words, "none")
	}
	return strings.Join(words, " ")
}
