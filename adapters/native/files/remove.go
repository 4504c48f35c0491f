package files

import (
	"os"
	"path/filepath"
)

// Remove deletes a path below a directory, and all that is in it if it is a directory.
// The path is held to the rules of the tools; a link is deleted, not what it leads to.
// It is for a tool that asks before it is called, which none of [Tools] does. Errors
// name the path as it was given, and no path of the host.
func Remove(dir, path string) error {
	if !filepath.IsLocal(path) || filepath.Clean(path) == "." {
		return errPath
	}
	path = filepath.Clean(path)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return failed("workspace", err)
	}
	defer root.Close()
	if _, err := root.Lstat(path); err != nil {
		return failed(path, err)
	}
	if err := root.RemoveAll(path); err != nil {
		return failed(path, err)
	}
	return nil
}
