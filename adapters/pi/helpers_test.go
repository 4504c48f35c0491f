package pi_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

// canary is content that no error and no diagnostic may repeat.
const canary = "canary-51c8"

// lines makes a session file of a header for the root and some entries.
func lines(root string, entries ...string) string {
	header := `{"type":"session","version":3,"id":"s1","timestamp":"2027-01-15T08:00:00.000Z","cwd":` + quoted(root) + `}`
	return strings.Join(append([]string{header}, entries...), "\n") + "\n"
}

func quoted(s string) string { return string(history.Some(s).Text()) }

// say is a message entry.
func say(id, parent, message string) string {
	if parent != "null" {
		parent = quoted(parent)
	}
	return `{"type":"message","id":` + quoted(id) + `,"parentId":` + parent + `,"timestamp":"2027-01-15T08:00:01.500Z","message":` + message + `}`
}

// user is a message of the user.
func user(id, parent, text string) string {
	return say(id, parent, `{"role":"user","content":`+quoted(text)+`}`)
}

// place is a root and a session file in it.
type place struct{ root, path string }

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return place{root, filepath.Join(t.TempDir(), "session.jsonl")}
}

func (p place) write(t *testing.T, content string) {
	t.Helper()
	if err := os.WriteFile(p.path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lay writes a session of some entries.
func (p place) lay(t *testing.T, entries ...string) {
	t.Helper()
	p.write(t, lines(p.root, entries...))
}

// adapter makes an adapter for a trusted project, with something changed.
func (p place) adapter(t *testing.T, change ...func(*pi.Options)) *pi.Adapter {
	t.Helper()
	o := pi.Options{Path: p.path, ProjectRoot: p.root, Trusted: true}
	for _, f := range change {
		f(&o)
	}
	a, err := pi.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func withLeaf(id string) func(*pi.Options) { return func(o *pi.Options) { o.Leaf = id } }

func snapshot(t *testing.T, a *pi.Adapter) history.Snapshot {
	t.Helper()
	s, err := a.SnapshotHistory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ids(s history.Snapshot) string {
	var out []string
	for _, m := range s.Messages {
		out = append(out, m.SourceEntryID)
	}
	return strings.Join(out, " ")
}

func codesOf(a *pi.Adapter) []history.DiagnosticCode {
	var out []history.DiagnosticCode
	for _, d := range a.Diagnostics() {
		out = append(out, d.Code)
	}
	return out
}

// open is a policy that changes nothing.
type open struct{}

func (open) Enforce(_ context.Context, provider string, payload any) (history.PrivacyResult, error) {
	return history.PrivacyResult{Provider: provider, Destination: history.Remote, Payload: payload}, nil
}

// shut is a policy that lets nothing through.
type shut struct{}

func (shut) Enforce(context.Context, string, any) (history.PrivacyResult, error) {
	return history.PrivacyResult{}, errors.New(canary)
}
