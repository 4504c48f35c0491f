package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// Recorder stands between a client and a real provider, and makes rules of what they
// say: [Recorder.Rules] answers the same conversation as the provider did.
type Recorder struct {
	listener net.Listener
	http     *http.Server
	serving  sync.WaitGroup

	mu      sync.Mutex
	taken   []*taken
	secrets []string
}

// taken is one exchange that was recorded.
type taken struct {
	dialect     Dialect
	request     *request // nil for one that could not be read
	status      int
	contentType string
	retryAfter  string
	body        bytes.Buffer
	asked       time.Time
	arrivals    []arrival
}

// arrival is when so many bytes of an answer had come.
type arrival struct {
	bytes int
	after time.Duration // since the request had been read
}

// maxTaken bounds what is recorded of one answer, in bytes.
const maxTaken = 64 << 20

// Record listens on an address of the loopback interface, and hands requests on to a
// provider: its address without /v1. It serves until Close.
func Record(ctx context.Context, listen, upstream string) (*Recorder, error) {
	target, err := url.Parse(upstream)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, fmt.Errorf("provider at %q: want a URL, as https://api.example.com", upstream)
	}
	listen = or(listen, "127.0.0.1:0")
	if err := loopback(listen); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	r := &Recorder{listener: l}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Header.Del("Accept-Encoding") // what is recorded is read
		},
		FlushInterval:  -1,
		ModifyResponse: r.answered,
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	r.http = &http.Server{ReadHeaderTimeout: 10 * time.Second, ErrorLog: proxy.ErrorLog, Handler: http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		r.asked(in)
		proxy.ServeHTTP(w, in)
	})}
	r.serving.Go(func() { _ = r.http.Serve(l) }) // it ends with Close
	return r, nil
}

// URL is the address that clients are given.
func (r *Recorder) URL() string { return "http://" + r.listener.Addr().String() }

// Close ends the recorder; what is being answered is broken off.
func (r *Recorder) Close() error {
	err := r.http.Close()
	r.serving.Wait()
	return err
}

type takenKey struct{}

func (r *Recorder) locked(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

// asked notes a request for an answer, in order of arrival.
func (r *Recorder) asked(in *http.Request) {
	where := place(in.URL.EscapedPath())
	if where.answers == "" || where.count || in.Method != http.MethodPost {
		return
	}
	body, err := io.ReadAll(io.LimitReader(in.Body, maxTaken))
	in.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), in.Body), in.Body}
	x := &taken{dialect: where.answers, asked: time.Now()}
	if err == nil {
		s := newScanner(body)
		if q, err := scan(where.answers, s); err == nil {
			x.request = q
		}
		s.close()
	}
	*in = *in.WithContext(context.WithValue(in.Context(), takenKey{}, x))
	r.locked(func() {
		r.taken = append(r.taken, x)
		for name, values := range in.Header {
			if secretHeader(name) {
				for _, v := range values {
					r.secrets = append(r.secrets, v, strings.TrimPrefix(v, "Bearer "))
				}
			}
		}
	})
}

// answered takes a copy of an answer as it passes.
func (r *Recorder) answered(out *http.Response) error {
	x, is := out.Request.Context().Value(takenKey{}).(*taken)
	if !is {
		return nil
	}
	r.locked(func() {
		x.status, x.contentType, x.retryAfter = out.StatusCode, out.Header.Get("Content-Type"), out.Header.Get("Retry-After")
	})
	out.Body = &copied{ReadCloser: out.Body, to: func(p []byte) {
		r.locked(func() {
			x.body.Write(p[:min(len(p), maxTaken-x.body.Len())])
			x.arrivals = append(x.arrivals, arrival{x.body.Len(), time.Since(x.asked)})
		})
	}}
	return nil
}

// copied is a body that tells what is read of it.
type copied struct {
	io.ReadCloser
	to func([]byte)
}

func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.to(p[:n])
	return n, err
}

