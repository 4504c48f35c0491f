//go:build !windows

package main

import "github.com/google/renameio/v2"

// replace writes a file whole or not at all, for its owner alone, whatever the
// permissions of an earlier one.
func replace(path string, data []byte) error {
	f, err := renameio.NewPendingFile(path, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // does nothing after the replacement
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
