//go:build unix

package codex_test

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes/child/childtest"
	"github.com/adaptercheck/adaptercheck/fakes/codex"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// A process that is ended by a signal says what the real one said until then, and
// ends as that did.
func TestFidelityOfSignals(t *testing.T) {
	for _, version := range recordedVersions {
		for name, story := range told(version) {
			rec := load(t, version, name)
			if rec.stop() == "" {
				continue
			}
			t.Run(version+"/"+name, func(t *testing.T) {
				rt := newRuntime(t, codex.Options{Version: version})
				h, heard := startHeard(t, rt, rec)
				var out strings.Builder
				if story != "" {
					childtest.Emit(t, childtest.Next(t, rt), frames(t, rec.given(story))...)
					for range rec.Lines() {
						out.WriteString(h.Line(t))
					}
				}
				for range strings.Count(rec.Stderr, "\n") {
					heard.line(t)
				}
				stop, ended := stopOf(rec.Recording)
				h.Signal(t, stop)
				out.WriteString(h.Rest(t))
				if code := h.Reap(); code != ended {
					t.Errorf("ended by %d, recorded %d", code, ended)
				}
				rec.compare(t, out.String(), heard.rest(t))
			})
		}
	}
}

// startHeard starts the process of a recording and listens to its stderr. Its stdin
// stays open where it did.
func startHeard(t *testing.T, rt *codex.Runtime, rec *replayed) (*childtest.Host, *stderr) {
	t.Helper()
	errs, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { errs.Close() })
	h := childtest.StartWith(t, rt, func(h *childtest.Host) {
		h.Stderr = w
		if !slices.ContainsFunc(rec.Actions, func(a fixtures.Action) bool { return a.End }) {
			if h.In, err = h.StdinPipe(); err != nil {
				t.Fatal(err)
			}
		}
	}, rec.args()...)
	w.Close()
	return h, &stderr{in: bufio.NewReader(errs)}
}

// stderr is what a process says there, line by line.
type stderr struct {
	in   *bufio.Reader
	text strings.Builder
}

func (s *stderr) line(t *testing.T) {
	t.Helper()
	line, err := s.in.ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	s.text.WriteString(line)
}

// rest reads to the end of it and returns all.
func (s *stderr) rest(t *testing.T) string {
	t.Helper()
	if _, err := io.Copy(&s.text, s.in); err != nil {
		t.Fatal(err)
	}
	return s.text.String()
}
