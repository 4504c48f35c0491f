package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

const driftHead = "schema: adaptercheck-provider-v1\nrules:\n"

func parsed(t *testing.T, name, rules string) provider.Options {
	t.Helper()
	o, err := provider.Parse(name, []byte(driftHead+rules))
	must(t, err)
	return o
}

func TestDrift(t *testing.T) {
	const answer = "  - when: {dialect: anthropic, turn: 1}\n    answer: [delta: a, delta: b, usage: {in: 1}]\n"
	for _, test := range []struct {
		name     string
		old, new string
		want     []string
	}{
		{"the same", answer, answer, nil},
		{"other words, in more pieces", answer, "  - name: n\n    when: {dialect: anthropic, turn: 1}\n    answer: [delta: x, delta: y, delta: z]\n", nil},
		{"another route", answer, strings.Replace(answer, "anthropic", "chat", 1), []string{"new:3: answer 1: is for other requests: chat, turn 1, was anthropic, turn 1"}},
		{"one more", answer, answer + "  - answer: [final: x]\n", []string{"new:5: answer 2 (any dialect) is new"}},
		{"one less", answer + "  - when: {turn: 2, result: t1}\n    answer: [final: x]\n", answer, []string{"old:5: answer 2 (any dialect, turn 2, after a result) is gone"}},
		{"an error instead", answer, "  - when: {dialect: anthropic, turn: 1}\n    refuse: {status: 429}\n", []string{
			`new:3: answer 1: event "message_start" is gone at the beginning`, `new:3: answer 1: event "content_block_start" is gone after "message_start"`,
			`new:3: answer 1: event "content_block_delta" is gone after "content_block_start"`, `new:3: answer 1: event "content_block_stop" is gone after "content_block_delta"`,
			`new:3: answer 1: event "message_delta" is gone after "content_block_stop"`, `new:3: answer 1: event "message_stop" is gone after "message_delta"`,
			`new:3: answer 1: event "status 429" is new at the beginning`,
		}},
		{"a new kind of event", answer, "  - when: {dialect: anthropic, turn: 1}\n    answer: [delta: a, frame: {type: heartbeat}, delta: b]\n", []string{
			`new:3: answer 1: event "heartbeat" is new after "content_block_delta"`, `new:3: answer 1: event "content_block_delta" is new after "heartbeat"`,
		}},
		{"in every dialect", "  - answer: [final: a]\n", "  - answer: [final: a, error: {msg: x, fatal: true}]\n", []string{
			`new:3: answer 1: anthropic: event "message_delta" is gone after "content_block_stop"`, `new:3: answer 1: anthropic: event "message_stop" is gone after "message_delta"`,
			`new:3: answer 1: anthropic: event "error" is new after "content_block_stop"`,
		}},
		{"fields", "  - when: {dialect: chat}\n    answer: [final: a]\n    shape: [\"x: a b\"]\n", "  - when: {dialect: chat}\n    answer: [final: a]\n    shape: [\"x: b c\"]\n", []string{
			`new:3: answer 1: event "x": field a is gone`, `new:3: answer 1: event "x": field c is new`,
		}},
		{"order", "  - when: {dialect: chat}\n    answer: [final: a]\n    shape: [x, y]\n", "  - when: {dialect: chat}\n    answer: [final: a]\n    shape: [y, x]\n", []string{
			`new:3: answer 1: event "x" is gone at the beginning`, `new:3: answer 1: event "x" is new after "y"`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range provider.Drift(parsed(t, "old", test.old), parsed(t, "new", test.new)) {
				if test.name != "in every dialect" || strings.Contains(d.What, "anthropic") {
					got = append(got, d.String())
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A recording has the shape of what is played from the script that was recorded, in every
// dialect, streamed or whole.
func TestDriftOfRecordings(t *testing.T) {
	each(t, func(t *testing.T, d provider.Dialect) {
		for _, stream := range []bool{true, false} {
			rule := provider.Rule{When: provider.When{Dialect: d, Turn: 1}, Frames: slices.DeleteFunc(told(), isPart)}
			upstream := start(t, provider.Options{Rules: []provider.Rule{rule}})
			recorder, err := provider.Record(t.Context(), "", upstream.URL())
			must(t, err)
			t.Cleanup(func() { must(t, recorder.Close()) })
			if got := post(t, recorder.URL()+d.Path(), body(d, stream, "x")); got.status != http.StatusOK {
				t.Fatalf("status %d", got.status)
			}
			rules, err := recorder.Rules()
			must(t, err)
			recorded, err := provider.Parse("recorded", rules)
			must(t, err)
			if found := provider.Drift(provider.Options{Rules: []provider.Rule{rule}}, recorded); len(found) > 0 {
				t.Errorf("streamed %t: %v", stream, found)
			}
			if len(recorded.Rules[0].Shape) == 0 {
				t.Error("no shape was recorded")
			}
		}
	})
}
