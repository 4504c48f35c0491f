package reference

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/adaptercheck/adaptercheck/internal/boundary"
)

// readSession reads a whole session file that nobody else may write, and the state
// that it was in then.
func readSession(ctx context.Context, path string, limit bounds) ([]byte, fs.FileInfo, error) {
	data, state, err := boundary.File{Path: path, MaxBytes: limit.bytes}.ReadOnce(ctx)
	switch {
	case errors.Is(err, boundary.ErrTooLarge):
		err = fmt.Errorf("%w: %w", ErrBounds, err)
	case errors.Is(err, boundary.ErrNotRegular):
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return data, state, err
}

// sameState reports whether a file is the one it was and seems untouched since. It
// sees every append, since that changes the size. A rewrite of equal length within
// the resolution of the clock it does not see.
func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
