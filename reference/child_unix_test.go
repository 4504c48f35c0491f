//go:build unix

package reference

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// What this binary does when a test starts it as a child process.
const (
	childVar  = "REFERENCE_TEST_CHILD"
	childPath = "REFERENCE_TEST_PATH"
	childFrom = "REFERENCE_TEST_FROM"
	childRoot = "REFERENCE_TEST_ROOT"
)

func TestMain(m *testing.M) {
	role := os.Getenv(childVar)
	if role == "" {
		os.Exit(m.Run())
	}
	roles := map[string]func(path string, from int) error{
		"append": appendForever, "recover": recoverOnce, "full": appendUntilFull, "powerless": writePowerless,
		"snapshot": snapshotOnce,
	}
	from, err := strconv.Atoi(os.Getenv(childFrom))
	if err == nil {
		err = roles[role](os.Getenv(childPath), from)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child prepares this binary in a role.
func child(t testing.TB, role, path string, from int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childVar+"="+role, childPath+"="+path, fmt.Sprint(childFrom, "=", from), "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

// numbered is the message number n. Every other one is large, so that writing it takes
// long enough to be caught at it.
func numbered(n int) history.Message {
	size := 50 + n%7*100
	if n%2 == 1 {
		size = (1 + n%3) << 18
	}
	entry := fmt.Sprint("n", n)
	return text(entry, strings.Repeat(entry+" ", size/(len(entry)+1)))
}

// appendForever says what it is about to append and what it has appended.
func appendForever(path string, from int) error {
	w, err := OpenWriter(context.Background(), WriterOptions{Path: path})
	if err != nil {
		return err
	}
	for n := from; ; n++ {
		fmt.Println("begin", n)
		if err := w.Append(context.Background(), numbered(n)); err != nil {
			return err
		}
		fmt.Println("done", n)
	}
}

func recoverOnce(path string, _ int) error {
	fmt.Println("begin 0")
	_, err := Recover(context.Background(), path)
	return err
}

// appendUntilFull appends under a limit on the size of files, given in bytes, until
// it is refused. Then it does what a user does: it looks, and tries a smaller record.
func appendUntilFull(path string, limit int) error {
	signal.Ignore(syscall.SIGXFSZ)
	size := uint64(limit)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
		return err
	}
	w, err := OpenWriter(context.Background(), WriterOptions{Path: path})
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		err = w.Append(context.Background(), text(fmt.Sprint("n", n), strings.Repeat("x", 5000)))
		if err == nil {
			fmt.Println("done", n)
			continue
		}
		fmt.Println("refused", n, err)
		after, err := os.ReadFile(path)
		if err != nil || string(before) != string(after) {
			return fmt.Errorf("the session has %d bytes, had %d, error %v", len(after), len(before), err)
		}
		if err := w.Append(context.Background(), text("small", "x")); err != nil {
			return fmt.Errorf("a smaller record: %w", err)
		}
		fmt.Println("done", "small")
		fmt.Println("create:", createBeside(path, text("n0", strings.Repeat("x", limit))))
		return w.Close()
	}
}

// createBeside lays a session down where there is one already.
func createBeside(path string, messages ...history.Message) error {
	h := home{path + "-new", "/"}
	return Create(h.create(messages...))
}

func snapshotOnce(path string, _ int) error {
	a, err := New(Options{Path: path, RuntimeID: runtimeID, ProjectRoot: os.Getenv(childRoot)})
	if err != nil {
		return err
	}
	_, err = a.SnapshotHistory(context.Background())
	return errors.Join(err, a.Shutdown(context.Background()))
}

// writePowerless tries to write where the user may not.
func writePowerless(path string, _ int) error {
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
	}
	fmt.Println("append:", Append(context.Background(), path, text("new", "x")))
	_, err := Recover(context.Background(), path)
	fmt.Println("recover:", err)
	fmt.Println("create:", createBeside(path))
	return nil
}
