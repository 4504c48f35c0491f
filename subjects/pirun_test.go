package subjects_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/adaptercheck/adaptercheck/fakes"
	fakepi "github.com/adaptercheck/adaptercheck/fakes/pi"
	"github.com/adaptercheck/adaptercheck/reference/privacy"
)

// What a run wrote down is the history that the other adapter of Pi reads. A session
// whose file is gone fails the run that was to go on with it, and the next one begins
// anew.
func TestPiSessions(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime, err := fakepi.New(ctx, fakepi.Options{Seed: 1})
	must(err)
	defer func() { must(runtime.Close()) }()
	at := runtime.Endpoint()
	x := pi.NewExecutor(pi.ExecutorOptions{Command: at.Command, Home: at.Dir, Dir: at.Dir, Grace: faultGrace})
	defer func() { must(x.Dispose(ctx)) }()
	play := func(speaks bool) (fakes.Call, executor.Done) {
		t.Helper()
		handle, err := x.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "hello"})
		must(err)
		var begun fakes.Call
		if speaks {
			native, err := runtime.Next(ctx)
			must(err)
			begun = native.Begun()
			_, err = native.Emit(ctx, fakes.Init{}, fakes.Delta{Text: "Hi."}, fakes.End{Reason: fakes.EndOK})
			must(err)
		}
		var done executor.Done
		for stream := x.Events(handle); ; {
			e, err := stream.Next(ctx)
			if errors.Is(err, io.EOF) {
				return begun, done
			}
			must(err)
			if d, is := e.(executor.Done); is {
				done = d
			}
		}
	}
	first, done := play(true)
	if done.Reason != executor.ReasonSuccess || first.Resume != "" {
		t.Fatalf("%+v, resumes %q", done, first.Resume)
	}
	if second, _ := play(true); second.Resume != first.Session {
		t.Errorf("resumes %q, want %q", second.Resume, first.Session)
	}

	files, err := filepath.Glob(filepath.Join(at.Dir, "sessions", "*", "*.jsonl"))
	must(err)
	if len(files) != 1 {
		t.Fatalf("session files: %q", files)
	}
	engine, err := privacy.New(privacy.Config{})
	must(err)
	reader, err := pi.New(pi.Options{Path: files[0], SessionID: first.Session, ProjectRoot: at.Dir, Trusted: true, Privacy: engine})
	must(err)
	snapshot, err := reader.SnapshotHistory(ctx)
	must(err)
	var roles []history.Role
	for _, m := range snapshot.Messages {
		roles = append(roles, m.Role)
	}
	if len(roles) != 5 || roles[0] != history.System || roles[1] != history.User || roles[4] != history.Assistant {
		t.Errorf("roles %q", roles)
	}

	must(os.Remove(files[0]))
	if _, done := play(false); done.Reason != executor.ReasonError {
		t.Errorf("without its file: %+v", done)
	}
	if fresh, done := play(true); done.Reason != executor.ReasonSuccess || fresh.Resume != "" {
		t.Errorf("anew: %+v, resumes %q", done, fresh.Resume)
	}
}
