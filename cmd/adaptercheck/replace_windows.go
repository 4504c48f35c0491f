package main

import (
	"errors"
	"os"
	"path/filepath"
)

// replace writes a file whole or not at all, as far as the system can.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".adaptercheck-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
