// Package worktree gives a task a place of its own in a git repository: a worktree, on a
// branch of its own, so that what an agent does touches nobody's files.
//
//	tree, err := worktree.Open(ctx, repo, filepath.Join(home, "worktrees"), taskID)
//	…
//	run(tree.Dir)
//
// It needs the program git.
package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Tree is a worktree.
type Tree struct {
	// Dir is where its files are.
	Dir string
	// Branch is checked out there.
	Branch string
}

// branchPrefix is where the branches of tasks are.
const branchPrefix = "adaptercheck/task-"

// limit bounds one call of git.
const limit = 2 * time.Minute

// taskName is what a task's id may be, and maxName how long, in bytes.
var taskName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`) })

const maxName = 100

// Open makes the worktree of a task at base/TASK, from what the repository's HEAD is, and
// returns the one that is there already. The repository is named by an absolute path. The
// error says what git said, in one line.
func Open(ctx context.Context, repo, base, task string) (Tree, error) {
	if len(task) > maxName || !taskName().MatchString(task) {
		return Tree{}, errors.New("worktree: the task's id is no name for a branch")
	}
	if !filepath.IsAbs(repo) {
		return Tree{}, errors.New("worktree: want the absolute path of a repository")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if _, err := git(ctx, repo, "rev-parse", "--git-dir"); err != nil {
		return Tree{}, err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return Tree{}, fmt.Errorf("worktree: %w", err)
	}
	t := Tree{Dir: filepath.Join(base, task), Branch: branchPrefix + task}
	if _, err := os.Lstat(t.Dir); err == nil {
		return t, t.of(ctx, repo)
	}
	// What git remembers of a directory that somebody removed is in the way.
	if _, err := git(ctx, repo, "worktree", "prune"); err != nil {
		return Tree{}, err
	}
	args := []string{"worktree", "add", "--quiet", "-b", t.Branch, t.Dir, "HEAD"}
	if _, err := git(ctx, repo, "rev-parse", "--verify", "--quiet", "refs/heads/"+t.Branch); err == nil {
		args = []string{"worktree", "add", "--quiet", t.Dir, t.Branch}
	}
	if _, err := git(ctx, repo, args...); err != nil {
		return Tree{}, err
	}
	return t, nil
}

// of reports whether the directory is a worktree of the repository with the branch.
func (t Tree) of(ctx context.Context, repo string) error {
	ours, err := git(ctx, repo, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	its, err := git(ctx, t.Dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil || its != ours {
		return errors.New("worktree: something else is in the task's place")
	}
	branch, err := git(ctx, t.Dir, "symbolic-ref", "--short", "HEAD")
	if err != nil || branch != t.Branch {
		return errors.New("worktree: the task's place has another branch")
	}
	return nil
}

// git runs one command. No hook and no monitor of the repository runs, which an agent could
// have put there, and nobody is asked anything.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = time.Second
	var out, says bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &says
	if err := cmd.Run(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(says.String()), "\n")
		return "", fmt.Errorf("worktree: git %s: %w: %s", args[0], err, line)
	}
	return strings.TrimSpace(out.String()), nil
}
