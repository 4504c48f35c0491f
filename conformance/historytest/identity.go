package historytest

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// versionForm is what a version looks like: one word that begins with a letter or
// a digit.
var versionForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._+~:-]{0,127}$`) })

func identityChecks() []check.Check {
	return []check.Check{
		// An adapter names the exact version of the contract that it was written for.
		{
			ID: "history.identity.contract-version", Case: "identity", Clause: "history#contract-version",
			Level: check.Must, Provenance: check.Stated, Codes: codes("contract-version-wrong"),
			Title: "names the contract version exactly",
			Run: with(func(ctx context.Context, t *T) {
				got := t.identity(ctx).ContractVersion
				t.demand(got == history.ContractVersion, "contract-version-wrong", "got %q", got)
			}),
		},
		// An adapter names the runtime that it adapts.
		{
			ID: "history.identity.runtime-id", Case: "identity", Clause: "history#identity",
			Level: check.Must, Provenance: check.Stated, Codes: codes("runtime-id-wrong"),
			Title: "names the runtime that it adapts",
			Run: with(func(ctx context.Context, t *T) {
				got := t.identity(ctx).RuntimeID
				t.demand(got == t.Fixture.RuntimeID, "runtime-id-wrong", "got %q", got)
			}),
		},
		// An adapter has a name and a version.
		{
			ID: "history.identity.names-adapter", Case: "identity", Clause: "history#identity",
			Level: check.Must, Provenance: check.Stated, Codes: codes("adapter-name-blank", "adapter-version-blank"),
			Title: "has a name and a version",
			Run: with(func(ctx context.Context, t *T) {
				got := t.identity(ctx)
				t.expect(!blank(got.AdapterName), "adapter-name-blank", "got %q", got.AdapterName)
				t.expect(!blank(got.AdapterVersion), "adapter-version-blank", "got %q", got.AdapterVersion)
			}),
		},
		// A version can be compared and put into a file name.
		{
			ID: "history.identity.version-form", Case: "identity", Clause: "history#adapter-version",
			Level: check.Should, Provenance: check.Decided, Codes: codes("adapter-version-form"),
			Title: "gives its version as one word",
			Run: with(func(ctx context.Context, t *T) {
				got := t.identity(ctx).AdapterVersion
				t.demand(versionForm().MatchString(got), "adapter-version-form", "got %q", got)
			}),
		},
		// The identity is a property of the adapter, not of the moment.
		{
			ID: "history.identity.stable", Case: "identity", Clause: "history#identity-stable",
			Level: check.Must, Provenance: check.Implied, Codes: codes("identity-changed"),
			Title: "keeps its identity for its whole life",
			Run: with(func(ctx context.Context, t *T) {
				first := t.identity(ctx)
				t.alive(ctx)
				t.talks(ctx)
				t.demand(t.identity(ctx) == first, "identity-changed", "after work")
				t.shutdown(ctx)
				t.demand(t.identity(ctx) == first, "identity-changed", "after shutdown")
			}),
		},
		// The trusted root is the session's own directory: not its parent, not
		// another, not a relative path.
		{
			ID: "history.identity.trusted-root", Case: "identity", Clause: "history#trusted-root",
			Level: check.Must, Provenance: check.Stated,
			Codes: codes("root-missing", "root-relative", "root-broadened", "root-wrong", "root-unlike-factory"),
			Title: "trusts exactly the project root of its session",
			Run: with(func(ctx context.Context, t *T) {
				got := t.root(ctx)
				t.demand(!blank(got), "root-missing", "got %q", got)
				t.demand(filepath.IsAbs(got), "root-relative", "got %q", got)
				real, err := filepath.EvalSymlinks(got)
				t.demand(err == nil, "root-wrong", "the root does not exist")
				t.demand(real == t.Root || !strings.HasPrefix(t.Root, strings.TrimSuffix(real, string(os.PathSeparator))+string(os.PathSeparator)), "root-broadened", "got %q", got)
				t.demand(real == t.Root, "root-wrong", "got %q, want %q", got, t.Root)
				said := t.Instance.Root
				t.demand(said == "" || said == got, "root-unlike-factory", "got %q, the factory says %q", got, said)
			}),
		},
		// A root that leads through a link can be pointed elsewhere behind the back of
		// whoever trusts it.
		{
			ID: "history.identity.root-real", Case: "identity", Clause: "history#root-real",
			Level: check.Should, Provenance: check.Decided, Codes: codes("root-through-link"),
			Title: "gives its project root without symbolic links",
			Run: with(func(ctx context.Context, t *T) {
				got := t.root(ctx)
				t.demand(got == t.Root, "root-through-link", "got %q, want %q", got, t.Root)
			}),
		},
	}
}
