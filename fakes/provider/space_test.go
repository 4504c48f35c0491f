package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// Spaces on one server know nothing of each other.
func TestIsolated(t *testing.T) {
	s := start(t, provider.Options{})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			name := fmt.Sprintf("a test/%d ü", i)
			space := s.Isolated(name)
			if err := space.Answer(provider.When{Request: 2}, deltas(fmt.Sprintf("second of %d.", i))...); err != nil {
				t.Error(err)
			}
			ask(t, space, provider.Anthropic, false, "x")
			if got := ask(t, space, provider.Anthropic, false, "x"); !strings.Contains(got.body, fmt.Sprintf("second of %d.", i)) {
				t.Errorf("space %d: %s", i, got.body)
			}
			if n := len(space.Journal()); n != 2 {
				t.Errorf("space %d has %d exchanges", i, n)
			}
		})
	}
	wg.Wait()
	if n := len(s.Journal()); n != 0 {
		t.Errorf("the server's own space has %d exchanges", n)
	}
	if got := post(t, s.URL()+"/spaces/none/v1/messages", "{}"); got.status != 404 || !strings.Contains(got.body, "no space") {
		t.Errorf("a space that is not there answers %d %s", got.status, got.body)
	}
}

// Equal seeds give equal bytes and equal journals, other seeds or spaces other ids.
func TestSeed(t *testing.T) {
	said := func(seed uint64, space string) string {
		s := start(t, provider.Options{Seed: seed})
		at := s.Space
		if space != "" {
			at = s.Isolated(space)
		}
		must(t, at.Answer(provider.When{}, told()...))
		out := ""
		for _, d := range []provider.Dialect{provider.Anthropic, provider.Chat, provider.Responses} {
			for _, stream := range []bool{true, false} {
				got := ask(t, at, d, stream, "x")
				out += got.body + got.header.Get("Request-Id") + got.header.Get("X-Request-Id")
			}
		}
		for i := range 6 {
			_, err := at.Wait(t.Context(), i+1)
			must(t, err)
		}
		journal, err := json.Marshal(at.Journal())
		must(t, err)
		return out + string(journal)
	}
	first := said(7, "")
	if d := cmp.Diff(first, said(7, "")); d != "" {
		t.Errorf("seed 7 twice:\n%s", d)
	}
	if first == said(8, "") {
		t.Error("seeds 7 and 8 say the same")
	}
	if said(7, "a") == said(7, "b") {
		t.Error("two spaces say the same")
	}
}

// No two answers have an id in common.
func TestIDs(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Answer(provider.When{}, fakes.ToolCall{Name: "a"}, fakes.ToolCall{Name: "b"}, fakes.Delta{Text: "x"}, fakes.ToolCall{Name: "c"}))
	seen := map[string]bool{}
	for range 5 {
		var r struct {
			ID     string
			Output []struct {
				ID     string
				CallID string `json:"call_id"`
			}
		}
		must(t, json.Unmarshal([]byte(ask(t, s.Space, provider.Responses, false, "x").body), &r))
		ids := []string{r.ID}
		for _, item := range r.Output {
			ids = append(ids, item.ID)
			if item.CallID != "" {
				ids = append(ids, item.CallID)
			}
		}
		if len(ids) != 8 {
			t.Fatalf("ids %q", ids)
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("id %q twice", id)
			}
			seen[id] = true
		}
	}
}

// What a client is known by is nowhere in the journal.
func TestSecrets(t *testing.T) {
	s := start(t, provider.Options{Keys: []string{testKey}})
	must(t, s.Answer(provider.When{}, deltas("x")...))
	r := request(t, s.URL()+"/v1/messages?key="+testKey, body(provider.Anthropic, false, "my key is "+testKey))
	r.Header.Set("Cookie", "session=abc123")
	r.Header.Set("X-Goog-Api-Key", "goog-secret")
	r.Header.Set("X-Other", "Bearer "+testKey)
	send(t, r)
	wrong := request(t, s.URL()+"/v1/chat/completions", body(provider.Chat, false, "wrong-key-0123456789"))
	wrong.Header.Set("Authorization", "Bearer wrong-key-0123456789")
	send(t, wrong)
	out := fmt.Sprintf("%+v", s.Journal())
	for _, secret := range []string{testKey, "abc123", "goog-secret", "wrong-key-0123456789"} {
		if strings.Contains(out, secret) {
			t.Errorf("the journal has %s", secret)
		}
	}
	if !strings.Contains(out, "my key is [redacted]") {
		t.Error("the journal has no body")
	}
	if got := s.Journal()[0].Breaches; len(got) != 1 || got[0] != provider.KeyInURL {
		t.Errorf("breaches %v", got)
	}
}

