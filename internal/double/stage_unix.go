//go:build unix

package double

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// Stage is where a test meets its doubles. Methods fail the test where what they
// wait for does not come.
type Stage struct {
	testing.TB
	listener *net.UnixListener
	conns    map[string]net.Conn
	log      string
	steps    []string
}

// NewStage opens a stage for the test, which closes it.
func NewStage(t testing.TB) *Stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "d") // socket paths are short
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s")})
	if err != nil {
		t.Fatal(err)
	}
	s := &Stage{TB: t, listener: l, conns: map[string]net.Conn{}, log: filepath.Join(dir, "log")}
	t.Cleanup(func() {
		for _, c := range s.conns {
			c.Close()
		}
		l.Close()
		os.RemoveAll(dir)
	})
	return s
}

// Play sets the steps of the doubles that are started from now on.
func (s *Stage) Play(steps ...string) { s.steps = steps }

// Command starts a double, with Env in its environment.
func (s *Stage) Command() []string {
	s.Helper()
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	return []string{self}
}

// Env is what a double needs in its environment, name=value each.
func (s *Stage) Env() []string {
	return []string{
		envSteps + "=" + strings.Join(s.steps, separator), envSocket + "=" + s.listener.Addr().String(), envLog + "=" + s.log,
		"GORACE=atexit_sleep_ms=0",
	}
}

// Held waits until the double of that name holds.
func (s *Stage) Held(name string) {
	s.Helper()
	for s.conns[name] == nil {
		_ = s.listener.SetDeadline(time.Now().Add(patience))
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

// LetGo lets the double go on.
func (s *Stage) LetGo(name string) {
	s.Helper()
	s.Held(name)
	s.conns[name].Close()
	delete(s.conns, name)
}

// Rename gives a double that holds another name, so that the next of its name can
// hold too.
func (s *Stage) Rename(name, as string) {
	s.Helper()
	s.Held(name)
	s.conns[as] = s.conns[name]
	delete(s.conns, name)
}

// Gone waits until the double of that name is dead.
func (s *Stage) Gone(name string) {
	s.Helper()
	s.Held(name)
	_ = s.conns[name].SetReadDeadline(time.Now().Add(patience))
	if _, err := s.conns[name].Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		s.Errorf("%s is still there: %v", name, err)
	}
}

// Calls lists the doubles so far, in the order of their start.
func (s *Stage) Calls() []Call {
	s.Helper()
	text, err := os.ReadFile(s.log)
	if err != nil {
		s.Fatal(err)
	}
	var calls []Call
	place := map[int]int{}
	for line := range strings.Lines(string(text)) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			s.Fatal(err)
		}
		if e.Start != nil {
			place[e.PID] = len(calls)
			calls = append(calls, *e.Start)
			continue
		}
		c := &calls[place[e.PID]]
		c.Stdin += e.Stdin
		c.Ended = c.Ended || e.Ended
	}
	return calls
}

// Start starts a run of the adapter. The session is "s1" and the message "go", where
// opts names none.
func (s *Stage) Start(a executor.Adapter, opts executor.StartOpts) *executor.Run {
	s.Helper()
	if opts.SessionKey == "" {
		opts.SessionKey = "s1"
	}
	if opts.Message == "" {
		opts.Message = "go"
	}
	run, err := a.Start(s.Context(), executor.TaskHandle{}, opts)
	if err != nil {
		s.Fatal(err)
	}
	return run
}

// Run starts a run, reads it to its end, and returns what came.
func (s *Stage) Run(a executor.Adapter, opts executor.StartOpts) (*executor.Run, []executor.Event) {
	s.Helper()
	run := s.Start(a, opts)
	return run, s.Rest(a.Events(run))
}

// Next reads the next event.
func (s *Stage) Next(stream executor.Stream) executor.Event {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	e, err := stream.Next(ctx)
	if err != nil {
		s.Fatalf("next event: %v", err)
	}
	return e
}

// Rest reads the stream to its end.
func (s *Stage) Rest(stream executor.Stream) []executor.Event {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
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

// Ended returns the events' one done, which must be the last.
func (s *Stage) Ended(events []executor.Event) executor.Done {
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

// FatalErrors lists the fatal errors.
func (s *Stage) FatalErrors(events []executor.Event) []executor.Error {
	var all []executor.Error
	for _, e := range events {
		if err, is := e.(executor.Error); is && err.Fatal {
			all = append(all, err)
		}
	}
	return all
}

// Kinds lists the kinds of events.
func Kinds(events []executor.Event) []executor.Kind {
	var all []executor.Kind
	for _, e := range events {
		all = append(all, e.Kind())
	}
	return all
}

// Files counts this process's open descriptors, 0 where the system does not tell.
func (s *Stage) Files() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil {
		s.Fatal(err)
	}
	return len(entries)
}
