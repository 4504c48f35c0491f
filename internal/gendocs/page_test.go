package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// The pages are what the catalogue says now, and there are no others. A difference
// is mended by: go run ./internal/gendocs
func TestPagesAreCurrent(t *testing.T) {
	const dir = "../../docs/checks"
	want, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(want[name], "\n"), strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")); diff != "" {
			t.Errorf("docs/checks/%s is not current, run: go run ./internal/gendocs (-want +got):\n%s", name, diff)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("docs/checks/%s is missing, run: go run ./internal/gendocs", name)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "executor.md")
	if err := os.WriteFile(stale, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	want, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, error %v", name, len(got), err)
		}
	}
	if err := write(filepath.Join(dir, "missing")); err == nil {
		t.Error("writing into a missing directory succeeds")
	}
}

func TestPage(t *testing.T) {
	ch := func(id string, level report.Level, needs ...check.Feature) check.Check {
		return check.Check{
			ID: id, Case: "identity", Clause: "executor#seq", Level: level, Provenance: check.Stated,
			Needs: needs, Codes: []check.Code{"one", "two"}, Title: "does " + id,
		}
	}
	text, err := page(report.Executor, []check.Check{
		ch("executor.events.a", check.Must, "tools", "deltas"), ch("executor.abort.b", check.Should), ch("executor.events.c", check.Must),
	})
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(text, "\n")
	if !strings.Contains(first, "Generated") || !strings.Contains(text, "\n3 checks: 2 MUST, 1 SHOULD.") {
		t.Errorf("the page begins with %s", text[:200])
	}
	_, body, _ := strings.Cut(text, "|---|---|\n")
	want := `| [events](#events) | 2 |
| [abort](#abort) | 1 |

## events

### executor.events.a

The adapter does executor.events.a.

* MUST · stated · case ` + "`identity`" + `
* Clause: [executor#seq](../contract/executor.md#seq), numbers rise
* Needs: ` + "`tools`, `deltas`" + `
* Codes: ` + "`one`, `two`" + `

### executor.events.c

The adapter does executor.events.c.

* MUST · stated · case ` + "`identity`" + `
* Clause: [executor#seq](../contract/executor.md#seq), numbers rise
* Codes: ` + "`one`, `two`" + `

## abort

### executor.abort.b

The adapter does executor.abort.b.

* SHOULD · stated · case ` + "`identity`" + `
* Clause: [executor#seq](../contract/executor.md#seq), numbers rise
* Codes: ` + "`one`, `two`" + `
`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	bad := ch("executor.events.a", check.Must)
	bad.Clause = "executor#none"
	if _, err := page(report.Executor, []check.Check{bad}); err == nil || !strings.Contains(err.Error(), "executor.events.a") {
		t.Errorf("a check of no clause: %v", err)
	}
}

// Every check of the catalogue is on a page, under its topic.
func TestEveryCheckHasAnEntry(t *testing.T) {
	all, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for name, text := range all {
		names = append(names, name)
		if strings.Count(text, "\n### ") != strings.Count(text, "\n* Clause: ") {
			t.Errorf("%s: a check without its clause", name)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"executor.md", "history.md", "host.md"}, names); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}
