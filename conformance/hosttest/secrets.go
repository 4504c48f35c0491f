package hosttest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

func secretChecks() []check.Check {
	return []check.Check{
		// A key goes in and never comes out.
		{
			ID: "host.secrets.answers", Case: "surface", Clause: "host#keys-unsaid",
			Level: check.Must, Provenance: check.Stated, Codes: codes("key-in-answer"),
			Title: "repeats no key in an answer",
			Run: with(func(ctx context.Context, t *T) {
				for _, a := range t.exercise(ctx) {
					t.demand(!t.leaks(a.all()), "key-in-answer", "%s", a)
				}
			}),
		},
		// Providers quote the key that they refuse.
		{
			ID: "host.secrets.provider-text", Case: "healthcheck", Clause: "host#keys-unsaid", Needs: []check.Feature{fakes.Outbound},
			Level: check.Must, Provenance: check.Stated, Codes: codes("key-in-answer"),
			Title: "does not pass on what a provider says about a key",
			Run: with(func(ctx context.Context, t *T) {
				for _, code := range []int{401, 400, 500, 200} {
					key := t.key()
					t.Provider.answers(status(code, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`))
					for _, provider := range []string{anthropic, openrouter} {
						a := t.healthcheck(ctx, provider, key)
						t.demand(!t.leaks(a.all()), "key-in-answer", "%s", a)
					}
				}
			}),
		},
		{
			ID: "host.secrets.logs", Case: "surface", Clause: "host#keys-unlogged", Needs: []check.Feature{fakes.Logs},
			Level: check.Must, Provenance: check.Stated, Codes: codes("key-in-log"),
			Title: "writes no key into its log",
			Run: with(func(ctx context.Context, t *T) {
				t.exercise(ctx)
				log, err := t.Host.Logs()
				if err != nil {
					t.Cannot(err)
				}
				t.demand(!t.leaks(log), "key-in-log", "%d bytes of log", len(log))
			}),
		},
		// A key at rest is of no use to who finds the file.
		{
			ID: "host.secrets.vault", Case: "connect", Clause: "host#vault", Needs: []check.Feature{fakes.Vault},
			Level: check.Must, Provenance: check.Stated, Codes: codes("vault-missing", "key-in-vault", "vault-open-to-others"),
			Title: "keeps its keys encrypted, in files for nobody else",
			Run: with(func(ctx context.Context, t *T) {
				for _, provider := range keyed() {
					t.connected(ctx, provider, t.key())
				}
				files := t.vault()
				t.demand(len(files) > 0, "vault-missing", "nothing was written")
				for path, info := range files {
					open := info.Mode().Perm()&0o077 != 0
					t.demand(!open || runtime.GOOS == "windows", "vault-open-to-others", "%s has mode %v", path, info.Mode())
					if info.IsDir() {
						continue
					}
					data, err := os.ReadFile(path)
					if err != nil {
						t.Cannot(err)
					}
					t.demand(!t.leaks(string(data)), "key-in-vault", "%s", path)
				}
			}),
		},
	}
}

// exercise has the host handle keys in every way that there is, and returns what it said.
func (t *T) exercise(ctx context.Context) []answer {
	t.works(ctx)
	var said []answer
	for _, provider := range append(keyed(), "", "nobody", ollama) {
		said = append(said, t.connect(ctx, provider, t.key()), t.connect(ctx, provider, ""), t.get(ctx, "/api/runtimes"))
		if t.Provider != nil {
			t.Provider.answers(status(401, `{"error":{"message":"no `+t.keys[len(t.keys)-1]+`"}}`))
			said = append(said, t.healthcheck(ctx, provider, t.key()), t.healthcheck(ctx, provider, ""))
		}
	}
	said = append(said,
		t.post(ctx, nativePath+"/healthcheck", t.body("nobody", t.key())),
		t.post(ctx, "/api/runtimes/nobody/connect", t.body(anthropic, t.key())),
		t.raw(ctx, nativePath+"/connect", `{"apiKey":"`+t.key()),
		t.post(ctx, "/api/onboarding/seed-native-team", object{"provider": anthropic, "apiKey": t.key()}),
		t.post(ctx, nativePath+"/run", object{"taskId": "no-such-task", "apiKey": t.key()}),
		t.post(ctx, nativePath+"/disconnect", object{}), t.get(ctx, "/api/runtimes"))
	return said
}

// vault lists what there is of the vault, by path.
func (t *T) vault() map[string]fs.FileInfo {
	found := map[string]fs.FileInfo{}
	for _, root := range t.Host.Vault {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil {
				found[path] = info
			}
			return err
		})
		if err != nil {
			t.Cannot(err)
		}
	}
	return found
}
