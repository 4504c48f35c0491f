package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/adaptercheck/adaptercheck/adapters/native"
	"github.com/adaptercheck/adaptercheck/adapters/native/host/vault"
	"github.com/adaptercheck/adaptercheck/adapters/native/provider"
	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

// Host is one host. Its methods may be called from several goroutines.
type Host struct {
	o       Options
	vault   *vault.Vault
	adapter *native.Adapter
	agents  agents
	probing *http.Client
	places  places

	// life ends with Close, and runs with it.
	life    context.Context
	endLife context.CancelFunc
	mu      sync.Mutex // of what follows, and of what adds to runs
	closed  bool
	store   *store.Store // nil until something needs it
	runs    sync.WaitGroup
}

// storeFile holds the team's things, below the home.
const storeFile = "team.db"

// New makes the host's home and looks into its vault. It calls nobody. The host is the
// caller's to close.
func New(o Options) (*Host, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Home, 0o700); err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	h := &Host{o: o, vault: vault.New(filepath.Join(o.Home, "vault")), agents: agents{o.Home, o.Now}, probing: probing(o.ProbeTimeout)}
	// A vault that cannot be read would look like one without keys.
	if _, err := h.vault.Read(); err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	h.life, h.endLife = context.WithCancel(context.Background())
	h.adapter = native.New(native.Options{
		Home: o.Home, Config: h.agents.config, Keys: h.key, BaseURLs: o.BaseURLs, Tools: h.tools, HTTPClient: o.HTTPClient, Now: o.Now,
	})
	return h, nil
}

// team opens the store of the team's things, once.
func (h *Host) team() (*store.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store != nil {
		return h.store, nil
	}
	s, err := store.Open(filepath.Join(h.o.Home, storeFile))
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	h.store = s
	return s, nil
}

// enter counts a run, unless the host is closing, and returns what takes it off again.
func (h *Host) enter() (done func(), open bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, false
	}
	h.runs.Add(1)
	return h.runs.Done, true
}

// Close ends what runs, waits for it, and closes the files.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.endLife()
	h.runs.Wait()
	h.probing.CloseIdleConnections()
	err := h.adapter.Dispose(context.Background())
	if h.store != nil {
		err = errors.Join(err, h.store.Close())
	}
	return err
}

// keys are what the names of variables resolve to at one moment.
type keys struct {
	held vault.Keys
	env  func(name string) string
}

// keys reads the vault, once. One that cannot be read has no keys, and the log says so.
func (h *Host) keys() keys {
	held, err := h.vault.Read()
	if err != nil {
		h.o.Log.Error("the vault cannot be read", "error", err)
	}
	return keys{held, h.o.Env}
}

// of resolves the name of a variable: the environment, unless the runtime was
// disconnected, and then the vault.
func (k keys) of(env string) string {
	if !k.held.Only() || env == provider.EnvOllama {
		if v := strings.TrimSpace(k.env(env)); v != "" {
			return v
		}
	}
	return k.held.Get(env)
}

// reach reports whether the provider can be asked.
func (k keys) reach(s provider.Spec) bool {
	if s.Keyless() {
		return k.of(provider.EnvOllama) != ""
	}
	return k.of(s.KeyEnv) != ""
}

// ready reports whether there is a provider that can be asked. It calls nobody.
func (k keys) ready() bool { return slices.ContainsFunc(provider.All(), k.reach) }

// connection is the word for it.
func (k keys) connection() string {
	if k.ready() {
		return "ready"
	}
	return "needs-auth"
}

// key resolves one name.
func (h *Host) key(env string) string { return h.keys().of(env) }
