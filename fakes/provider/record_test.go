package provider_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// What a provider said comes again from the rules that were made of it: recorded through
// the proxy, and played, an answer means the same.
func TestRecord(t *testing.T) {
	upstream := start(t, provider.Options{Keys: []string{testKey}})
	whole := slices.DeleteFunc(told(), isPart) // calls are recorded whole
	must(t, upstream.Add(
		provider.Rule{When: provider.When{Request: 1}, Refuse: &provider.Refusal{Status: 429, RetryAfter: 2 * time.Second}},
		provider.Rule{When: provider.When{Text: "cut"}, Frames: deltas("half"), Faults: []provider.Fault{{Kind: provider.End, Event: 2}}},
		provider.Rule{When: provider.When{Text: "strange"}, Frames: []fakes.Frame{fakes.Delta{Text: "x"}, fakes.Native{Type: "new_event", Fields: `{"n":[1,"ü"]}`}}},
		provider.Rule{When: provider.When{Text: "long"}, Frames: append(deltas("a"), fakes.End{Reason: fakes.EndLength})},
		provider.Rule{When: provider.When{Text: "broken"}, Frames: append(deltas("a"), fakes.Failure{Code: "overloaded_error", Message: "too much"})},
		provider.Rule{Frames: whole}))
	recorder, err := provider.Record(t.Context(), "", upstream.URL())
	must(t, err)
	t.Cleanup(func() { must(t, recorder.Close()) })
	texts := []string{"first", "all of " + testKey, "long", "strange", "broken", "cut"}
	said := func(url string, d provider.Dialect, stream bool, text string) string {
		got := send(t, request(t, url+d.Path(), body(d, stream, text)))
		for _, header := range []string{"Retry-After", "Content-Type"} {
			got.body += got.header.Get(header)
		}
		return fmt.Sprint(got.status, " ", anonymous(got.body))
	}
	var want []string
	all := func(url string) (out []string) {
		each(t, func(t *testing.T, d provider.Dialect) {
			for _, stream := range []bool{true, false} {
				for _, text := range texts {
					if text == "cut" && !stream {
						continue
					}
					got := said(url, d, stream, text)
					if text == "cut" { // a body that ends early comes again as one that is cut off
						got = ""
					}
					out = append(out, got)
				}
			}
		})
		return out
	}
	want = all(recorder.URL())
	rules, err := recorder.Rules()
	must(t, err)
	if bytes.Contains(rules, []byte(testKey)) {
		t.Error("the rules have the client's key")
	}
	if n := bytes.Count(rules, []byte("- cut\n")); n != 3 {
		t.Errorf("%d streams are cut off in the rules, want 3", n)
	}
	o, err := provider.Parse("recorded.yaml", rules)
	must(t, err)
	played := start(t, o)
	got := all(played.URL())
	for i := range want {
		if d := cmp.Diff(want[i], got[i]); d != "" {
			t.Errorf("answer %d (-recorded +played):\n%s\n%s", i, d, rules)
		}
	}
}

func isPart(f fakes.Frame) bool { return f.Word() == "callpart" }

// anonymous takes the ids out of a body.
func anonymous(body string) string {
	for _, prefix := range []string{"msg_", "chatcmpl-", "resp_", "rs_", "fc_", "req_", "gAAAAAB", "EqQB"} {
		parts := strings.Split(body, prefix)
		for i := range parts[1:] {
			parts[i+1] = parts[i+1][min(26, len(parts[i+1])):]
		}
		body = strings.Join(parts, prefix)
	}
	return body
}

func TestNothingRecorded(t *testing.T) {
	recorder, err := provider.Record(t.Context(), "", "http://127.0.0.1:1")
	must(t, err)
	defer recorder.Close()
	got := post(t, recorder.URL()+"/v1/messages", body(provider.Anthropic, false, "x"))
	if got.status != http.StatusBadGateway {
		t.Errorf("status %d", got.status)
	}
	if _, err := recorder.Rules(); err == nil {
		t.Error("rules of nothing")
	}
	for _, bad := range []string{"", "nowhere", "ftp://x", "http://"} {
		if r, err := provider.Record(t.Context(), "", bad); err == nil {
			r.Close()
			t.Errorf("it records from %q", bad)
		}
	}
	if r, err := provider.Record(t.Context(), "0.0.0.0:0", "http://127.0.0.1:1"); err == nil {
		r.Close()
		t.Error("it listens beyond loopback")
	}
}

// What is late is no result.
func TestLateness(t *testing.T) {
	ms := time.Millisecond
	late := provider.Rule{When: provider.When{Text: "late"}, Frames: deltas("a", "b", "c"), Pace: provider.Pace{Every: 50 * ms}, Faults: []provider.Fault{{Kind: provider.Delay, Event: 2, N: 30}}}
	right := provider.Rule{Frames: deltas("a", "b", "c"), Pace: provider.Pace{Every: 50 * ms}}
	virtual(t, provider.Options{Rules: []provider.Rule{late, right}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		if err := s.Lateness().Err(); err == nil {
			t.Error("nothing is a result")
		}
		for i, text := range []string{"x", "x", "late"} {
			arrivals(t, client, request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, true, text)))
			_, err := s.Wait(t.Context(), i+1)
			must(t, err)
			if l := s.Lateness(); l.Answers != i+1 || (l.Err() != nil) != (text == "late") {
				t.Errorf("after %q: %s, %v", text, l, l.Err())
			}
		}
	})
}
