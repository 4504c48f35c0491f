package hostmutants

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

const native = "clawboo-native"

// host is a small right host. What mutants change are its fields: functions that are
// right when it is made, and flags that are false.
type host struct {
	base  string // of the provider; empty is one that cannot be told
	dir   string // of the vault
	seal  cipher.AEAD
	log   bytes.Buffer
	mu    sync.Mutex
	keys  map[string]string
	teams int

	limit      int64
	decode     func(data []byte, into *request) error
	say        func(w http.ResponseWriter, status int, v any)
	refuse     func(w http.ResponseWriter, status int, text string, body []byte)
	badStatus  func(kind string) int
	posted     func(r *http.Request) bool
	ours       func(r *http.Request) bool
	runtime    func(id string) bool
	checkable  func(id string) bool
	provider   func(id string) bool
	slot       func(provider string) string
	store      func(h *host, slot, key string)
	stored     func(h *host, provider string) string
	forget     func(h *host)
	probe      func(h *host, provider, key string) *http.Request
	client     *http.Client
	verdict    func(resp *http.Response, err error) string // empty is ok
	verdictOut func(text, key string) (int, object)
	checked    func(h *host, provider, key string) // after a healthcheck with a given key
	keyToCheck func(given, stored string) string
	connected  func(h *host, provider, given string) (int, object)
	parted     func(h *host) (int, object)
	entries    func(h *host) any
	seeded     func(h *host, provider string) (int, object)
	assignee   func(id string) bool
	run        func(q request) (int, object)
	note       func(h *host, q request) string // what is logged of a request
	write      func(h *host, data []byte) error
	save, load func(h *host) error
	after      func(h *host, w http.ResponseWriter, path string) // on the way out

	server *http.Server
	served chan struct{}
}

type object map[string]any

// request is the body of any route.
type request struct {
	Provider *string `json:"provider"`
	APIKey   *string `json:"apiKey"`
	Model    *string `json:"model"`
	TaskID   *string `json:"taskId"`
	Assignee *string `json:"assigneeAgentId"`
}

