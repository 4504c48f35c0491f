package boundary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// Hash gives the SHA-256 of the content, in lower-case hexadecimal, without
// keeping it.
func (f File) Hash(ctx context.Context) (string, error) {
	file, _, err := f.open()
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	buf := make([]byte, 256<<10)
	for total := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := file.Read(buf)
		if total += int64(n); total > f.MaxBytes {
			return "", f.tooLarge(total)
		}
		sum.Write(buf[:n])
		if err == io.EOF {
			return hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// maxReads bounds how often a file is read again that changes while it is read.
const maxReads = 8

// Read gives the whole content. A content that ends inside a line, or is not as
// long as the file, counts only if the file stood still meanwhile: the runtime may
// be half-way through a record. After some attempts it is given as it is.
func (f File) Read(ctx context.Context) ([]byte, error) {
	return still(func() (reading, error) { return f.once(ctx) })
}

// reading is a file's content and its state before and after it was read.
type reading struct {
	data          []byte
	before, after fs.FileInfo
}

func (r reading) still() bool {
	whole := len(r.data) > 0 && r.data[len(r.data)-1] == '\n'
	return whole && int64(len(r.data)) == r.after.Size() || sameState(r.before, r.after)
}

func still(read func() (reading, error)) ([]byte, error) {
	for try := 1; ; try++ {
		r, err := read()
		if err != nil {
			return nil, err
		}
		if r.still() || try == maxReads {
			return r.data, nil
		}
	}
}

func (f File) once(ctx context.Context) (reading, error) {
	if err := ctx.Err(); err != nil {
		return reading{}, err
	}
	file, before, err := f.open()
	if err != nil {
		return reading{}, err
	}
	defer file.Close()
	if before.Size() > f.MaxBytes {
		return reading{}, f.tooLarge(before.Size())
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
			return reading{}, err
		}
		if int64(len(data)) > f.MaxBytes {
			return reading{}, f.tooLarge(int64(len(data)))
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
	after, err := file.Stat()
	return reading{data, before, after}, err
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

// sameState reports whether a file is the one it was and seems untouched since. It
// sees every append, since that changes the size. A rewrite of equal length within
// the resolution of the clock it does not see; what must not miss one hashes the
// bytes.
func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
