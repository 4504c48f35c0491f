package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// create writes a file that is not there yet. One that is there is the user's, and
// stays as it is.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("file %q is there, and is not overwritten", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
