package hostmutants

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
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

func sayJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	data, _ := json.Marshal(v) // of maps, strings and booleans
	_, _ = w.Write(data)       // the client may be gone
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
