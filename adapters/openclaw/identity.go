package openclaw

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// identityFile is the name of the device's key in Options.IdentityDir.
const identityFile = "openclaw-device.json"

// identity is the device that the gateway knows this host as.
type identity struct{ key ed25519.PrivateKey }

// storedIdentity is an identity as it stands on disk.
type storedIdentity struct {
	Version int    `json:"version"`
	Seed    string `json:"seed"` // base64url
}

func newIdentity() (identity, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return identity{}, fmt.Errorf("make a device key: %w", err)
	}
	return identity{key}, nil
}

// loadIdentity reads the device's key from the directory, or makes both. The file is
// for its owner alone; one that others can read is refused, as they may have the key.
func loadIdentity(dir string) (identity, error) {
	path := filepath.Join(dir, identityFile)
	id, err := readIdentity(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return identity{}, fmt.Errorf("keep the device key: %w", err)
	}
	if id, err = newIdentity(); err != nil {
		return identity{}, err
	}
	switch err = writeIdentity(dir, path, id); {
	case errors.Is(err, fs.ErrExist): // another process was quicker: that one is known from now on
		return readIdentity(path)
	case err != nil:
		return identity{}, fmt.Errorf("keep the device key: %w", err)
	}
	return id, nil
}

func readIdentity(path string) (identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return identity{}, fmt.Errorf("read the device key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return identity{}, fmt.Errorf("device key %s: mode %04o, want 0600", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return identity{}, fmt.Errorf("read the device key: %w", err)
	}
	var stored storedIdentity
	seed, bad := []byte(nil), json.Unmarshal(data, &stored)
	if bad == nil {
		seed, bad = base64.RawURLEncoding.DecodeString(stored.Seed)
	}
	if bad != nil || stored.Version != 1 || len(seed) != ed25519.SeedSize {
		return identity{}, fmt.Errorf("device key %s: not a key of this adapter", path)
	}
	return identity{ed25519.NewKeyFromSeed(seed)}, nil
}

// writeIdentity puts the key in its place in one step, and never over another one.
func writeIdentity(dir, path string, id identity) error {
	text, err := json.Marshal(storedIdentity{Version: 1, Seed: encode(id.key.Seed())})
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".openclaw-device-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}

// encode is base64url without padding, as the gateway has it.
func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// device is what a connect request says of the device.
type device struct {
	ID        string `json:"id"`
	PublicKey string `json:"publicKey"`
	Signature string `json:"signature"`
	SignedAt  int64  `json:"signedAt"`
	Nonce     string `json:"nonce"`
}

// sign answers the challenge: it signs what the connect request says, version 3.
func (i identity) sign(p *connectParams, nonce string, at int64) device {
	public := []byte(i.key.Public().(ed25519.PublicKey))
	id := sha256.Sum256(public)
	d := device{ID: hex.EncodeToString(id[:]), PublicKey: encode(public), SignedAt: at, Nonce: nonce}
	signed := strings.Join([]string{
		"v3", d.ID, p.Client.ID, p.Client.Mode, p.Role, strings.Join(p.Scopes, ","), strconv.FormatInt(at, 10),
		p.Auth.Token, nonce, p.Client.Platform, "", // no device family
	}, "|")
	d.Signature = encode(ed25519.Sign(i.key, []byte(signed)))
	return d
}
