package reference

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// A file is read and comes out of the writer as the same session, or it is refused
// by one of the three errors that there are.
func FuzzParseSession(f *testing.F) {
	header, err := appendHeader(nil, header{Type: history.SessionFormat, RuntimeID: runtimeID, SessionID: sessionID, ProjectRoot: "/p"})
	if err != nil {
		f.Fatal(err)
	}
	whole := bytes.Clone(header)
	for _, m := range fixture() {
		if whole, err = appendRecord(whole, m); err != nil {
			f.Fatal(err)
		}
	}
	for _, seed := range [][]byte{
		nil, header, whole, whole[:len(whole)-3], bytes.ReplaceAll(whole, []byte{'\n'}, []byte("\r\n")), bytes.Replace(whole, []byte("entry"), []byte("\xff"), 1),
		[]byte("\n"), []byte("{}\n"), append(bytes.Clone(header), "null\n{}\n"...),
	} {
		f.Add(seed)
	}
	limit := bounds{bytes: 1 << 20, messages: 100}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSession(context.Background(), data, limit)
		if err != nil {
			if !errors.Is(err, ErrTorn) && !errors.Is(err, ErrBounds) && !errors.Is(err, ErrFormat) {
				t.Errorf("an error of its own kind: %v", err)
			}
			return
		}
		out := written(t, s)
		again, err := parseSession(context.Background(), out, bounds{bytes: 1 << 30, messages: 100})
		if err != nil {
			t.Fatalf("read what was written: %v", err)
		}
		if !bytes.Equal(out, written(t, again)) || len(again.messages) != len(s.messages) {
			t.Error("what was written is read as something else")
		}
	})
}

// written is the file that a session makes.
func written(t *testing.T, s *session) []byte {
	t.Helper()
	out, err := appendHeader(nil, s.header)
	for _, m := range s.messages {
		if err == nil {
			out, err = appendRecord(out, m)
		}
	}
	if err != nil {
		t.Fatalf("write what was read: %v", err)
	}
	return out
}
