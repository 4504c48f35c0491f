package responses

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const body = `{"model":"m1","prompt_cache_key":"t0","stream":true,"input":[
	{"type":"message","role":"user","content":[{"type":"input_text","text":"first"}]},
	{"type":"function_call_output","call_id":"c1","output":"said \ud800"},
	{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},
	{"type":"message","role":"user","content":[{"type":"input_text","text":"la"},{"type":"input_text","text":"st"}]},
	{"type":"reasoning","summary":[],"content":null}]}`

func server(t *testing.T) *Server {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// ask posts a request under a key and gives the answer, whose head may come late.
func ask(ctx context.Context, t *testing.T, s *Server, key, body string) <-chan *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(KeyHeader, key)
	answers := make(chan *http.Response, 1)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	go func() {
		defer close(answers)
		a, err := (&http.Client{Transport: transport}).Do(r)
		if err == nil {
			answers <- a
		}
	}()
	return answers
}

func next(t *testing.T, s *Server, key string) *Exchange {
	t.Helper()
	e, err := s.Next(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestRequest(t *testing.T) {
	for _, c := range []struct {
		name   string
		header http.Header
		want   Request
	}{
		{"by its key", nil, Request{Model: "m1", Thread: "t0", Prompt: "last", Outputs: map[string]string{"c1": "said \ufffd", "c2": "ab"}}},
		{"by its header", http.Header{"Thread-Id": {"t9"}}, Request{Model: "m1", Thread: "t9", Prompt: "last", Outputs: map[string]string{"c1": "said \ufffd", "c2": "ab"}}},
	} {
		got, err := read(c.header, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// An answer comes event by event, each when it is said.
func TestAnswer(t *testing.T) {
	s := server(t)
	answers := ask(t.Context(), t, s, "k", body)
	e := next(t, s, "k")
	if e.Request.Prompt != "last" {
		t.Errorf("prompt %q", e.Request.Prompt)
	}
	n, err := e.Send(t.Context(), Created("r1"))
	if err != nil {
		t.Fatal(err)
	}
	a := <-answers
	defer a.Body.Close()
	if kind := a.Header.Get("Content-Type"); a.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Errorf("status %d, content type %q", a.StatusCode, kind)
	}
	lines := bufio.NewScanner(a.Body)
	read := func() (text string) {
		for lines.Scan() && lines.Text() != "" {
			text += lines.Text() + "\n"
		}
		return text
	}
	want := "event: response.created\ndata: {\"response\":{\"id\":\"r1\"},\"type\":\"response.created\"}\n"
	if got := read(); got != want || int(n) != len(want)+1 {
		t.Errorf("%d bytes:\n%swant:\n%s", n, got, want)
	}
	for _, c := range []struct {
		event Event
		want  string
	}{
		{MessageBegun("m1"), `"item":{"content":[],"id":"m1","role":"assistant","type":"message"}`},
		{Delta("m1", "a\u2028"), `"delta":"a` + "\u2028" + `","item_id":"m1"`},
		{Message("m1", "ab"), `"content":[{"annotations":[],"text":"ab","type":"output_text"}]`},
		{Reasoning("s1", "why"), `"summary":[{"text":"why","type":"summary_text"}]`},
		{Call("c1", "exec", `{"a":1}`), `"arguments":"{\"a\":1}","call_id":"c1"`},
		{Failed("r1", "bad", "no"), `"error":{"code":"bad","message":"no"}`},
		{Incomplete("r1", "max_output_tokens"), `"incomplete_details":{"reason":"max_output_tokens"}`},
		{Completed("r1", Usage{Input: 5, Cached: 2, Output: 3, Reasoning: 1}), `"input_tokens":5,"input_tokens_details":{"cached_tokens":2},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":1},"total_tokens":8`},
	} {
		if _, err := e.Send(t.Context(), c.event); err != nil {
			t.Fatal(err)
		}
		if got := read(); !strings.HasPrefix(got, "event: "+c.event.Type+"\n") || !strings.Contains(got, c.want) {
			t.Errorf("%s has no %s:\n%s", c.event.Type, c.want, got)
		}
	}
	e.End()
	if rest, err := io.ReadAll(a.Body); err != nil || len(rest) > 0 {
		t.Errorf("after the end: %q, %v", rest, err)
	}
	<-e.Gone()
	if _, err := e.Send(t.Context(), Created("r2")); !errors.Is(err, ErrGone) {
		t.Errorf("after the end: %v", err)
	}
	e.End() // again
}

func TestCut(t *testing.T) {
	s := server(t)
	for _, begun := range []bool{true, false} {
		answers := ask(t.Context(), t, s, "k", body)
		e := next(t, s, "k")
		if begun {
			if _, err := e.Send(t.Context(), Created("r1")); err != nil {
				t.Fatal(err)
			}
		}
		if !begun {
			e.Cut()
			if a := <-answers; a != nil {
				a.Body.Close()
				t.Errorf("an answer came, status %d", a.StatusCode)
			}
			continue
		}
		a := <-answers
		e.Cut()
		if _, err := io.ReadAll(a.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a cut answer ends in %v", err)
		}
		a.Body.Close()
	}
}

// Requests of several keys do not mix, in whatever order they come.
func TestKeys(t *testing.T) {
	s := server(t)
	for _, key := range []string{"a", "b"} {
		answers := ask(t.Context(), t, s, key, `{"input":[{"role":"user","content":"of `+key+`"}]}`)
		t.Cleanup(func() {
			if a := <-answers; a != nil {
				a.Body.Close()
			}
		})
	}
	for _, key := range []string{"b", "a"} {
		e := next(t, s, key)
		if e.Request.Prompt != "of "+key {
			t.Errorf("%s got the request %q", key, e.Request.Prompt)
		}
		e.End()
	}
}

// A client that leaves ends the exchange.
func TestClientLeaves(t *testing.T) {
	s := server(t)
	ctx, leave := context.WithCancel(t.Context())
	answers := ask(ctx, t, s, "k", body)
	e := next(t, s, "k")
	leave()
	<-e.Gone()
	if a := <-answers; a != nil {
		a.Body.Close()
	}
}

func TestRefusals(t *testing.T) {
	s := server(t)
	a := <-ask(t.Context(), t, s, "k", "{")
	a.Body.Close()
	if a.StatusCode != http.StatusBadRequest {
		t.Errorf("broken JSON: status %d", a.StatusCode)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := s.Next(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no request: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Next(t.Context(), "k"); !errors.Is(err, ErrClosed) {
		t.Errorf("after the close: %v", err)
	}
}

// A server that is closed lets go of a request that nobody answered.
func TestCloseWhileOpen(t *testing.T) {
	s := server(t)
	answers := ask(t.Context(), t, s, "k", body)
	e := next(t, s, "k")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-e.Gone()
	if a := <-answers; a != nil {
		a.Body.Close()
	}
}
