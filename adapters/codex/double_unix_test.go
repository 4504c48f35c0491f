//go:build unix

package codex_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// This test binary is also the runtime that the adapter starts: a double that does
// the steps it finds in its environment.
//
//	say TEXT      print the line          err TEXT    print it on stderr
//	hold          connect and wait until the test lets go
//	deaf          ignore SIGINT and SIGTERM
//	tool          start a tool in a session of its own that holds likewise
//	close         close stdout            exit N / die N   by code, by signal
const (
	envSteps  = "CODEX_DOUBLE_STEPS"
	envSocket = "CODEX_DOUBLE_SOCKET"
	envLog    = "CODEX_DOUBLE_LOG"
)

func TestMain(m *testing.M) {
	if steps, is := os.LookupEnv(envSteps); is {
		os.Exit(double(steps))
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// call is what the double was started with.
type call struct {
	Args  []string
	Stdin string
	Env   []string // names
	Dir   string
}

func double(steps string) int {
	if path := os.Getenv(envLog); path != "" {
		stdin, _ := io.ReadAll(os.Stdin)
		dir, _ := os.Getwd()
		c := call{Args: os.Args[1:], Stdin: string(stdin), Dir: dir}
		for _, pair := range os.Environ() {
			name, _, _ := strings.Cut(pair, "=")
			c.Env = append(c.Env, name)
		}
		slices.Sort(c.Env)
		text, err := json.Marshal(c)
		if err != nil {
			return 90
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 91
		}
		fmt.Fprintln(f, string(text))
		f.Close()
	}
	for step := range strings.SplitSeq(steps, "\x1e") {
		word, rest, _ := strings.Cut(step, " ")
		switch word {
		case "say":
			fmt.Println(rest)
		case "err":
			fmt.Fprintln(os.Stderr, rest)
		case "close":
			os.Stdout.Close()
		case "deaf":
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		case "hold":
			conn, err := net.Dial("unix", os.Getenv(envSocket))
			if err != nil {
				return 92
			}
			fmt.Fprintln(conn, rest)
			_, _ = io.Copy(io.Discard, conn)
		case "tool":
			self, _ := os.Executable()
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), envSteps+"=deaf\x1ehold tool", envLog+"=")
			cmd.Stdout = os.Stdout
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if cmd.Start() != nil {
				return 93
			}
		case "exit":
			n, _ := strconv.Atoi(rest)
			return n
		case "die":
			n, _ := strconv.Atoi(rest)
			_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
			select {}
		}
	}
	return 0
}

// stage is a test's adapter with its double.
type stage struct {
	*testing.T
	adapter  *codex.Adapter
	listener *net.UnixListener
	conns    map[string]net.Conn
	log      string
	options  codex.Options
}

func newStage(t *testing.T, steps ...string) *stage {
	t.Helper()
	t.Setenv("HOST_SECRET", "host-secret-value")
	dir, err := os.MkdirTemp("", "c") // socket paths are short
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s")})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, listener: l, conns: map[string]net.Conn{}, log: filepath.Join(dir, "log")}
	s.options = codex.Options{
		Command: []string{self},
		Dir:     t.TempDir(),
		Env: []string{
			envSteps + "=" + strings.Join(steps, "\x1e"), envSocket + "=" + l.Addr().String(), envLog + "=" + s.log,
			"GORACE=atexit_sleep_ms=0", "API_KEY=canary-key-123",
		},
		Grace: 50 * time.Millisecond,
		Now:   func() time.Time { return time.UnixMilli(1234) },
	}
	s.adapter = codex.New(s.options)
	t.Cleanup(func() {
		if err := s.adapter.Dispose(context.Background()); err != nil {
			t.Error(err)
		}
		for _, c := range s.conns {
			c.Close()
		}
		l.Close()
		os.RemoveAll(dir)
	})
	return s
}

// fresh replaces the adapter by a new one with other steps, as a new process of
// the host would have it.
func (s *stage) fresh(steps ...string) {
	s.Helper()
	if err := s.adapter.Dispose(context.Background()); err != nil {
		s.Error(err)
	}
	s.options.Env[0] = envSteps + "=" + strings.Join(steps, "\x1e")
	s.adapter = codex.New(s.options)
}

func (s *stage) start(opts executor.StartOpts) *executor.Run {
	s.Helper()
	if opts.SessionKey == "" {
		opts.SessionKey = "s1"
	}
	if opts.Message == "" {
		opts.Message = "go"
	}
	run, err := s.adapter.Start(s.Context(), executor.TaskHandle{}, opts)
	if err != nil {
		s.Fatal(err)
	}
	return run
}

// held waits until the double of that name holds.
func (s *stage) held(name string) {
	s.Helper()
	for s.conns[name] == nil {
		_ = s.listener.SetDeadline(time.Now().Add(20 * time.Second))
		c, err := s.listener.Accept()
		if err != nil {
			s.Fatalf("%q does not hold: %v", name, err)
		}
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			s.Fatal(err)
		}
		s.conns[strings.TrimSpace(line)] = c
	}
}

// letGo lets the double go on.
func (s *stage) letGo(name string) {
	s.held(name)
	s.conns[name].Close()
	delete(s.conns, name)
}

// gone waits until the double of that name is dead.
func (s *stage) gone(name string) {
	s.Helper()
	s.held(name)
	_ = s.conns[name].SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := s.conns[name].Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		s.Errorf("%s is still there: %v", name, err)
	}
}

func (s *stage) next(stream executor.Stream) executor.Event {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	defer cancel()
	e, err := stream.Next(ctx)
	if err != nil {
		s.Fatalf("next event: %v", err)
	}
	return e
}

// rest reads the stream to its end.
func (s *stage) rest(stream executor.Stream) []executor.Event {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	defer cancel()
	var all []executor.Event
	for e, err := range executor.All(ctx, stream) {
		if err != nil {
			s.Fatalf("after %d events: %v", len(all), err)
		}
		all = append(all, e)
	}
	return all
}

// run starts, reads to the end, and returns what came.
func (s *stage) run(opts executor.StartOpts) (*executor.Run, []executor.Event) {
	s.Helper()
	run := s.start(opts)
	return run, s.rest(s.adapter.Events(run))
}

func (s *stage) calls() []call {
	s.Helper()
	text, err := os.ReadFile(s.log)
	if err != nil {
		s.Fatal(err)
	}
	var all []call
	for line := range strings.Lines(string(text)) {
		var c call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			s.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// ended returns the events' one done, which must be the last.
func (s *stage) ended(events []executor.Event) executor.Done {
	s.Helper()
	for i, e := range events {
		if d, is := e.(executor.Done); is {
			if i != len(events)-1 {
				s.Errorf("done is event %d of %d", i+1, len(events))
			}
			return d
		}
	}
	s.Fatalf("no done in %d events", len(events))
	return executor.Done{}
}

func fatal(events []executor.Event) []executor.Error {
	var all []executor.Error
	for _, e := range events {
		if err, is := e.(executor.Error); is && err.Fatal {
			all = append(all, err)
		}
	}
	return all
}
