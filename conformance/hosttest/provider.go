package hosttest

import (
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// The providers that a native runtime knows.
const (
	anthropic  = "anthropic"
	openrouter = "openrouter"
	ollama     = "ollama"
)

// providers lists all of them, anthropic first.
func providers() []string {
	return []string{anthropic, "openai", openrouter, ollama, "google", "xai", "groq", "mistral", "together", "cerebras", "moonshot"}
}

// keyed lists those that want a key.
func keyed() []string {
	return slices.DeleteFunc(providers(), func(p string) bool { return p == ollama })
}

// Provider is every provider at once, at the address to which the host's calls go.
type Provider struct {
	server *http.Server
	done   chan struct{}

	mu      sync.Mutex
	respond http.HandlerFunc
	calls   []call
}

// call is one request of the host.
type call struct {
	provider, method, path string
	query                  string
	header                 http.Header
}

func serveProvider(l net.Listener) *Provider {
	p := &Provider{done: make(chan struct{})}
	p.answers(status(http.StatusOK, `{"data":[]}`))
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(p.done)
		_ = p.server.Serve(l) // ends with close
	}()
	return p
}

func (p *Provider) close() error {
	err := p.server.Close()
	<-p.done
	return err
}

func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	id, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	p.mu.Lock()
	p.calls = append(p.calls, call{id, r.Method, "/" + path, r.URL.RawQuery, r.Header.Clone()})
	respond := p.respond
	p.mu.Unlock()
	respond(w, r)
}

// answers sets what every request gets from now on.
func (p *Provider) answers(h http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.respond = h
}

// taken returns the calls so far, and forgets them.
func (p *Provider) taken() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = nil
	return calls
}

// status answers with one.
func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body)) // the host may be gone
	}
}

// redirect sends whoever asks to another path of the same server, which would take any
// key.
func redirect(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/elsewhere/") {
		status(http.StatusOK, `{"data":[]}`)(w, r)
		return
	}
	http.Redirect(w, r, "/elsewhere"+r.URL.Path, http.StatusTemporaryRedirect)
}

// silent takes the request and says nothing, for as long as the host waits.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// drop closes the connection without an answer.
func drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// keyOf is the key that came with the call, wherever a provider would look for it.
func (c call) keyOf() string {
	if c.provider == anthropic {
		return c.header.Get("X-Api-Key")
	}
	scheme, key, _ := strings.Cut(c.header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return key
}

// probePath is where a provider is asked for its models, below its own prefix.
func probePath(provider string) string {
	switch provider {
	case anthropic:
		return "/v1/models"
	case ollama:
		return "/api/tags"
	default:
		return "/v1/models"
	}
}
