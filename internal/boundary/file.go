package boundary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// What reading a canonical file refuses, beside the errors of the system.
var (
	// ErrNotRegular: the path leads to a directory, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: the file is over the bound.
	ErrTooLarge = errors.New("file is over its bound")
)

// File is a canonical file that the runtime writes and an adapter only reads. It
// is opened for reading, and never made.
type File struct {
	// Path of the file. Symbolic links are followed; what they lead to must be a
	// regular file.
	Path string
	// MaxBytes bounds the file; equal to it is allowed.
	MaxBytes int64
}

// Holds reports whether the file has exactly this content. It looks at every byte:
// size and times alone do not say that a file is unchanged, since a rewrite of equal
// length within the clock's resolution, a restored time, or a write through a memory
// map shows in none of them.
func (f File) Holds(ctx context.Context, content []byte) (bool, error) {
	file, info, err := f.open()
	if err != nil {
		return false, err
	}
	defer file.Close()
	if info.Size() != int64(len(content)) {
		return false, nil
	}
	buf := make([]byte, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := file.Read(buf)
		if !bytes.HasPrefix(content, buf[:n]) {
			return false, nil
		}
		content = content[n:]
		if err == io.EOF {
			return len(content) == 0, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// settling is how long a file may end inside a line before that counts as its end.
const settling = 50 * time.Millisecond

// Read gives the whole content. The runtime may be half-way through a record, and a
// busy machine may leave it there for a while: a file that was written to just now
// and ends inside a line, or goes on growing, is read again for a moment before it
// is given as it is.
func (f File) Read(ctx context.Context) ([]byte, error) {
	for pause := time.Millisecond; ; pause *= 2 {
		data, state, err := f.ReadOnce(ctx)
		if err != nil {
			return nil, err
		}
		whole := bytes.HasSuffix(data, []byte{'\n'}) && int64(len(data)) == state.Size()
		if whole || time.Since(state.ModTime()) > settling || pause > settling {
			return data, nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// ReadOnce gives the content as it is, for whoever keeps others from writing, and the
// file's state after it was read.
func (f File) ReadOnce(ctx context.Context) ([]byte, fs.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	file, before, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if before.Size() > f.MaxBytes {
		return nil, nil, f.tooLarge(before.Size())
	}
	// One byte of room more than expected shows the end without growing.
	data := make([]byte, 0, before.Size()+1)
	for {
		n, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if int64(len(data)) > f.MaxBytes {
			return nil, nil, f.tooLarge(int64(len(data)))
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
	after, err := file.Stat()
	return data, after, err
}

func (f File) open() (*os.File, fs.FileInfo, error) {
	file, err := openNonblocking(f.Path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

func (f File) tooLarge(n int64) error {
	return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, f.MaxBytes)
}