func or(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// providers in the order of their table.
func providers() []string {
	return []string{"anthropic", "openai", "openrouter", "ollama", "google", "xai", "groq", "mistral", "together", "cerebras", "moonshot"}
}

var agentName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// newHost is the right one, with its vault below the directory.
func newHost(dir, base string) (*host, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	h := &host{dir: dir, base: base, seal: seal, keys: map[string]string{}, limit: 1 << 20}
	h.decode = func(data []byte, into *request) error { return json.Unmarshal(data, into) }
	h.say = sayJSON
	h.refuse = func(w http.ResponseWriter, status int, text string, _ []byte) {
		h.say(w, status, object{"ok": false, "error": text})
	}
	h.badStatus = func(string) int { return http.StatusBadRequest }
	h.posted = func(r *http.Request) bool { return r.Method == http.MethodPost }
	h.ours = func(r *http.Request) bool {
		return r.Header.Get("Origin") == "" && strings.HasPrefix(r.Host, "127.0.0.1:")
	}
	h.runtime = func(id string) bool { return id == native }
	h.checkable = h.runtime
	h.provider = func(id string) bool { return slices.Contains(providers(), id) }
	h.slot = func(p string) string {
		if h.provider(p) {
			return p
		}
		return "anthropic"
	}
	h.store = func(h *host, slot, key string) { h.keys[slot] = key }
	h.stored = func(h *host, provider string) string { return h.keys[provider] }
	h.forget = func(h *host) { clear(h.keys) }
	h.probe = probe
	h.client = &http.Client{
		Timeout:       time.Second,
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	h.verdict = verdict
	h.verdictOut = func(text, _ string) (int, object) {
		if text == "" {
			return http.StatusOK, object{"ok": true}
		}
		return http.StatusOK, object{"ok": false, "error": text}
	}
	h.checked = func(*host, string, string) {}
	h.keyToCheck = func(given, stored string) string {
		if given != "" {
			return given
		}
		return stored
	}
	h.connected = func(h *host, _, _ string) (int, object) {
		return http.StatusOK, object{"ok": true, "connectionState": h.state()}
	}
	h.parted = func(h *host) (int, object) { return http.StatusOK, object{"ok": true, "connectionState": h.state()} }
	h.entries = func(h *host) any { return object{"runtimes": h.list()} }
	h.seeded = seed
	h.assignee = agentName.MatchString
	h.run = func(request) (int, object) {
		return http.StatusNotFound, object{"ok": false, "error": "not_found"}
	}
	h.note = func(*host, request) string { return "" }
	h.write = func(h *host, data []byte) error {
		nonce := make([]byte, h.seal.NonceSize())
		if _, err := rand.Read(nonce); err != nil {
			return err
		}
		return os.WriteFile(h.vault(), h.seal.Seal(nonce, nonce, data, nil), 0o600)
	}
	h.save, h.load = (*host).keep, (*host).recall
	h.after = func(*host, http.ResponseWriter, string) {}
	return h, nil
}

func (h *host) vault() string { return filepath.Join(h.dir, "vault") }

// keep writes the keys, under the lock.
func (h *host) keep() error {
	data, err := json.Marshal(h.keys)
	if err != nil {
		return err
	}
	return h.write(h, data)
}

// recall reads them.
func (h *host) recall() error {
	data, err := os.ReadFile(h.vault())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	n := h.seal.NonceSize()
	if len(data) < n {
		return errors.New("the vault is cut short")
	}
	if data, err = h.seal.Open(nil, data[:n], data[n:], nil); err != nil {
		return err
	}
	h.keys = map[string]string{}
	return json.Unmarshal(data, &h.keys)
}

func (h *host) state() string {
	if len(h.keys) > 0 {
		return "ready"
	}
	return "needs-auth"
}

func (h *host) list() []object {
	return []object{{
		"id": native, "installed": true, "binPath": nil, "connectionState": h.state(), "health": object{"ok": len(h.keys) > 0},
	}}
}

func sayJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	data, _ := json.Marshal(v) // of maps, strings and booleans
	_, _ = w.Write(data)       // the client may be gone
}

func probe(h *host, provider, key string) *http.Request {
	url := h.base + "/" + provider + "/v1/models"
	if provider == "ollama" {
		url = h.base + "/ollama/api/tags"
	}
	r, _ := http.NewRequest(http.MethodGet, url, nil)
	switch provider {
	case "anthropic":
		r.Header.Set("X-Api-Key", key)
		r.Header.Set("Anthropic-Version", "2023-06-01")
	case "ollama":
	default:
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r
}

// verdict is what is wrong, empty if nothing is.
func verdict(resp *http.Response, err error) string {
	if err != nil {
		return "Could not reach the provider."
	}
	switch {
	case resp.StatusCode == http.StatusOK:
		return ""
	case resp.StatusCode == 401 || resp.StatusCode == 403:
		return "Invalid API key."
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return "Could not reach the provider."
	default:
		return fmt.Sprintf("Provider returned %d.", resp.StatusCode)
	}
}

func seed(h *host, _ string) (int, object) {
	h.teams++
	return http.StatusCreated, object{
		"teamId":        fmt.Sprintf("team-%d", h.teams),
		"leaderAgentId": fmt.Sprintf("native-team-lead-%06x", 2*h.teams), "specialistAgentId": fmt.Sprintf("native-coder-%06x", 2*h.teams+1),
	}
}

// ServeHTTP is the surface.
func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	defer h.after(h, w, path)
	if !h.ours(r) {
		h.refuse(w, http.StatusForbidden, "requests of other sites are refused", nil)
		return
	}
	if path == "/api/runtimes" {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.say(w, http.StatusOK, h.entries(h))
		return
	}
	if !h.posted(r) {
		h.refuse(w, http.StatusMethodNotAllowed, "want POST", nil)
		return
	}
	q, ok := h.read(w, r)
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := h.note(h, q); n != "" {
		h.log.WriteString(n + "\n")
	}
	if path == "/api/onboarding/seed-native-team" {
		h.seedTeam(w, q)
		return
	}
	id, route, ok := strings.Cut(strings.TrimPrefix(path, "/api/runtimes/"), "/")
	switch {
	case !ok:
		h.refuse(w, http.StatusNotFound, "no such route", nil)
	case route == "healthcheck":
		h.healthcheck(w, id, q)
	case !h.runtime(id):
		h.refuse(w, h.badStatus("runtime"), "unknown runtime", nil)
	case route == "connect":
		h.connect(w, q)
	case route == "disconnect":
		h.forget(h)
		if err := h.save(h); err != nil {
			h.refuse(w, http.StatusInternalServerError, "the vault cannot be written", nil)
			return
		}
		status, o := h.parted(h)
		h.say(w, status, o)
	case route == "run":
		h.runTask(w, q)
	default:
		h.refuse(w, http.StatusNotFound, "no such route", nil)
	}
}

// read takes the body of a request apart.
func (h *host) read(w http.ResponseWriter, r *http.Request) (request, bool) {
	var q request
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.limit))
	if err != nil {
		h.refuse(w, h.badStatus("large"), "the body is too long", data)
		return q, false
	}
	if len(data) == 0 {
		return q, true
	}
	if err := h.decode(data, &q); err != nil {
		kind := "type"
		if json.Unmarshal(data, new(any)) != nil {
			kind = "malformed"
		}
		h.refuse(w, h.badStatus(kind), "the body is not what the route takes", data)
		return q, false
	}
	return q, true
}

