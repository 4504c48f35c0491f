package boundary_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

func TestBlank(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, " \t\r\n": true, "\ufeff": true, "\u2028\u3000": true, "\u0085": false, "\u200b": false, " x ": false,
	} {
		if got := boundary.Blank(s); got != want {
			t.Errorf("Blank(%q) = %t", s, got)
		}
	}
	if got := boundary.Trim("\ufeff a b\u2029"); got != "a b" {
		t.Errorf("Trim = %q", got)
	}
}

func TestCheckModel(t *testing.T) {
	for _, c := range []struct {
		name  string
		model *history.Model
		want  string
	}{
		{"none", nil, ""},
		{"right", &history.Model{Provider: "p", ID: "m", ContextWindow: 0.5}, ""},
		{"provider", &history.Model{Provider: " ", ID: "m", ContextWindow: 1}, "provider"},
		{"id", &history.Model{Provider: "p", ContextWindow: 1}, "id"},
		{"no window", &history.Model{Provider: "p", ID: "m"}, "window"},
		{"endless window", &history.Model{Provider: "p", ID: "m", ContextWindow: math.Inf(1)}, "window"},
		{"no number", &history.Model{Provider: "p", ID: "m", ContextWindow: math.NaN()}, "window"},
	} {
		err := boundary.CheckModel(c.model)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestRealRoot(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, file := filepath.Join(base, "dir"), filepath.Join(base, "file")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := boundary.RealRoot(filepath.Join(dir, "..", "dir")); err != nil || got != dir {
		t.Errorf("got %q, %v", got, err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(dir, link); err == nil {
		if got, err := boundary.RealRoot(link); err != nil || got != dir {
			t.Errorf("through a link: got %q, %v", got, err)
		}
	}
	for _, bad := range []string{file, filepath.Join(base, "none")} {
		if got, err := boundary.RealRoot(bad); err == nil {
			t.Errorf("%s: got %q", filepath.Base(bad), got)
		}
	}
}
