package provider_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// Exactly n events arrive, for every n, however the answer is ended; the receipt says
// the same; and the client sees the end that was asked for.
func TestCutAfter(t *testing.T) {
	s := start(t, provider.Options{})
	each(t, func(t *testing.T, d provider.Dialect) {
		whole := s.Isolated(t.Name())
		must(t, whole.Answer(provider.When{}, deltas("a", "b", "ü")...))
		all := ask(t, whole, d, true, "x").events()
		for _, kind := range []provider.Kind{provider.End, provider.FIN, provider.Reset} {
			for n := range len(all) + 1 {
				space := s.Isolated(fmt.Sprint(t.Name(), kind, n))
				must(t, space.Add(provider.Rule{Frames: deltas("a", "b", "ü"), Faults: []provider.Fault{{Kind: kind, Event: n}}}))
				got := ask(t, space, d, true, "x")
				if len(got.events()) != n {
					t.Errorf("%s after %d: %d events arrived", kind, n, len(got.events()))
				}
				switch {
				case kind == provider.End && got.err != nil,
					kind == provider.FIN && !errors.Is(got.err, io.ErrUnexpectedEOF),
					kind == provider.Reset && !errors.Is(got.err, syscall.ECONNRESET):
					t.Errorf("%s after %d: the client saw %v", kind, n, got.err)
				}
				x, err := space.Wait(t.Context(), 1)
				must(t, err)
				want := provider.Exchange{Receipt: fakes.Receipt{Frames: n, Bytes: int64(len(got.body))},
					Strikes: []provider.Strike{{Kind: kind, Bytes: int64(len(got.body))}}, Outcome: provider.Broken}
				if d := cmp.Diff(want, provider.Exchange{Receipt: x.Receipt, Strikes: x.Strikes, Outcome: x.Outcome}); d != "" {
					t.Errorf("%s after %d (-want +got):\n%s", kind, n, d)
				}
			}
		}
	})
}

// A cut inside an event leaves exactly so many of its bytes.
func TestCutInside(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Answer(provider.When{Text: "whole"}, deltas("a", "b")...))
	whole := ask(t, s.Space, provider.Anthropic, true, "whole")
	third := strings.Index(whole.body, "event: content_block_delta")
	for _, n := range []int{1, 7, 30} {
		text := fmt.Sprint("cut", n)
		must(t, s.Add(provider.Rule{When: provider.When{Text: text}, Frames: deltas("a", "b"), Faults: []provider.Fault{{Kind: provider.FIN, Event: 3, Byte: n}}}))
		if got := ask(t, s.Space, provider.Anthropic, true, text); len(got.body) != third+n {
			t.Errorf("%d bytes arrived, want %d", len(got.body), third+n)
		}
	}
	must(t, s.Add(provider.Rule{When: provider.When{Text: "plain"}, Frames: deltas("a"), Faults: []provider.Fault{{Kind: provider.Reset, Byte: 40}}}))
	if got := ask(t, s.Space, provider.Anthropic, false, "plain"); len(got.body) != 40 || !errors.Is(got.err, syscall.ECONNRESET) {
		t.Errorf("%d bytes of a body that is no stream arrived, and %v", len(got.body), got.err)
	}
}

func TestFaultsOfEvents(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Answer(provider.When{Text: "whole"}, deltas("a", "b")...))
	whole := ask(t, s.Space, provider.Chat, true, "whole")
	want := whole.events() // role, a, b, stop, [DONE]
	for _, test := range []struct {
		name  string
		fault provider.Fault
		want  func() []string
	}{
		{"duplicate", provider.Fault{Kind: provider.Duplicate, Event: 1, N: 2}, func() []string { return []string{want[0], want[1], want[1], want[1], want[2], want[3], want[4]} }},
		{"drop", provider.Fault{Kind: provider.Drop, Event: 1, N: 2}, func() []string { return []string{want[0], want[3], want[4]} }},
		{"drop beyond", provider.Fault{Kind: provider.Drop, Event: 4, N: 9}, func() []string { return want[:4] }},
		{"reorder", provider.Fault{Kind: provider.Reorder, Event: 1}, func() []string { return []string{want[0], want[2], want[1], want[3], want[4]} }},
		{"beyond the end", provider.Fault{Kind: provider.Reorder, Event: 4}, func() []string { return want }},
		{"noise", provider.Fault{Kind: provider.Noise, Event: 2, N: 3}, func() []string { return want }},
		{"crlf", provider.Fault{Kind: provider.CRLF}, func() []string { return want }},
		{"coalesce", provider.Fault{Kind: provider.Coalesce, N: 3}, func() []string { return want }},
		{"split", provider.Fault{Kind: provider.Split, N: 5}, func() []string { return want }},
		{"delay", provider.Fault{Kind: provider.Delay, Event: 2, N: 1}, func() []string { return want }},
	} {
		t.Run(test.name, func(t *testing.T) {
			space := s.Isolated(t.Name())
			must(t, space.Add(provider.Rule{Frames: deltas("a", "b"), Faults: []provider.Fault{test.fault}}))
			got := ask(t, space, provider.Chat, true, "x")
			must(t, got.err)
			id := func(events []string) []string { // ids differ by space
				var out []string
				for _, e := range events {
					before, after, found := strings.Cut(e, `"id":"chatcmpl-`)
					if found {
						_, after, _ = strings.Cut(after, `"`)
					}
					out = append(out, before+after)
				}
				return out
			}
			events := strings.Split(strings.ReplaceAll(got.body, "\r\n", "\n"), "\n\n")
			if d := cmp.Diff(id(test.want()), id(answer{body: strings.Join(events, "\n\n")}.events())); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
			if test.fault.Kind == provider.Noise && strings.Count(got.body, ": nobody's event\n") != 3 {
				t.Errorf("no three comments in %q", got.body)
			}
			if test.fault.Kind == provider.CRLF && strings.Count(got.body, "\r\n") != strings.Count(got.body, "\n") {
				t.Errorf("lines that do not end with CR LF in %q", got.body)
			}
		})
	}
}

