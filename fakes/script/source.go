package script

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// maxBeside bounds a file beside a script, in bytes: the longest line that anybody
// sends.
const maxBeside = 64 << 20

// Source is the text of a script or case, and what lies beside it.
type Source struct {
	// Name for errors.
	Name string
	Data []byte
	// Files reads a file that the script names, as the bytes of raw. Nil is none.
	Files func(name string) ([]byte, error)

	above   int            // lines of the file above Data
	archive *txtar.Archive // that Data is out of; nil is none
	member  int            // which of its files Data is
}

// text is Data without a byte order mark and with line ends of one kind: the YAML parser
// takes the one for text, and counts the others twice.
func (s Source) text() []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(s.Data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
}

// Open reads a file. Its script names files in its folder or below. A txtar archive
// (FILE.txtar) holds one script, its only file that ends in .yaml, and the files that
// the script names.
func Open(path string) (Source, error) {
	data, err := readFile(path)
	if err != nil {
		return Source{}, err
	}
	if filepath.Ext(path) == ".txtar" {
		return fromArchive(path, data)
	}
	return Source{Name: path, Data: data, Files: func(name string) ([]byte, error) { return fromFolder(filepath.Dir(path), name) }}, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f, maxBeside)
}

// bounded reads all of a file, unless that is more than the limit. One byte more is
// taken to know.
func bounded(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	return data, err
}

// fromFolder reads a file of a folder. No name leads out of it.
func fromFolder(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("no regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f, maxBeside)
}

func fromArchive(path string, data []byte) (Source, error) {
	s := Source{Name: path, archive: txtar.Parse(data), member: -1}
	line := bytes.Count(s.archive.Comment, []byte("\n"))
	for i, f := range s.archive.Files {
		line++ // of its name
		if strings.HasSuffix(f.Name, ".yaml") {
			if s.member >= 0 {
				return Source{}, &Error{path, line, 1, fmt.Sprintf("second script %q, want one per archive: its only file that ends in .yaml", f.Name)}
			}
			s.Data, s.above, s.member = f.Data, line, i
		}
		line += bytes.Count(f.Data, []byte("\n"))
	}
	if s.member < 0 {
		return Source{}, &Error{path, 1, 1, "no script, want one file that ends in .yaml in the archive"}
	}
	s.Files = func(name string) ([]byte, error) {
		for _, f := range s.archive.Files {
			if f.Name == name {
				return f.Data, nil
			}
		}
		return nil, fmt.Errorf("no file %q in the archive", name)
	}
	return s, nil
}
