package reference

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// openSession opens a session file for reading. Symbolic links are followed; what
// they lead to must be a regular file.
func openSession(path string) (*os.File, fs.FileInfo, error) {
	f, err := openNonblocking(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: not a regular file", ErrFormat)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// hashSession gives the revision of a session file without keeping its bytes.
func hashSession(ctx context.Context, path string, limit bounds) (string, error) {
	f, _, err := openSession(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	buf := make([]byte, 256<<10)
	for total := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.Read(buf)
		if total += int64(n); total > limit.bytes {
			return "", limit.check(total, 0)
		}
		sum.Write(buf[:n])
		if err == io.EOF {
			return digest(sum), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func digest(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// maxReads bounds how often a file is read again that changes while it is read.
const maxReads = 8

// reading is a file's content and its state before and after it was read.
type reading struct {
	data          []byte
	before, after fs.FileInfo
}

// still reports whether the content can be taken for what the file holds. An end in
// the middle of a line counts only if the file stood still meanwhile: a writer may
// be half-way through a record.
func (r reading) still() bool {
	whole := len(r.data) > 0 && r.data[len(r.data)-1] == '\n'
	return whole && int64(len(r.data)) == r.after.Size() || sameState(r.before, r.after)
}

// readSession reads a whole session file and the state that it was in.
func readSession(ctx context.Context, path string, limit bounds) ([]byte, fs.FileInfo, error) {
	return readStill(func() (reading, error) { return readOnce(ctx, path, limit) })
}

func readStill(read func() (reading, error)) ([]byte, fs.FileInfo, error) {
	for try := 1; ; try++ {
		r, err := read()
		if err != nil {
			return nil, nil, err
		}
		if r.still() || try == maxReads {
			return r.data, r.after, nil
		}
	}
}

func readOnce(ctx context.Context, path string, limit bounds) (reading, error) {
	if err := ctx.Err(); err != nil {
		return reading{}, err
	}
	f, before, err := openSession(path)
	if err != nil {
		return reading{}, err
	}
	defer f.Close()
	if err := limit.check(before.Size(), 0); err != nil {
		return reading{}, err
	}
	// One byte of room more than expected shows the end without growing.
	data := make([]byte, 0, before.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return reading{}, err
		}
		if err := limit.check(int64(len(data)), 0); err != nil {
			return reading{}, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
	after, err := f.Stat()
	return reading{data, before, after}, err
}

// sameState reports whether a file is the one it was and seems untouched since. It
// sees every append, since that changes the size. A rewrite of equal length within
// the resolution of the clock it does not see; what must not miss one hashes the
// bytes.
func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// realRoot is the real path of a project root, which must be a directory.
func realRoot(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s: not a directory", path)
	}
	return path, nil
}
