package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/adapters/native/host/worktree"
)

// repository makes one with a file and a hook that would leave a trace.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "a.txt"},
		{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false", "commit", "--quiet", "-m", "one"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	hook := "#!/bin/sh\ntouch '" + filepath.Join(dir, "hook-ran") + "'\n"
	if err := os.WriteFile(filepath.Join(dir, ".git", "hooks", "post-checkout"), []byte(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpen(t *testing.T) {
	repo, base := repository(t), filepath.Join(t.TempDir(), "trees")
	first, err := worktree.Open(t.Context(), repo, base, "task1")
	if err != nil {
		t.Fatal(err)
	}
	if first.Dir != filepath.Join(base, "task1") || first.Branch != "adaptercheck/task-task1" {
		t.Errorf("%+v", first)
	}
	if _, err := os.Stat(filepath.Join(first.Dir, "a.txt")); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(first.Dir, "b.txt"), []byte("b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(repo, "b.txt")); err == nil {
		t.Error("work in the tree shows in the repository")
	}
	if _, err := os.Stat(filepath.Join(repo, "hook-ran")); err == nil {
		t.Error("a hook of the repository ran")
	}
	again, err := worktree.Open(t.Context(), repo, base, "task1")
	if err != nil || again != first {
		t.Errorf("%+v, %v", again, err)
	}
	// A tree that somebody removed is made again, on the branch that is still there.
	if err := os.RemoveAll(first.Dir); err != nil {
		t.Fatal(err)
	}
	if again, err := worktree.Open(t.Context(), repo, base, "task1"); err != nil || again != first {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := worktree.Open(t.Context(), repo, base, "task2"); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	repo, base := repository(t), t.TempDir()
	for _, name := range []string{"taken", "sub"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ repo, task, want string }{
		"no repository":   {t.TempDir(), "t", "git rev-parse"},
		"relative":        {".", "t", "absolute"},
		"an option":       {"--upload-pack=x", "t", "absolute"},
		"not there":       {filepath.Join(repo, "none"), "t", "git rev-parse"},
		"leaves the base": {repo, "../t", "no name for a branch"},
		"an option task":  {repo, "-b", "no name for a branch"},
		"no task":         {repo, "", "no name for a branch"},
		"a long task":     {repo, strings.Repeat("t", 101), "no name for a branch"},
		"a taken place":   {repo, "taken", "something else"},
	} {
		if tree, err := worktree.Open(t.Context(), c.repo, base, c.task); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %+v, %v", name, tree, err)
		}
	}
}