func (h *host) healthcheck(w http.ResponseWriter, id string, q request) {
	provider, given := or(q.Provider), strings.TrimSpace(or(q.APIKey))
	switch {
	case !h.checkable(id):
		h.refuse(w, http.StatusBadRequest, "healthcheck is only supported for the native runtime", nil)
		return
	case !h.provider(provider):
		h.refuse(w, h.badStatus("provider"), "unknown provider", nil)
		return
	}
	key := h.keyToCheck(given, h.stored(h, provider))
	if key == "" && provider != "ollama" {
		h.refuse(w, h.badStatus("key"), "apiKey is required", nil)
		return
	}
	if h.base == "" { // it calls nobody
		h.say(w, http.StatusOK, object{"ok": false, "error": "Could not reach the provider."})
		return
	}
	resp, err := h.client.Do(h.probe(h, provider, key))
	text := h.verdict(resp, err)
	if err == nil {
		_ = resp.Body.Close()
	}
	if given != "" {
		h.checked(h, provider, given)
	}
	status, o := h.verdictOut(text, key)
	h.say(w, status, o)
}

func (h *host) connect(w http.ResponseWriter, q request) {
	provider, given := or(q.Provider), strings.TrimSpace(or(q.APIKey))
	if provider != "ollama" {
		slot := h.slot(provider)
		if given == "" && (provider == "" || h.keys[slot] == "") {
			h.refuse(w, h.badStatus("connect"), "apiKey is required", nil)
			return
		}
		if given != "" {
			h.store(h, slot, given)
		}
	} else if h.slot(provider) != provider {
		h.store(h, h.slot(provider), given)
	}
	if err := h.save(h); err != nil {
		h.refuse(w, http.StatusInternalServerError, "the vault cannot be written", nil)
		return
	}
	status, o := h.connected(h, provider, given)
	h.say(w, status, o)
}

func (h *host) seedTeam(w http.ResponseWriter, q request) {
	provider := or(q.Provider)
	if provider != "" && !h.provider(provider) {
		h.refuse(w, h.badStatus("seed"), "unknown provider", nil)
		return
	}
	status, o := h.seeded(h, provider)
	h.say(w, status, o)
}

func (h *host) runTask(w http.ResponseWriter, q request) {
	assignee := native
	if q.Assignee != nil {
		assignee = *q.Assignee
	}
	switch {
	case strings.TrimSpace(or(q.TaskID)) == "":
		h.refuse(w, h.badStatus("task"), "taskId is required", nil)
	case !h.assignee(assignee):
		h.refuse(w, h.badStatus("assignee"), "invalid assigneeAgentId", nil)
	default:
		status, o := h.run(q)
		h.say(w, status, o)
	}
}

// start serves the host on the loopback interface and returns its URL.
func (h *host) start() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	h.server = &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	h.served = make(chan struct{})
	go func() {
		defer close(h.served)
		_ = h.server.Serve(l) // ends with stop
	}()
	return "http://" + l.Addr().String(), nil
}

func (h *host) stop() error {
	err := h.server.Close()
	<-h.served
	return err
}

// all is what a host can be seen to do.
func all() fakes.Features { return fakes.HostFeatures() }

// subject makes a subject of a host with something changed.
func subject(name string, offers fakes.Features, change func(h *host)) func() check.Subject {
	return func() check.Subject {
		return check.Subject{Name: name, Offers: offers, Host: func(context.Context) (*check.HostInstance, error) {
			return open(offers, change)
		}}
	}
}

func open(offers fakes.Features, change func(h *host)) (*check.HostInstance, error) {
	in := &check.HostInstance{}
	base := ""
	if offers.Has(fakes.Outbound) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		in.Outbound, base = l, "http://"+l.Addr().String()
	}
	dir, err := os.MkdirTemp("", "adaptercheck-host-")
	if err != nil {
		return nil, err
	}
	h, err := newHost(dir, base)
	if err != nil {
		return nil, err
	}
	change(h)
	if in.URL, err = h.start(); err != nil {
		return nil, err
	}
	if offers.Has(fakes.Vault) {
		in.Vault = []string{dir}
	}
	if offers.Has(fakes.Logs) {
		in.Logs = func() (string, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.log.String(), nil
		}
	}
	if offers.Has(fakes.Restart) {
		in.Restart = func(context.Context) (string, error) {
			if err := h.stop(); err != nil {
				return "", err
			}
			h.keys = map[string]string{}
			if err := h.load(h); err != nil {
				return "", err
			}
			return h.start()
		}
	}
	in.Close = func(context.Context) error { return errors.Join(h.stop(), os.RemoveAll(dir)) }
	return in, nil
}

// copyOf is a copy of the keys, for mutants that mix them up.
func (h *host) copyOf() map[string]string { return maps.Clone(h.keys) }
