package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"filippo.io/age"
	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"
)

// The files of a vault.
const (
	keysFile     = "keys.age"
	identityFile = "identity.txt"
	lockFile     = "lock"
)

// maxFile bounds what is read of a file, in bytes.
const maxFile = 1 << 20

// Vault is a directory with keys in it. It may be used from several goroutines.
type Vault struct {
	dir string
	mu  sync.RWMutex
}

// New names a vault. Nothing is read or made before the first call that needs it.
func New(dir string) *Vault { return &Vault{dir: dir} }

// Dir is where the vault is.
func (v *Vault) Dir() string { return v.dir }

// content is what is encrypted.
type content struct {
	Version int               `json:"version"`
	Keys    map[string]string `json:"keys"`
	// Only: keys of the environment do not count any more.
	Only bool `json:"only,omitzero"`
}

// Keys is what a vault holds at one moment.
type Keys struct{ c content }

// Get returns the key with the name, empty if there is none.
func (k Keys) Get(name string) string { return k.c.Keys[name] }

// Only reports whether the keys of the vault are the only ones that count, as they are
// from the first [Vault.Clear] on.
func (k Keys) Only() bool { return k.c.Only }

// Names lists the names of the keys, sorted.
func (k Keys) Names() []string { return slices.Sorted(maps.Keys(k.c.Keys)) }

// Read returns what the vault holds; nothing is in one that there is not. A file that
// cannot be decrypted is an error, which quotes nothing of it.
func (v *Vault) Read() (Keys, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	c, err := v.read()
	return Keys{c}, err
}

// Put keeps a key in the place of the one of that name.
func (v *Vault) Put(name, key string) error {
	return v.change(func(c *content) { c.Keys[name] = key })
}

// Clear takes every key away, and notes that those of the environment do not count any
// more.
func (v *Vault) Clear() error {
	return v.change(func(c *content) { clear(c.Keys); c.Only = true })
}

// change reads, alters and writes the vault, which nobody else changes meanwhile.
func (v *Vault) change(alter func(*content)) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	lock := flock.New(filepath.Join(v.dir, lockFile), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("vault: lock: %w", err)
	}
	defer lock.Unlock()
	c, err := v.read()
	if err != nil {
		return err
	}
	before := content{c.Version, maps.Clone(c.Keys), c.Only}
	alter(&c)
	if c.Only == before.Only && maps.Equal(c.Keys, before.Keys) {
		return nil
	}
	return v.write(c)
}

func (v *Vault) read() (content, error) {
	c := content{Version: 1, Keys: map[string]string{}}
	sealed, err := load(filepath.Join(v.dir, keysFile))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("vault: %w", err)
	}
	id, err := v.identity()
	if err != nil {
		return c, err
	}
	plain, err := age.Decrypt(bytes.NewReader(sealed), id)
	if err != nil {
		return c, fmt.Errorf("vault: %s does not open with %s: %w", keysFile, identityFile, err)
	}
	data, err := io.ReadAll(io.LimitReader(plain, maxFile))
	if err != nil {
		return c, fmt.Errorf("vault: %s is damaged: %w", keysFile, err)
	}
	// The error of a reader would quote what it cannot read.
	if json.Unmarshal(data, &c) != nil || c.Version != 1 {
		return c, fmt.Errorf("vault: %s holds something else than keys of version 1", keysFile)
	}
	if c.Keys == nil {
		c.Keys = map[string]string{}
	}
	return c, nil
}

func (v *Vault) write(c content) error {
	id, err := v.identity()
	if errors.Is(err, fs.ErrNotExist) {
		id, err = v.makeIdentity()
	}
	if err != nil {
		return err
	}
	plain, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, id.Recipient())
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = maybe.WriteFile(filepath.Join(v.dir, keysFile), sealed.Bytes(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("vault: write %s: %w", keysFile, err)
	}
	return nil
}

func (v *Vault) identity() (*age.X25519Identity, error) {
	text, err := load(filepath.Join(v.dir, identityFile))
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	id, err := age.ParseX25519Identity(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("vault: %s is no identity of age", identityFile) // the error quotes it
	}
	return id, nil
}

func (v *Vault) makeIdentity() (*age.X25519Identity, error) {
	id, err := age.GenerateX25519Identity()
	if err == nil {
		err = maybe.WriteFile(filepath.Join(v.dir, identityFile), []byte(id.String()+"\n"), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("vault: make %s: %w", identityFile, err)
	}
	return id, nil
}

// load reads a file that is not longer than a vault's can be.
func load(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is longer than %d bytes", filepath.Base(path), maxFile)
	}
	return data, err
}