func TestGarbleLongBOM(t *testing.T) {
	s := start(t, provider.Options{})
	add := func(text string, f provider.Fault) answer {
		must(t, s.Add(provider.Rule{When: provider.When{Text: text}, Frames: deltas("a"), Faults: []provider.Fault{f}}))
		return ask(t, s.Space, provider.Chat, true, text)
	}
	if got := add("garble", provider.Fault{Kind: provider.Garble, Event: 1, Byte: 10, N: 3}); utf8.ValidString(got.body) {
		t.Errorf("nothing is garbled in %q", got.body)
	}
	if got := add("long", provider.Fault{Kind: provider.Long, Event: 1, N: 100_000}); len(got.events()[1]) < 100_000 || len(got.events()) != 4 {
		t.Errorf("%d events, the second of %d bytes", len(got.events()), len(got.events()[1]))
	}
	if got := add("bom", provider.Fault{Kind: provider.BOM}); !strings.HasPrefix(got.body, "\ufeffdata:") {
		t.Errorf("no byte order mark before %.20q", got.body)
	}
}

// A split inside a character or an escape is a write that ends there.
func TestSplitInside(t *testing.T) {
	s := start(t, provider.Options{})
	for _, test := range []struct {
		kind   provider.Kind
		before string
	}{{provider.SplitRune, "\xc3"}, {provider.SplitEscape, `\`}} {
		t.Run(string(test.kind), func(t *testing.T) {
			space := s.Isolated(t.Name())
			must(t, space.Add(provider.Rule{Frames: deltas(`say "ü"`), Faults: []provider.Fault{{Kind: test.kind, Event: 1}}}))
			text := body(provider.Chat, true, "x")
			path := strings.TrimPrefix(space.URL(), s.URL()) + provider.Chat.Path()
			_, in := raw(t, space, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: %d\r\n\r\n%s", path, len(text), text))
			found := false
			for {
				chunk, err := readChunk(in)
				must(t, err)
				if len(chunk) == 0 {
					break
				}
				found = found || strings.HasSuffix(chunk, test.before)
			}
			if !found {
				t.Errorf("no write ends with %q", test.before)
			}
			if x, err := space.Wait(t.Context(), 1); err != nil || len(x.Strikes) != 1 {
				t.Errorf("strikes %v, error %v", x.Strikes, err)
			}
		})
	}
}

// A stall keeps the connection open until the client goes, and the journal says so.
func TestStall(t *testing.T) {
	s := start(t, provider.Options{})
	must(t, s.Add(provider.Rule{Frames: deltas("a", "b"), Faults: []provider.Fault{{Kind: provider.Stall, Event: 2}}}))
	text := body(provider.Chat, true, "x")
	conn, in := raw(t, s.Space, fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
	got := ""
	for strings.Count(got, "\n\n") < 2 {
		chunk, err := readChunk(in)
		must(t, err)
		got += chunk
	}
	must(t, conn.SetReadDeadline(time.Now().Add(20*time.Millisecond))) // absence has no other sign
	if chunk, err := readChunk(in); err == nil {
		t.Errorf("%q came after the stall", chunk)
	}
	must(t, conn.Close())
	x, err := s.Wait(t.Context(), 1)
	must(t, err)
	if x.Outcome != provider.Gone || x.Receipt.Frames != 2 {
		t.Errorf("outcome %s, receipt %+v", x.Outcome, x.Receipt)
	}
}

// What stands in the way of a provider, not in its stream.
func TestWrongBodies(t *testing.T) {
	s := start(t, provider.Options{})
	for _, test := range []struct {
		name    string
		refusal provider.Refusal
		status  int
		kind    string
		body    string
	}{
		{"html", provider.Refusal{Status: 502, ContentType: "text/html", Body: provider.HTMLPage}, 502, "text/html", "502 Bad Gateway"},
		{"error with 200", provider.Refusal{Status: 200, Type: "overloaded_error"}, 200, "application/json", `"type":"overloaded_error"`},
		{"wrong content type", provider.Refusal{Status: 200, ContentType: "text/plain", Body: `{"id":"x"}`}, 200, "text/plain", `{"id":"x"}`},
		{"empty", provider.Refusal{Status: 200, ContentType: "application/json"}, 200, "application/json", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			space := s.Isolated(t.Name())
			must(t, space.Add(provider.Rule{Refuse: &test.refusal}))
			got := ask(t, space, provider.Anthropic, true, "x")
			if got.status != test.status || got.header.Get("Content-Type") != test.kind || !strings.Contains(got.body, test.body) {
				t.Errorf("%d %s %q", got.status, got.header.Get("Content-Type"), got.body)
			}
		})
	}
}

func TestBadFaults(t *testing.T) {
	s := start(t, provider.Options{})
	for _, f := range []provider.Fault{
		{}, {Kind: "nope"}, {Kind: provider.FIN, Event: -1}, {Kind: provider.Drop, Byte: 3}, {Kind: provider.Duplicate, Byte: 1}, {Kind: provider.FIN, Text: "x"},
	} {
		if err := s.Add(provider.Rule{Frames: deltas("a"), Faults: []provider.Fault{f}}); err == nil {
			t.Errorf("the fault %+v was taken", f)
		}
	}
}
