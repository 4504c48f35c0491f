//go:build unix

package reference

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// soak is the environment variable that makes the crash tests long.
const soak = "ADAPTERCHECK_SOAK"

func kills(short, long int) int {
	switch {
	case os.Getenv(soak) != "":
		return long
	case testing.Short():
		return short / 4
	}
	return short
}

// strike starts a child, ends it with a signal at a random moment behind a random
// number of steps begun, and gives what it had said by then.
// A moment is given by wait, which must end by itself.
func strike(t *testing.T, cmd *exec.Cmd, steps int, sig syscall.Signal, wait func()) (begun, done []string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	struck := false
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "begin":
			begun = append(begun, rest)
		case "done":
			done = append(done, rest)
		default:
			t.Errorf("the child said %q", lines.Text())
		}
		if !struck && len(begun) == steps {
			wait()
			// It may have ended by itself.
			_ = cmd.Process.Signal(sig)
			struck = true
		}
	}
	_ = cmd.Wait() // it was killed
	return begun, done
}

// interrupt is what Ctrl-C sends. A test in the background of a shell, and so its
// children, may ignore that; then it is its sibling.
func interrupt() syscall.Signal {
	if signal.Ignored(syscall.SIGINT) {
		return syscall.SIGTERM
	}
	return syscall.SIGINT
}

// untilItGrows looks at a file for a random while, at most until it has grown: then
// a writer is in the middle of a record.
func untilItGrows(r *rand.Rand, path string) func() {
	return func() {
		before, err := os.Stat(path)
		for range 1 << r.IntN(18) {
			now, again := os.Stat(path)
			if err != nil || again != nil || now.Size() > before.Size() {
				return
			}
		}
	}
}

// A writer is killed again and again, at any point of an append. Every record that
// it called appended is there, whole, in order; at most the one that it was at is
// there too or is torn. A torn session is refused until it is recovered, its torn
// bytes are set aside, and nothing is ever glued to them.
func TestKilledWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := newHome(t, fixture()...)
	have := len(fixture())
	next, torn, complete := 0, 0, 0
	for round := range kills(40, 1000) {
		sig := syscall.SIGKILL
		if round%8 == 7 {
			sig = interrupt()
		}
		begun, done := strike(t, child(t, "append", h.path, next), 1+r.IntN(3), sig, untilItGrows(r, h.path))
		if len(begun)-len(done) > 1 {
			t.Fatalf("begun %v, done %v", begun, done)
		}
		data := h.bytes(t)
		if data[len(data)-1] != '\n' {
			torn++
			if _, err := adapter(t, h.options()).SnapshotHistory(t.Context()); err != ErrUnavailable {
				t.Fatalf("snapshot of a torn session: error %v", err)
			}
			h.unchanged(t, func() {
				if err := Append(t.Context(), h.path, text("glue", "x")); !is(ErrTorn)(err) {
					t.Fatalf("append to a torn session: error %v", err)
				}
			})
			rec, err := Recover(t.Context(), h.path)
			if err != nil {
				t.Fatal(err)
			}
			if rec.Completed {
				complete++
			} else if side, err := os.ReadFile(rec.Side); err != nil || !bytes.Equal(append(h.bytes(t), side...), data) {
				t.Fatalf("%+v, error %v: bytes are lost", rec, err)
			}
		}
		s, err := adapter(t, h.options()).SnapshotHistory(t.Context())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		got := len(s.Messages) - have
		if got != len(done) && got != len(begun) {
			t.Fatalf("round %d: %d new messages, %d begun, %d done", round, got, len(begun), len(done))
		}
		for i, m := range s.Messages[have:] {
			if m.SourceEntryID != fmt.Sprint("n", next+i) {
				t.Fatalf("round %d: message %d is %s", round, have+i, m.SourceEntryID)
			}
		}
		have, next = len(s.Messages), next+got
		if len(data) > 4<<20 {
			h = newHome(t, fixture()...)
			have = len(fixture())
		}
	}
	t.Logf("%d of %d sessions were torn, %d of them had only lost their line end", torn, kills(40, 1000), complete)
}

// A recovery that is killed leaves the session as torn as it was or whole. No byte
// is in neither file.
func TestKilledRecovery(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	finished := 0
	for range kills(8, 200) {
		h := newHome(t, fixture()...)
		good := h.bytes(t)
		torn := append(bytes.Clone(good), `{"type":"message","message":{"id":"`+strings.Repeat("x", 4<<20)...)
		h.write(t, torn)
		strike(t, child(t, "recover", h.path, 0), 1, syscall.SIGKILL, untilItGrows(r, h.path))
		switch now := h.bytes(t); {
		case bytes.Equal(now, torn):
		case bytes.Equal(now, good):
			finished++
		default:
			t.Fatalf("the session has %d bytes", len(now))
		}
		rec, err := Recover(t.Context(), h.path)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, held := range h.beside(t) {
			found = found || held == string(torn[len(good):])
		}
		if !found || !bytes.Equal(h.bytes(t), good) {
			t.Fatalf("%+v: bytes are lost", rec)
		}
	}
	t.Logf("%d recoveries got through", finished)
}
