package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// chunks is how many pieces the long answer has, and text what one of them says.
const (
	chunks = 200
	text   = "word word "
)

// What is asked for stands in the text that the user says.
const (
	askShort  = "short"
	askStream = "stream"
	askPaced  = "paced" // events planned for two seconds
	askOpen   = "open"  // a stream that does not end
	askBig    = "big"   // 4 MB
	askCut    = "cut"   // after three chunks
)

// serve is one of the servers. It prints its address and serves until its input ends.
func serve(ctx context.Context, name string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	switch name {
	case "ours":
		_, err = ours(ctx, listener, long)
	case oursAlone:
		_, err = ours(ctx, listener, nil)
	case oursMany:
		err = behind(ctx, listener, 10_000)
	case "naive":
		go func() { _ = http.Serve(listener, http.HandlerFunc(naive)) }()
	case "raw":
		go raw(listener)
	default:
		err = fmt.Errorf("no server %q", name)
	}
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	_, err = io.Copy(io.Discard, stdin())
	return err
}

func pieces(n int, text string) []fakes.Frame {
	frames := make([]fakes.Frame, n)
	for i := range frames {
		frames[i] = fakes.Delta{Text: text}
	}
	return frames
}

// oursAlone is ours without the long answer, whose own size would hide the rest.
const oursAlone = "ours-alone"

// oursMany is ours with many rules before the right one.
const oursMany = "ours-many"

// behind has so many rules before the right one.
func behind(ctx context.Context, l net.Listener, n int) error {
	rules := make([]provider.Rule, n, n+1)
	for i := range rules {
		rules[i] = provider.Rule{When: provider.When{Text: fmt.Sprintf("question number %d?", i)}, Frames: pieces(1, "no")}
	}
	_, err := provider.New(ctx, provider.Options{Listener: l, Rules: append(rules, provider.Rule{When: provider.When{Text: askShort}, Frames: pieces(1, text)})})
	return err
}

var long = []provider.Rule{{When: provider.When{Text: askBig}, Frames: pieces(400, strings.Repeat("x", 10_000))}}

// ours has the rules that are needed, behind a few that are not.
func ours(ctx context.Context, l net.Listener, more []provider.Rule) (*provider.Server, error) {
	never := provider.NewGate()
	return provider.New(ctx, provider.Options{Listener: l, Rules: append([]provider.Rule{
		{When: provider.When{Turn: 7, Text: "nobody asks this"}, Frames: pieces(1, "no")},
		{When: provider.When{Text: askShort}, Frames: pieces(1, text)},
		{When: provider.When{Text: askStream}, Frames: pieces(chunks, text)},
		{When: provider.When{Text: askPaced}, Frames: pieces(paceSteps+1, text), Pace: provider.Pace{Every: planned / paceSteps}},
		{When: provider.When{Text: askCut}, Frames: pieces(6, text), Faults: []provider.Fault{{Kind: provider.FIN, Event: 3}}},
		{When: provider.When{Text: askOpen}, Frames: pieces(chunks, text), Holds: []provider.Hold{{Event: 10, Gate: never}}},
	}, more...)})
}

func chunk(text string) string {
	return fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o-mini","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text) + "\n\n"
}

const short = `{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"gpt-4o-mini","choices":[{"index":0,"message":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`

// naive reads a request whole, and flushes each event.
func naive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, short)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for range chunks {
		_, _ = io.WriteString(w, chunk(text))
		w.(http.Flusher).Flush()
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// raw answers each request with bytes made before.
func raw(l net.Listener) {
	quick := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(short)) + "\r\n\r\n" + short
	stream := strings.Repeat(chunk(text), chunks) + "data: [DONE]\n\n"
	streamed := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(stream), stream)
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			in := bufio.NewReader(c)
			for {
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				answer := quick
				if bytes.Contains(body, []byte(`"stream":true`)) {
					answer = streamed
				}
				if _, err := io.WriteString(c, answer); err != nil {
					return
				}
			}
		}()
	}
}