// The journal tells what was asked and what became of it.
func TestJournal(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Name: "hello", When: provider.When{Text: "hello"}, Frames: deltas("a", "b")}))
	ask(t, s.Space, provider.Chat, true, "hello you")
	ask(t, s.Space, provider.Anthropic, false, "")
	ask(t, s.Space, provider.Responses, false, "unknown")
	var got []provider.Exchange
	for i := range 3 {
		x, err := s.Wait(t.Context(), i+1)
		must(t, err)
		x.Header, x.Body, x.At, x.Receipt.Bytes = nil, "", time.Time{}, 0
		if i == 2 {
			x.Unmatched = strings.SplitAfter(x.Unmatched, ")")[0]
		}
		got = append(got, x)
	}
	want := []provider.Exchange{
		{Number: 1, Method: "POST", Path: "/v1/chat/completions", Dialect: provider.Chat, Model: "gpt-4o-mini", Stream: true, Turn: 1, Text: "hello you",
			Rule: "hello", Status: 200, Receipt: fakes.Receipt{Frames: 5}, Outcome: provider.Done},
		{Number: 2, Method: "POST", Path: "/v1/messages", Dialect: provider.Anthropic, Model: "claude-sonnet-5", Turn: 1, Status: 400,
			Refused: "messages: text content blocks must be non-empty", Breaches: []provider.Breach{provider.RefusedRequest}, Receipt: fakes.Receipt{Frames: 1}, Outcome: provider.Done},
		{Number: 3, Method: "POST", Path: "/v1/responses", Dialect: provider.Responses, Model: "gpt-5.4", Turn: 1, Text: "unknown", Status: 400,
			Unmatched: `request 2 (responses, model "gpt-5.4", turn 1, text "unknown")`, Receipt: fakes.Receipt{Frames: 1}, Outcome: provider.Done},
	}
	for i := range want {
		got[i].Receipt.Bytes = want[i].Receipt.Bytes
	}
	// What is asked for is counted without what was refused.
	want[2].Unmatched = strings.Replace(want[2].Unmatched, "request 3", "request 2", 1)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("journal (-want +got):\n%s", d)
	}
}

// A journal keeps the newest exchanges, and of their bodies so many bytes.
func TestKept(t *testing.T) {
	s := start(t, provider.Options{Keep: 3})
	must(t, s.Answer(provider.When{}, deltas("x")...))
	for i := range 8 {
		ask(t, s.Space, provider.Chat, false, fmt.Sprint("n", i))
	}
	got := s.Journal()
	if len(got) != 3 || got[0].Number != 6 || got[2].Text != "n7" {
		t.Errorf("journal %+v", got)
	}
	if _, err := s.Wait(t.Context(), 1); err == nil {
		t.Error("an exchange that is not kept was waited for")
	}
	long := start(t, provider.Options{KeepBodies: 64 << 10})
	must(t, long.Answer(provider.When{}, deltas("x")...))
	for range 10 {
		ask(t, long.Space, provider.Chat, false, strings.Repeat("x", 10<<10))
	}
	kept := 0
	for _, x := range long.Journal() {
		kept += len(x.Body)
		if x.Turn != 1 || x.Model != "gpt-4o-mini" {
			t.Errorf("exchange %d lost more than its body", x.Number)
		}
	}
	if kept > 64<<10 || kept < 50<<10 {
		t.Errorf("%d bytes of bodies are kept", kept)
	}
	ask(t, long.Space, provider.Chat, false, strings.Repeat("y", 100<<10))
	if all := long.Journal(); len(all[len(all)-1].Text) != 100<<10 || all[len(all)-2].Body != "" {
		t.Error("of a body that is longer than all that is kept, and is the newest, something is lost")
	}
}

