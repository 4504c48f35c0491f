package provider_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-test-0123456789abcdef"

// start starts a server that ends with the test.
func start(t testing.TB, o provider.Options) *provider.Server {
	t.Helper()
	s, err := provider.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // at which the body broke off
}

// body is a request of a dialect with one question.
func body(d provider.Dialect, stream bool, text string) string {
	flag := map[bool]string{true: "true", false: "false"}[stream]
	quoted := `"` + text + `"`
	switch d {
	case provider.Anthropic:
		return `{"model":"claude-sonnet-5","max_tokens":100,"stream":` + flag + `,"messages":[{"role":"user","content":` + quoted + `}]}`
	case provider.Chat:
		return `{"model":"gpt-4o-mini","stream":` + flag + `,"messages":[{"role":"user","content":` + quoted + `}]}`
	}
	return `{"model":"gpt-5.4","stream":` + flag + `,"input":` + quoted + `}`
}

// request makes a request with what all dialects want in its head.
func request(t testing.TB, url string, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Api-Key", testKey)
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Anthropic-Version", "2023-06-01")
	return r
}

// send sends a request over a connection of its own.
func send(t testing.TB, r *http.Request) answer {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	must(t, err)
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(out), err}
}

func post(t testing.TB, url, body string) answer {
	t.Helper()
	return send(t, request(t, url, body))
}

// ask asks a space one question.
func ask(t testing.TB, s *provider.Space, d provider.Dialect, stream bool, text string) answer {
	t.Helper()
	return post(t, s.URL()+d.Path(), body(d, stream, text))
}

// events are the data lines of a stream.
func (a answer) events() []string {
	var out []string
	for block := range strings.SplitSeq(a.body, "\n\n") {
		for line := range strings.Lines(block) {
			if data, is := strings.CutPrefix(line, "data: "); is {
				out = append(out, strings.TrimSpace(data))
			}
		}
	}
	return out
}

func deltas(texts ...string) []fakes.Frame {
	var frames []fakes.Frame
	for _, text := range texts {
		frames = append(frames, fakes.Delta{Text: text})
	}
	return frames
}

func each(t *testing.T, f func(t *testing.T, d provider.Dialect)) {
	for _, d := range []provider.Dialect{provider.Anthropic, provider.Chat, provider.Responses} {
		t.Run(string(d), func(t *testing.T) { f(t, d) })
	}
}

// raw sends bytes and returns the connection: for what no client of HTTP does.
func raw(t testing.TB, s *provider.Space, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	host, _, _ := strings.Cut(strings.TrimPrefix(s.URL(), "http://"), "/")
	conn, err := net.Dial("tcp", host)
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = io.Copy(conn, bytes.NewBufferString(text))
	must(t, err)
	return conn, bufio.NewReader(conn)
}

// readChunk reads one chunk of an answer; the head before the first is skipped. The last
// chunk is empty.
func readChunk(in *bufio.Reader) (string, error) {
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		var n int
		if _, err := fmt.Sscanf(line, "%x\r\n", &n); err != nil || strings.Contains(line, ":") || strings.HasPrefix(line, "HTTP/") {
			continue
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(in, chunk); err != nil {
			return "", err
		}
		return string(chunk[:n]), nil
	}
}

// told is an answer with everything in it.
func told() []fakes.Frame {
	return []fakes.Frame{
		fakes.Think{Text: "The directory "}, fakes.Think{Text: "first."},
		fakes.Delta{Text: "I will "}, fakes.Delta{Text: "look: ü \"q\" \u2028 \\ é."},
		fakes.ToolCall{ID: "t1", Name: "read", Input: `{"path": "a", "deep": {"n": [1, 2]}}`},
		fakes.CallPart{Index: 1, ID: "t2", Name: "list", Fragment: `{"di`}, fakes.CallPart{Index: 1, Fragment: `r":"."}`},
		fakes.Usage{In: new(int64(120)), Out: new(int64(34)), CacheRead: new(int64(20))},
	}
}