// Rules is a file of rules, schema [Schema], that gives the recorded answers once each, in
// order, at the pace at which they came: the time until the first piece, and the mean time
// between two, in whole milliseconds. Their shape is kept, see [Drift]. Keys of the clients
// are masked; what was said is not.
func (r *Recorder) Rules() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "schema: %s\nrules:\n", Schema)
	var secrets *redact.Redactor
	n := 0
	r.locked(func() {
		secrets = redact.New(r.secrets, nil)
		for _, x := range r.taken {
			if x.status != 0 && x.request != nil { // else nobody answered, or it was no request
				x.rule(&b)
				n++
			}
		}
	})
	if n == 0 {
		return nil, errors.New("nothing was recorded: no request for an answer came through")
	}
	text := []byte(secrets.String(b.String()))
	if _, err := Parse("recorded", text); err != nil {
		return nil, fmt.Errorf("what was recorded has no form: %w", err)
	}
	return text, nil
}

func (x *taken) rule(b *bytes.Buffer) {
	fmt.Fprintf(b, "  - when: {dialect: %s, turn: %d", x.dialect, x.request.turn())
	fresh := x.request.fresh()
	if len(fresh) > 0 {
		fmt.Fprintf(b, ", result: %s", jsonText(fresh[0]))
	}
	b.WriteString("}\n    times: 1\n    follows: true\n")
	shape := shapeOf(x.status, x.contentType, x.body.Bytes())
	if x.status >= 400 {
		refused(x.dialect, x.status, x.contentType, x.body.Bytes()).write(b, x.retryAfter)
		writeShape(b, shape)
		return
	}
	frames, pieces := frozen(x.dialect, x.contentType, x.body.Bytes())
	b.WriteString("    answer:\n")
	_, steps, _ := bytes.Cut(script.FormatFrames(frames...), []byte("steps:\n"))
	for line := range bytes.Lines(steps) {
		b.WriteString("    ")
		b.Write(line)
	}
	x.pace(pieces).write(b)
	if frames[len(frames)-1] == (fakes.Cut{}) {
		shape = append(shape, cutEvent)
	}
	writeShape(b, shape)
}

// pace is when the pieces of the answer came.
func (x *taken) pace(pieces []int) Pace {
	when := func(bytes int) time.Duration {
		for _, a := range x.arrivals {
			if a.bytes >= bytes {
				return a.after
			}
		}
		return 0
	}
	n := len(pieces)
	if n == 0 {
		return Pace{}
	}
	p := Pace{First: when(pieces[0])}
	if n > 1 {
		p.Every = (when(pieces[n-1]) - p.First) / time.Duration(n-1)
	}
	return Pace{First: p.First.Round(time.Millisecond), Every: max(0, p.Every).Round(time.Millisecond)}
}

func (p Pace) write(b *bytes.Buffer) {
	switch {
	case p == Pace{}:
	case p.Every == 0:
		fmt.Fprintf(b, "    pace: {first: %v}\n", p.First)
	default:
		fmt.Fprintf(b, "    pace: {first: %v, every: %v}\n", p.First, p.Every)
	}
}

func writeShape(b *bytes.Buffer, shape []string) {
	b.WriteString("    shape:\n")
	for _, event := range shape {
		fmt.Fprintf(b, "      - %s\n", jsonText(event))
	}
}

func (r *Refusal) write(b *bytes.Buffer, retryAfter string) {
	fmt.Fprintf(b, "    refuse: {status: %d", r.Status)
	for _, field := range [][2]string{{"type", r.Type}, {"code", r.Code}, {"param", r.Param}, {"message", r.Message}, {"contentType", r.ContentType}, {"body", r.Body}} {
		if field[1] != "" {
			fmt.Fprintf(b, ", %s: %s", field[0], jsonText(field[1]))
		}
	}
	if seconds, err := strconv.Atoi(retryAfter); err == nil {
		fmt.Fprintf(b, ", retryAfter: %ds", seconds)
	}
	b.WriteString("}\n")
}
