package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// CreateTrace makes a file for what crosses a wire, readable by its owner alone. An
// earlier file with the name is replaced, whatever its permissions.
func CreateTrace(path string) (*os.File, error) {
	err := os.Remove(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("trace: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return file, nil
}
