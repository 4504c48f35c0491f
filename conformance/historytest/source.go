package historytest

import (
	"bytes"
	"io/fs"
	"os"
	"time"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/fakes"
)

// source is the canonical file behind the adapter. Without one the check is
// unobserved.
func (t *T) source() check.Source {
	if t.Instance.Source == nil {
		t.Unobserved(fakes.Source)
	}
	return t.Instance.Source
}

// longAgo is the time that a stamped file carries: any write changes it, however
// coarse the file system's clock.
var longAgo = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

// stamped is a file as the suite left it.
type stamped struct {
	path  string
	bytes []byte
	info  fs.FileInfo
}

// stamp gives the canonical file an old time and remembers it.
func (t *T) stamp() stamped {
	path := t.source().Path()
	s := stamped{path: path}
	var err error
	if s.bytes, err = os.ReadFile(path); err == nil {
		if err = os.Chtimes(path, longAgo, longAgo); err == nil {
			s.info, err = os.Stat(path)
		}
	}
	if err != nil {
		t.Cannot(err)
	}
	return s
}

// untouchedCodes are what untouched can report.
var untouchedCodes = codes("source-deleted", "source-changed", "source-rewritten")

// untouched reports what was done to a stamped file.
func (t *T) untouched(s stamped, after string) {
	b, err := os.ReadFile(s.path)
	if err != nil {
		t.Fail("source-deleted", "after %s the canonical file cannot be read", after)
	}
	if !bytes.Equal(b, s.bytes) {
		t.Fail("source-changed", "after %s the canonical file has other bytes", after)
	}
	info, err := os.Stat(s.path)
	if err != nil || !os.SameFile(info, s.info) || !info.ModTime().Equal(s.info.ModTime()) {
		t.Fail("source-rewritten", "after %s the canonical file was written again", after)
	}
}

// damage makes a broken file out of a good one.
type damage struct {
	name string
	// code of an adapter that answers from such a file.
	code check.Code
	make func([]byte) []byte
}

// torn cuts the last record in its middle, as a process that dies while it writes
// leaves it.
func torn(b []byte) []byte {
	end := len(bytes.TrimRight(b, "\n"))
	start := bytes.LastIndexByte(b[:end], '\n') + 1
	return bytes.Clone(b[:start+(end-start)/2])
}

// garbled overwrites a stretch in the middle with what no format can hold there.
func garbled(b []byte) []byte {
	out := bytes.Clone(b)
	for i := len(b) / 3; i < 2*len(b)/3; i++ {
		out[i] = "{[\"\x00}"[i%5]
	}
	return out
}

// emptied leaves nothing.
func emptied([]byte) []byte { return []byte{} }

// overwrite changes the canonical file in place, with a time of its own, so that
// an adapter which goes by time and size sees that something happened.
func (t *T) overwrite(path string, b []byte, step int) {
	err := os.WriteFile(path, b, 0o600)
	if err == nil {
		at := longAgo.Add(time.Duration(1+step) * time.Hour)
		err = os.Chtimes(path, at, at)
	}
	if err != nil {
		t.Cannot(err)
	}
}
