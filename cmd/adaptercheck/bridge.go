package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/adaptercheck/adaptercheck/bridges"
)

// bridge is a program in another language that serves adapters of that language.
type bridge struct {
	language string
	files    func() fs.FS
	// interpreters are tried in this order.
	interpreters []string
	// main is the path below the files that the interpreter is given.
	main string
	// least is the version that the interpreter must have.
	least [2]int
}

// bridgeList lists those that are in this program.
func bridgeList() []bridge {
	return []bridge{
		{language: "node", files: bridges.Node, interpreters: []string{"node"}, main: filepath.Join("bin", "bridge.mjs"), least: [2]int{20, 0}},
		{language: "python", files: bridges.Python, interpreters: []string{"python3", "python"}, main: ".", least: [2]int{3, 11}},
	}
}

func findBridge(language string) (bridge, error) {
	var known []string
	for _, b := range bridgeList() {
		if b.language == language {
			return b, nil
		}
		known = append(known, b.language)
	}
	return bridge{}, unknown("bridge", language, known)
}

func (sys system) bridgeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bridge (node | python) MODULE",
		Short: "Serve an adapter of another language as a subject",
		Long: `Serve the adapter of a module as a subject: what adaptercheck run -- starts. The
bridge is part of this program; the language must be installed. The packages of the
bridges do the same, without this program.`,
		Example: `  adaptercheck run -- adaptercheck bridge node adapter.mjs
  adaptercheck run -- adaptercheck bridge python adapter.py`,
		ValidArgs: []string{"node", "python"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("bridge needs a language, node or python, and a MODULE")
			}
			b, err := findBridge(args[0])
			if err != nil {
				return err
			}
			return sys.bridge(cmd.Context(), b, args[1:])
		},
	}
}

// bridge becomes the bridge's process.
func (sys system) bridge(ctx context.Context, b bridge, args []string) error {
	program, err := b.interpreter()
	if err != nil {
		return err
	}
	dir, err := b.install()
	if err != nil {
		return fmt.Errorf("bridge for %s: %w", b.language, err)
	}
	return become(ctx, append([]string{program, filepath.Join(dir, b.main)}, args...))
}

// interpreter is the first one that there is.
func (b bridge) interpreter() (string, error) {
	for _, name := range b.interpreters {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("bridge for %s: there is no %s in the PATH", b.language, b.interpreters[0])
}

// install puts the bridge's files where the user's programs keep such things, each
// content in a directory of its own, and returns that. Where there is no such place,
// as in many a container, they go to a new temporary directory: that of a subject is
// private, and goes with it.
func (b bridge) install() (string, error) {
	files, digest, err := contents(b.files())
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		dir := filepath.Join(cache, "adaptercheck", "bridge-"+b.language+"-"+digest[:16])
		if err = put(files, dir); err == nil {
			return dir, nil
		}
	}
	dir, other := os.MkdirTemp("", "adaptercheck-bridge-")
	if other != nil {
		return "", errors.Join(err, other)
	}
	if other := put(files, dir); other != nil {
		return "", errors.Join(err, other, os.RemoveAll(dir))
	}
	return dir, nil
}

// put makes the files below a directory. What is there already is looked at and left
// alone.
func put(files map[string][]byte, dir string) error {
	for path, data := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if now, err := os.ReadFile(path); err == nil && bytes.Equal(now, data) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := replace(path, data); err != nil {
			return err
		}
	}
	return nil
}

// contents reads all files, and their digest.
func contents(from fs.FS) (files map[string][]byte, digest string, err error) {
	files, sum := map[string][]byte{}, sha256.New()
	err = fs.WalkDir(from, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, path)
		files[path] = data
		fmt.Fprintf(sum, "%s %d\n%s", path, len(data), data)
		return err
	})
	return files, hex.EncodeToString(sum.Sum(nil)), err
}
