package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/internal/config"
)

// The test to start from passes as it stands, in a module of its own.
func TestInitGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	own, _, _ := strings.Cut(string(module), "\ntool (") // the tools are not ours to need
	own = strings.Replace(own, "module github.com/adaptercheck/adaptercheck", "module example.org/mine", 1) +
		"\nrequire github.com/adaptercheck/adaptercheck v0.0.0\nreplace github.com/adaptercheck/adaptercheck => " + filepath.ToSlash(root) + "\n"
	for name, text := range map[string]string{"go.mod": own, "go.sum": string(sums)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	if got := run([]string{"init", "--go"}, system{stdout: &said, stderr: &said}); got != exitGood {
		t.Fatalf("exit code %d: %s", got, said.String())
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-mod=mod", "-run", "TestAdapter/executor.identity", "-v", ".")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestAdapter")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// What init writes is what run reads.
func TestInitWritesAConfiguration(t *testing.T) {
	for _, s := range append(starters(), plain) {
		t.Run(s.flag, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var said bytes.Buffer
			if err := (system{stdout: &said}).init(s); err != nil {
				t.Fatal(err)
			}
			c, err := config.Load(config.File, config.Known{})
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Contains(s.subjects, "my-adapter"); (len(c.Subjects) == 1) != want {
				t.Errorf("subjects %v", c.Subjects)
			}
			// Each key that it only tells of is one: the first # of a line is taken away.
			text, err := os.ReadFile(config.File)
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(string(text), "\nschema: ")
			var whole strings.Builder
			for line := range strings.Lines("schema: " + body) {
				if key, after, told := strings.Cut(line, "# "); told && strings.TrimSpace(key) == "" {
					line = key + after
				}
				whole.WriteString(line)
			}
			if _, err := config.Parse(config.File, []byte(whole.String()), config.Known{Fakes: []string{"codex"}}); err != nil {
				t.Errorf("%v in\n%s", err, whole.String())
			}
		})
	}
}
