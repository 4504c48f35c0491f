package privacy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// ErrConfig is wrapped by every error of [New].
var ErrConfig = errors.New("privacy configuration")

// Config is a privacy policy. The zero value is the default policy: on, text is
// normal unless marked, ollama, llama-cpp and lmstudio are local, remote providers
// see normal and internal, secrets are taken out.
type Config struct {
	// Disabled lets every payload pass as it is. It is still copied, and what cannot
	// be copied is still refused.
	Disabled bool
	// DefaultClass is the class of unmarked text; empty is Normal.
	DefaultClass Class
	// LocalProviders are the exact names of providers on this machine, compared
	// without case and outer white space. Every other provider is remote. Nil is the
	// default list, an empty list is none.
	LocalProviders []string
	// RemoteDefaultAllowed are the classes that a remote provider without a rule of
	// its own may see. It is a set, not a ceiling. Nil is Normal and Internal.
	RemoteDefaultAllowed []Class
	// RemoteProviders are rules for single remote providers, by name.
	RemoteProviders map[string][]Class
	// KeepSecrets leaves secrets in what remote providers get.
	KeepSecrets bool
}

func (c Config) withDefaults() Config {
	if c.DefaultClass == "" {
		c.DefaultClass = Normal
	}
	if c.LocalProviders == nil {
		c.LocalProviders = []string{"ollama", "llama-cpp", "lmstudio"}
	}
	if c.RemoteDefaultAllowed == nil {
		c.RemoteDefaultAllowed = []Class{Normal, Internal}
	}
	return c
}

// Engine applies one policy. It has no state beyond it and may be used by several
// goroutines.
type Engine struct {
	disabled    bool
	keepSecrets bool
	base        Class
	local       map[string]bool
	remote      map[string]classSet
	allowed     classSet
	version     string
}

// New checks a policy and makes its engine. A policy is refused, with [ErrConfig],
// for an unknown or repeated class, for local-only in a list for remote providers,
// for a blank or repeated provider name, and for a provider that is both local and
// remote.
func New(cfg Config) (*Engine, error) {
	cfg = cfg.withDefaults()
	e := &Engine{
		disabled:    cfg.Disabled,
		keepSecrets: cfg.KeepSecrets,
		base:        cfg.DefaultClass,
		local:       map[string]bool{},
		remote:      map[string]classSet{},
	}
	if cfg.DefaultClass.rank() < 0 {
		return nil, fmt.Errorf("%w: default class is none of normal, internal, sensitive, local-only", ErrConfig)
	}
	for i, name := range cfg.LocalProviders {
		folded := fold(name)
		switch {
		case folded == "":
			return nil, fmt.Errorf("%w: local provider %d: blank name", ErrConfig, i)
		case e.local[folded]:
			return nil, fmt.Errorf("%w: local provider %d: named twice", ErrConfig, i)
		}
		e.local[folded] = true
	}
	if err := checkRemote("remote default", cfg.RemoteDefaultAllowed); err != nil {
		return nil, err
	}
	e.allowed = setOf(cfg.RemoteDefaultAllowed)
	for _, name := range slices.Sorted(maps.Keys(cfg.RemoteProviders)) {
		where := fmt.Sprintf("remote provider %q", name)
		folded := fold(name)
		_, twice := e.remote[folded]
		switch {
		case folded == "":
			return nil, fmt.Errorf("%w: %s: blank name", ErrConfig, where)
		case twice:
			return nil, fmt.Errorf("%w: %s: named twice", ErrConfig, where)
		case e.local[folded]:
			return nil, fmt.Errorf("%w: %s: is a local provider too", ErrConfig, where)
		}
		if err := checkRemote(where, cfg.RemoteProviders[name]); err != nil {
			return nil, err
		}
		e.remote[folded] = setOf(cfg.RemoteProviders[name])
	}
	e.version = cfg.version()
	return e, nil
}

func checkRemote(where string, classes []Class) error {
	var seen classSet
	for i, c := range classes {
		switch {
		case c.rank() < 0:
			return fmt.Errorf("%w: %s, class %d: unknown", ErrConfig, where, i)
		case c == LocalOnly:
			return fmt.Errorf("%w: %s, class %d: local-only never leaves the machine", ErrConfig, where, i)
		case seen.has(c):
			return fmt.Errorf("%w: %s, class %d: named twice", ErrConfig, where, i)
		}
		seen |= setOf(classes[i : i+1])
	}
	return nil
}

// Destination says where a provider is. Every provider is remote unless its exact
// name is listed.
func (e *Engine) Destination(provider string) history.Destination {
	if e.local[fold(provider)] {
		return history.Local
	}
	return history.Remote
}

// Version identifies the policy: the SHA-256, in lower-case hexadecimal, of its
// canonical JSON form.
func (e *Engine) Version() string { return e.version }

// allowedFor is the set of classes that a provider may see.
func (e *Engine) allowedFor(provider string) classSet {
	folded := fold(provider)
	if e.local[folded] {
		return everyClass
	}
	if set, ok := e.remote[folded]; ok {
		return set
	}
	return e.allowed
}

// version hashes the policy in the form that other implementations of the
// reference runtime use, so that equal policies have equal versions.
func (c Config) version() string {
	var b []byte
	quote := func(s string) { b, _ = jsontext.AppendQuote(b, s) }
	classes := func(list []Class) {
		b = append(b, '[')
		for i, s := range list {
			if i > 0 {
				b = append(b, ',')
			}
			quote(string(s))
		}
		b = append(b, ']')
	}
	b = append(b, `{"defaultClassification":`...)
	quote(string(c.DefaultClass))
	b = fmt.Appendf(b, `,"enabled":%t,"localProviders":[`, !c.Disabled)
	for i, name := range c.LocalProviders {
		if i > 0 {
			b = append(b, ',')
		}
		quote(name)
	}
	b = fmt.Appendf(b, `],"redactSecrets":%t,"remoteDefaultAllowed":`, !c.KeepSecrets)
	classes(c.RemoteDefaultAllowed)
	b = append(b, `,"remoteProviders":{`...)
	names := slices.SortedFunc(maps.Keys(c.RemoteProviders), compareUnits)
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		quote(name)
		b = append(b, ':')
		classes(c.RemoteProviders[name])
	}
	b = append(b, "}}"...)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// compareUnits orders strings by their UTF-16 code units.
func compareUnits(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// fold is a provider's name without outer white space and without ASCII case.
// Other letters are not folded: a name that only looks like a local one is remote.
func fold(name string) string {
	name = strings.TrimFunc(name, isSpace)
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// isSpace is the white space of the contract, which is JavaScript's.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680,
		r >= 0x2000 && r <= 0x200A, r == 0x2028, r == 0x2029, r == 0x202F,
		r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}
