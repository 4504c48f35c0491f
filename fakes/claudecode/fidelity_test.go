package claudecode_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/claudecode"
	"github.com/adaptercheck/adaptercheck/fakes/fidelity"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

func frames(t *testing.T, steps string) []fakes.Frame {
	t.Helper()
	s, err := script.Parse(t.Name(), []byte("schema: adaptercheck-script-v1\nsteps:\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	return s.Frames
}

// replayed is a recording that is told again: what the process was given, done to, and
// printed.
type replayed struct {
	fixtures.Recording
	known map[string]string // what placeholders in its input stand for
}

var inputPlaceholder = regexp.MustCompile(`<(?:UUID_[0-9]+|CWD|WORK)>`)

// given gives the placeholders in a text that the process gets their values.
func (r *replayed) given(text string) string {
	return inputPlaceholder.ReplaceAllStringFunc(text, func(name string) string {
		if _, known := r.known[name]; !known {
			var n int
			fmt.Sscanf(name, "<UUID_%d>", &n) // the others are known
			r.known[name] = fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
		}
		return r.known[name]
	})
}

// play tells the story of a recording and compares all that the process did.
func (r *replayed) play(t *testing.T, story string, o claudecode.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, stdin := io.Pipe()
	defer in.Close()
	var args []string
	for _, a := range r.Args {
		args = append(args, r.given(a))
	}
	env := []string{"CLAUDE_CODE_MAX_RETRIES=" + r.retries()}
	if !slices.Contains([]string{"missingkey", "emptykey", "authtoken"}, r.Name) { // the key that the recorder gave
		env = append(env, "ANTHROPIC_API_KEY=x")
	}
	if r.Name == "root-skip-sandbox" { // which it was in
		env = append(env, "IS_SANDBOX=1")
	}
	out, errs := &watched{lines: make(chan string, 1000)}, new(bytes.Buffer)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r.Stdin != "" {
			_, _ = io.WriteString(stdin, r.given(r.Stdin)) // the process may not read it all
		}
		r.act(out.lines, stdin, cancel)
	}()
	code := claudecode.PlayScript(ctx, frames(t, r.given(story)), fakes.Play{Args: args, Stdin: in, Stdout: out, Stderr: errs, Env: env}, o)
	in.Close()
	close(out.lines)
	<-done

	if r.Exit == nil || code != *r.Exit {
		t.Errorf("exit code %d, recorded %v", code, r.Exit)
	}
	if problem := fidelity.Differ([][]byte{[]byte(r.Stderr)}, [][]byte{errs.Bytes()}, r.known); problem != "" {
		t.Errorf("stderr: %s", problem)
	}
	var got [][]byte
	if text := bytes.TrimSuffix(out.Bytes(), []byte("\n")); len(text) > 0 {
		got = bytes.Split(text, []byte("\n"))
	}
	if problem := fidelity.Differ(r.Lines(), got, r.known); problem != "" {
		t.Error(problem)
	}
}

// retries is the limit that the recorder set.
func (r *replayed) retries() string {
	if found := regexp.MustCompile(`"max_retries":([0-9]+)`).FindSubmatch(r.Stdout); found != nil {
		return string(found[1])
	}
	return "10"
}

// act does to the process what was done to the recorded one, when it prints the line
// after which it was done.
func (r *replayed) act(lines <-chan string, stdin *io.PipeWriter, interrupt func()) {
	actions := r.Actions
	due := func(line string, started bool) {
		if len(actions) == 0 || started && (actions[0].On == "" || !strings.Contains(line, actions[0].On)) {
			return
		}
		a := actions[0]
		actions = actions[1:]
		switch {
		case a.Send != "":
			_, _ = io.WriteString(stdin, r.given(a.Send)+"\n") // it may have ended
		case a.End:
			stdin.Close()
		case a.Signal == "SIGINT": // which is cancel for a fake in this process
			interrupt()
		}
	}
	for len(actions) > 0 && actions[0].On == "" {
		due("", false)
	}
	for line := range lines {
		due(line, true)
	}
}

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

// measured is a number that differs from run to run; most are zero in the recordings.
var measured = regexp.MustCompile(`"retry_delay_ms":[0-9.]+`)

func load(t *testing.T, version, name string) *replayed {
	t.Helper()
	rec, err := fixtures.Load("claude-code-"+version, name)
	if err != nil {
		t.Fatal(err)
	}
	rec.Stdout = measured.ReplaceAll(rec.Stdout, []byte(`"retry_delay_ms":0`))
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return &replayed{rec, map[string]string{"<CWD>": dir}}
}

// What the fake prints is what the real CLI printed, placeholders apart.
func TestFidelity(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, version := range []string{"2.1.332", "2.1.197"} {
		recorded := fixtures.Names("claude-code-" + version)
		for name, story := range stories {
			switch {
			case slices.Contains(recorded, name):
			case version == "2.1.332":
				t.Errorf("no recording is told by %s", name)
				continue
			default:
				continue // fewer stories were recorded of the older one
			}
			if older, has := olderStories[name]; has && version != "2.1.332" {
				story = older
			}
			t.Run(version+"/"+name, func(t *testing.T) {
				o := claudecode.Options{Version: version, Seed: 7, Home: t.TempDir(), StdinWait: time.Hour}
				if name == "stdin-open" {
					o.StdinWait = time.Millisecond
				}
				load(t, version, name).play(t, story, o)
			})
		}
	}
}

// Every recording is told, or it is said why not.
func TestEveryRecordingIsAccountedFor(t *testing.T) {
	resumes := []string{"resume-2-resume", "resume-3-continue", "resume-4-fork", "resume-7-inuse"} // see TestFidelityOfResumes
	for _, name := range fixtures.Names("claude-code-2.1.332") {
		_, told := stories[name]
		if told = told || slices.Contains(resumes, name); told == (untold[name] != "") {
			t.Errorf("%s: told %v, and not told because %q", name, told, untold[name])
		}
	}
}

// The sessions of a directory go on, with their totals.
func TestFidelityOfResumes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, version := range []string{"2.1.332", "2.1.197"} {
		t.Run(version, func(t *testing.T) {
			home := t.TempDir()
			var first string
			for _, name := range []string{"resume-1-first", "resume-2-resume", "resume-3-continue", "resume-4-fork", "resume-7-inuse"} {
				rec := load(t, version, name)
				if name == "resume-1-first" {
					first = rec.given("<UUID_1>")
				} else {
					for _, placeholder := range inputPlaceholder.FindAllString(strings.Join(rec.Args, " "), -1) {
						rec.known[placeholder] = first
					}
				}
				rec.play(t, hello, claudecode.Options{Version: version, Home: home, StdinWait: time.Hour})
			}
		})
	}
}

// Fields come in the recorded order, too: for a line without placeholders the bytes
// are the same.
func TestFidelityToTheByte(t *testing.T) {
	for _, version := range []string{"2.1.332", "2.1.197"} {
		rec, err := fixtures.Load("claude-code-"+version, "text")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		claudecode.PlayScript(t.Context(), frames(t, hello), fakes.Play{Stdout: &out, Stderr: &out, Env: []string{"ANTHROPIC_API_KEY=x"}}, claudecode.Options{Version: version})
		uuids := regexp.MustCompile(`"(?:[0-9a-f]{8}-[0-9a-f-]{27}|<UUID_[0-9]+>)"`)
		want := uuids.ReplaceAllString(string(rec.Lines()[2]), `"U"`)
		got := uuids.ReplaceAllString(string(bytes.Split(out.Bytes(), []byte("\n"))[2]), `"U"`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-recorded +fake):\n%s", version, diff)
		}
	}
}