// A rate limit tells when to come again, and knows who does not wait.
func TestRateLimit(t *testing.T) {
	virtual(t, provider.Options{Limit: provider.Limit{Requests: 2, Per: 10 * time.Second}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		must(t, s.Answer(provider.When{}, deltas("x")...))
		do := func(d provider.Dialect) *http.Response {
			resp, err := client.Do(request(t, s.URL()+d.Path(), body(d, false, "x")))
			must(t, err)
			resp.Body.Close()
			return resp
		}
		if got := do(provider.Chat).Header.Get("X-Ratelimit-Remaining-Requests"); got != "1" {
			t.Errorf("%q requests are left, want 1", got)
		}
		time.Sleep(1500 * time.Millisecond) // virtual, all of these
		do(provider.Chat)
		refused := do(provider.Anthropic)
		if refused.StatusCode != 429 || refused.Header.Get("Retry-After") != "9" || refused.Header.Get("Anthropic-Ratelimit-Requests-Remaining") != "0" {
			t.Errorf("status %d, headers %v", refused.StatusCode, refused.Header)
		}
		time.Sleep(time.Second)
		if got := do(provider.Anthropic); got.StatusCode != 429 {
			t.Errorf("status %d", got.StatusCode)
		}
		time.Sleep(8 * time.Second)
		if got := do(provider.Anthropic); got.StatusCode != 200 {
			t.Errorf("status %d after the wait", got.StatusCode)
		}
		for i, x := range s.Journal() {
			if ignored := len(x.Breaches) > 0; ignored != (i == 3) {
				t.Errorf("exchange %d: breaches %v", x.Number, x.Breaches)
			}
		}
	})
}

// A quota is another error, says nothing of time, and recovers.
func TestQuota(t *testing.T) {
	virtual(t, provider.Options{Limit: provider.Limit{Requests: 1, Per: time.Hour, Quota: true}}, func(t *testing.T, s *provider.Server, client *http.Client) {
		must(t, s.Answer(provider.When{}, deltas("x")...))
		want := []struct {
			d      provider.Dialect
			status int
			has    string
		}{{provider.Chat, 200, "content"}, {provider.Chat, 429, `"code":"insufficient_quota"`}, {provider.Anthropic, 400, "credit balance is too low"}}
		for _, w := range want {
			resp, err := client.Do(request(t, s.URL()+w.d.Path(), body(w.d, false, "x")))
			must(t, err)
			var out json.RawMessage
			must(t, json.NewDecoder(resp.Body).Decode(&out))
			resp.Body.Close()
			if resp.StatusCode != w.status || !strings.Contains(string(out), w.has) || resp.Header.Get("Retry-After") != "" {
				t.Errorf("status %d, %s, headers %v", resp.StatusCode, out, resp.Header)
			}
		}
		time.Sleep(time.Hour)
		resp, err := client.Do(request(t, s.URL()+"/v1/messages", body(provider.Anthropic, false, "x")))
		must(t, err)
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("status %d after the quota recovered", resp.StatusCode)
		}
	})
}

// A rule that says when to come again is waited for, too.
func TestRetryAfter(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Times: 1, Refuse: &provider.Refusal{Status: 429, RetryAfter: 1500 * time.Millisecond}}, provider.Rule{Frames: deltas("x")}))
	if got := ask(t, s.Space, provider.Chat, false, "x"); got.header.Get("Retry-After") != "2" || !strings.Contains(got.body, "rate_limit_exceeded") {
		t.Errorf("headers %v, %s", got.header, got.body)
	}
	ask(t, s.Space, provider.Chat, false, "x")
	if got := s.Journal()[1].Breaches; len(got) != 1 || got[0] != provider.IgnoredRetryAfter {
		t.Errorf("breaches %v", got)
	}
}

func TestListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "example.org:80", "127.0.0.1", "192.168.0.1:0"} {
		if s, err := provider.New(t.Context(), provider.Options{Listen: address}); err == nil {
			s.Close()
			t.Errorf("it listens on %s", address)
		} else if !strings.Contains(err.Error(), address) {
			t.Errorf("error %v", err)
		}
	}
}
