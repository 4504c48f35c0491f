package vault_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/native/host/vault"
)

const secret = "sk-canary-0123456789abcdefghijklmnop"

func put(t *testing.T, v *vault.Vault, name, key string) {
	t.Helper()
	if err := v.Put(name, key); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, v *vault.Vault) vault.Keys {
	t.Helper()
	k, err := v.Read()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestVault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home", "vault")
	v := vault.New(dir)
	if k := read(t, v); k.Get("A") != "" || k.Only() || len(k.Names()) > 0 {
		t.Error("a vault that is not there holds something")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("reading made the directory")
	}
	put(t, v, "B", secret)
	put(t, v, "A", "first")
	put(t, v, "A", "second")
	again := read(t, vault.New(dir))
	if d := cmp.Diff([]string{"A", "B"}, again.Names()); d != "" || again.Get("A") != "second" || again.Get("B") != secret || again.Only() {
		t.Errorf("names (-want +got):\n%s", d)
	}
	if err := v.Clear(); err != nil {
		t.Fatal(err)
	}
	if k := read(t, vault.New(dir)); len(k.Names()) > 0 || !k.Only() {
		t.Error("a cleared vault holds keys, or lets others count")
	}
	put(t, v, "A", "third")
	if !read(t, v).Only() {
		t.Error("a new key lets those of the environment count again")
	}
}

// What lies on the disk gives no key away and is for nobody else; no file of a change is
// left over.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v := vault.New(dir)
	for i := range 5 {
		put(t, v, fmt.Sprint("K", i), secret)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(secret[10:20])) || bytes.Contains(data, []byte("K1")) {
			t.Errorf("%s shows what is in the vault", e.Name())
		}
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	if d := cmp.Diff([]string{"identity.txt", "keys.age", "lock"}, names); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v %v", info.Mode(), err)
	}
}

// Changes from several handles, as from several processes, are all there.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if err := vault.New(dir).Put(fmt.Sprint("K", i), secret); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(read(t, vault.New(dir)).Names()); n != 12 {
		t.Errorf("%d keys of 12", n)
	}
}

// A vault that cannot be read is not taken for an empty one, and is left as it is; no
// error quotes it.
func TestDamage(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"cut":              func(dir string) error { return os.Truncate(filepath.Join(dir, "keys.age"), 40) },
		"no identity":      func(dir string) error { return os.Remove(filepath.Join(dir, "identity.txt")) },
		"another identity": func(dir string) error { return os.WriteFile(filepath.Join(dir, "identity.txt"), []byte(secret), 0o600) },
		"too long": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "keys.age"), make([]byte, 2<<20), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			v := vault.New(dir)
			put(t, v, "A", secret)
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(filepath.Join(dir, "keys.age"))
			for what, err := range map[string]error{"read": func() error { _, err := v.Read(); return err }(), "put": v.Put("B", "x"), "clear": v.Clear()} {
				if err == nil || !strings.HasPrefix(err.Error(), "vault: ") || strings.Contains(err.Error(), secret) {
					t.Errorf("%s: %v", what, err)
				}
			}
			after, _ := os.ReadFile(filepath.Join(dir, "keys.age"))
			if !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}
