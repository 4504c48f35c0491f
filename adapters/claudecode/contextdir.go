package claudecode

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// keepPiece writes a piece of context into the directory, under its key. Neither a key
// nor a link in the directory leads out of it. A reader sees the old piece or the new
// one, whole.
func keepPiece(dir, key, value string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("context directory: %w", reason(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("context directory: %w", reason(err))
	}
	defer root.Close()
	name := filepath.ToSlash(filepath.Clean(key))
	if parent := path.Dir(name); parent != "." {
		if err := root.MkdirAll(parent, 0o700); err != nil {
			return fmt.Errorf("context directory: %w", reason(err))
		}
	}
	fresh := name + "." + rand.Text()
	err = root.WriteFile(fresh, []byte(value), 0o600)
	if err == nil {
		err = root.Rename(fresh, name)
	}
	if err != nil {
		_ = root.Remove(fresh) // it may not be there
		return fmt.Errorf("context directory: %w", reason(err))
	}
	return nil
}

// reason takes the paths out of a file error.
func reason(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
