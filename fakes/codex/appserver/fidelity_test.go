//go:build unix

package appserver_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

const version = "codex-0.171.0"

func frames(t *testing.T, steps string) []fakes.Frame {
	t.Helper()
	if steps == "" {
		return nil
	}
	s, err := script.Parse(t.Name(), []byte("schema: adaptercheck-script-v1\nsteps:\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	return s.Frames
}

// times are what differs from run to run and is 0 in the recordings.
var times = regexp.MustCompile(`"(emittedAtMs|startedAtMs|completedAtMs|createdAt|updatedAt|recencyAt|startedAt|completedAt|durationMs)":[0-9]+`)

var ids = regexp.MustCompile(`<UUID_[0-9]+>`)

// told is a recording that is told again to a client that does what the recorded one did.
type told struct {
	fixtures.Recording
	known map[string]string // what placeholders stand for
}

func load(t *testing.T, name string) *told {
	t.Helper()
	rec, err := fixtures.Load(version, name)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return &told{rec, map[string]string{"<CWD>": dir}}
}

// given gives the placeholders in a text that the process gets their values.
func (r *told) given(t *testing.T, text string) string {
	text = strings.ReplaceAll(text, "<CWD>", r.known["<CWD>"])
	return ids.ReplaceAllStringFunc(text, func(name string) string {
		if r.known[name] == "" {
			t.Errorf("%s is not known when the client names it", name)
		}
		return r.known[name]
	})
}

// learned are the ids that a client needs, where the process says them first.
var learned = map[string]*regexp.Regexp{
	"<UUID_2>": regexp.MustCompile(`"result":\{"thread":\{"id":"([^"]+)"`),
	"<UUID_3>": regexp.MustCompile(`"result":\{"turn":\{"id":"([^"]+)"`),
}

// due is what is done after a line.
func (r *told) due(line string) (fixtures.Action, bool) {
	for name, pattern := range learned {
		if found := pattern.FindStringSubmatch(line); found != nil {
			r.known[name] = found[1]
		}
	}
	if len(r.Actions) == 0 || !strings.Contains(line, r.Actions[0].On) {
		return fixtures.Action{}, false
	}
	a := r.Actions[0]
	r.Actions = r.Actions[1:]
	return a, true
}

// alone tells the story in this process.
func (r *told) alone(t *testing.T, story string) (out string, exit int) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, stdin := io.Pipe()
	defer in.Close()
	w, errs := &watched{lines: make(chan string, 1000)}, new(bytes.Buffer)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.WriteString(stdin, r.given(t, r.Stdin)) // the process may not read it all
		if story == "" {                                  // nothing else comes
			stdin.Close()
			r.Actions = nil
		}
		for line := range w.lines {
			switch a, is := r.due(line); {
			case !is:
			case a.End:
				stdin.Close()
			default:
				_, _ = io.WriteString(stdin, r.given(t, a.Send)+"\n")
			}
		}
	}()
	play := fakes.Play{Args: r.Args, Stdin: in, Stdout: w, Stderr: errs, Env: env}
	exit = appserver.PlayScript(ctx, frames(t, story), play, appserver.Options{Seed: 7, Home: t.TempDir()})
	close(w.lines)
	<-over
	return w.String(), exit
}

var env = []string{"CODEX_HOME=/home/probe/.codex"}

// watched is a writer that passes on each line.
type watched struct {
	bytes.Buffer
	lines chan string
}

func (w *watched) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w.lines <- line
	}
	return w.Buffer.Write(p)
}

// child tells the story in a process that a signal ends.
func (r *told) child(t *testing.T, story string) (out string, exit int) {
	rt := newRuntime(t, appserver.Options{Seed: 7})
	h := childtest.StartWith(t, rt, func(h *childtest.Host) {
		in, err := h.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		h.In, h.Dir = in, r.known["<CWD>"]
		h.Env = append(h.Env, env...)
	}, r.Args...)
	h.Say(t, strings.TrimSpace(r.Stdin))
	for len(r.Actions) > 0 {
		line := h.Line(t)
		out += line
		a, is := r.due(line)
		switch {
		case !is:
		case a.Signal != "":
			h.Signal(t, map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM}[a.Signal])
		default:
			h.Say(t, r.given(t, a.Send))
			if strings.Contains(a.Send, "turn/start") {
				childtest.Emit(t, childtest.Next(t, rt), frames(t, story)...)
			}
		}
	}
	out += h.Rest(t)
	return out, h.Reap()
}

// What the fake prints is what the real one printed, placeholders apart.
func TestFidelity(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			r := load(t, name)
			tell := r.alone
			for _, a := range r.Actions {
				if a.Signal != "" {
					tell = r.child
				}
			}
			out, exit := tell(t, story)
			want := -int(syscall.SIGINT)
			if r.Signal == nil {
				want = *r.Exit
			}
			if exit != want {
				t.Errorf("ended by %d, want %d", exit, want)
			}
			if len(r.Actions) > 0 {
				t.Errorf("left to do: %+v", r.Actions)
			}
			got := times.ReplaceAll([]byte(strings.TrimSuffix(out, "\n")), []byte(`"$1":0`))
			if problem := fidelity.Differ(r.Lines(), bytes.Split(got, []byte("\n")), r.known); problem != "" {
				t.Error(problem)
			}
		})
	}
}

// Every recording is told.
func TestEveryRecordingIsTold(t *testing.T) {
	n := 0
	for _, name := range fixtures.Names(version) {
		if !strings.HasPrefix(name, "app-") {
			continue
		}
		n++
		if _, told := stories[name]; !told {
			t.Errorf("%s is not told", name)
		}
	}
	if n != len(stories) {
		t.Errorf("%d recordings, %d stories", n, len(stories))
	}
}

// Members come in the recorded order, too.
func TestFidelityToTheByte(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"app-tool1", "app-approve-cmd", "app-thinking", "app-err401"} {
		t.Run(name, func(t *testing.T) {
			r := load(t, name)
			names := regexp.MustCompile(`"(?:[^"\\]|\\.)*":`)
			out, _ := r.alone(t, stories[name])
			for i, line := range bytes.Split([]byte(strings.TrimSuffix(out, "\n")), []byte("\n")) {
				if diff := cmp.Diff(names.FindAllString(string(r.Lines()[i]), -1), names.FindAllString(string(line), -1)); diff != "" {
					t.Errorf("line %d (-recorded +fake):\n%s", i+1, diff)
				}
			}
		})
	}
}
