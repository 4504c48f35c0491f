package provider_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// asks asks one question after another over one connection.
func asks(b *testing.B, s *provider.Server, body string) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	ask := fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	in := bufio.NewReader(conn)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(ask); err != nil {
			b.Fatal(err)
		}
		if err := readAnswer(in); err != nil {
			b.Fatal(err)
		}
	}
}

// readAnswer reads one answer with as little as it takes.
func readAnswer(in *bufio.Reader) error {
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if rest, is := strings.CutPrefix(string(line), "Content-Length: "); is {
			_, _ = fmt.Sscan(rest, &length)
		}
	}
	if length >= 0 {
		_, err := in.Discard(length)
		return err
	}
	for {
		var n int
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		if _, err := fmt.Sscanf(line, "%x", &n); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, in, int64(n)+2); err != nil || n == 0 {
			return err
		}
	}
}

func server(b *testing.B, rules ...provider.Rule) *provider.Server {
	s, err := provider.New(b.Context(), provider.Options{Rules: rules})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func pieces(n int) []fakes.Frame {
	frames := make([]fakes.Frame, n)
	for i := range frames {
		frames[i] = fakes.Delta{Text: "word word "}
	}
	return frames
}

const question = `{"model":"gpt-4o-mini","stream":%t,"messages":[{"role":"system","content":"You are a measure."},{"role":"user","content":%q}]}`

func BenchmarkShort(b *testing.B) {
	asks(b, server(b, provider.Rule{When: provider.When{Text: "short"}, Frames: pieces(1)}), fmt.Sprintf(question, false, "a short one"))
}

func BenchmarkStream200(b *testing.B) {
	asks(b, server(b, provider.Rule{When: provider.When{Text: "short"}, Frames: pieces(200)}), fmt.Sprintf(question, true, "a short one"))
}

func BenchmarkPrompt100KB(b *testing.B) {
	asks(b, server(b, provider.Rule{When: provider.When{Text: "short"}, Frames: pieces(1)}), fmt.Sprintf(question, false, strings.Repeat("lorem ipsum ", 8000)+"a short one"))
}

// Ten thousand rules before the right one.
func BenchmarkRules10000(b *testing.B) {
	rules := make([]provider.Rule, 10_000, 10_001)
	for i := range rules {
		rules[i] = provider.Rule{When: provider.When{Text: fmt.Sprintf("question number %d?", i)}, Frames: pieces(1)}
	}
	asks(b, server(b, append(rules, provider.Rule{When: provider.When{Text: "a short one"}, Frames: pieces(1)})...), fmt.Sprintf(question, false, "a short one"))
}
