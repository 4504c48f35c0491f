package ndjson_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

func pipe(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, w
}

func TestWriterWritesInOrderAndEnds(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, dst := pipe(t)
	w := ndjson.NewWriter(dst)
	line := []byte("one")
	if err := w.Put(line); err != nil {
		t.Fatal(err)
	}
	copy(line, "two")
	if err := w.Put(line); err != nil {
		t.Fatal(err)
	}
	w.End()
	w.End()
	if err := w.Put(line); !errors.Is(err, ndjson.ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
	got, err := io.ReadAll(r) // ends, as the writer closes the stream
	if err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("read %q, %v", got, err)
	}
	w.Close()
}

func TestWriterNeverWaitsForItsReader(t *testing.T) {
	defer goleak.VerifyNone(t)
	_, dst := pipe(t)
	w := ndjson.NewWriter(dst)
	big := []byte(strings.Repeat("x", 16<<20)) // no pipe holds it
	taken := 0
	var err error
	for ; err == nil; taken++ {
		err = w.Put(big)
	}
	if !errors.Is(err, ndjson.ErrFull) || taken > 6 {
		t.Errorf("%v after %d lines", err, taken)
	}
	w.Close() // also while a write waits
	if err := w.Put(nil); !errors.Is(err, ndjson.ErrEnded) {
		t.Errorf("after close: %v", err)
	}
}

func TestWriterTakesOneLineOfAnyLength(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, dst := pipe(t)
	w := ndjson.NewWriter(dst)
	if err := w.Put(make([]byte, 65<<20)); err != nil {
		t.Error(err)
	}
	w.End()
	if n, err := io.Copy(io.Discard, r); n != 65<<20+1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	w.Close()
}

func TestWriterNoticesThatTheReaderIsGone(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, dst := pipe(t)
	w := ndjson.NewWriter(dst)
	if err := w.Put([]byte("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r.Close()
	var err error
	for range 1_000_000 { // the goroutine meets the closed pipe in its own time
		runtime.Gosched()
		if err = w.Put([]byte("two")); err != nil {
			break
		}
	}
	if !errors.Is(err, ndjson.ErrEnded) {
		t.Errorf("error %v", err)
	}
	w.Close()
}
