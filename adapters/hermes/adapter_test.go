package hermes

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

func TestIdentityAndCapabilities(t *testing.T) {
	a := New(Options{})
	if a.ID() != "hermes" || a.ParticipantKind() != executor.Agent {
		t.Errorf("%s, %s", a.ID(), a.ParticipantKind())
	}
	want := executor.Capabilities{
		Resume: true, Models: []string{}, RuntimeClass: executor.WrappedOneshot,
		NativeHome:   &executor.NativeHome{Scope: executor.PerIdentity, Persist: true},
		NativeSkills: executor.Preserve, NativeMemory: executor.Preserve, NativeChannels: executor.NoChannels, NativeScheduler: true,
	}
	got := a.Capabilities()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got.NativeHome.Persist = false
	if d := cmp.Diff(want, a.Capabilities()); d != "" {
		t.Errorf("the answer is shared (-want +got):\n%s", d)
	}
	if !New(Options{Format: FormatStream}).Capabilities().Streaming {
		t.Error("the stream format is not told of")
	}
}

func TestArguments(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		r    oneshot.Request[state]
		want []string
	}{
		{"quiet", Options{}, oneshot.Request[state]{Prompt: "hi"}, []string{"chat", "-q", "hi", "-Q"}},
		{"stream", Options{Format: FormatStream}, oneshot.Request[state]{Prompt: "hi"}, []string{"chat", "-q", "hi", "--format", "stream-json"}},
		{"all", Options{Args: []string{"--yolo", "--provider", "p"}}, oneshot.Request[state]{Prompt: "hi", Model: "m", State: state{Session: "s"}},
			[]string{"chat", "-q", "hi", "-Q", "-m", "m", "--resume", "s", "--yolo", "--provider", "p"}},
		{"a dash", Options{}, oneshot.Request[state]{Prompt: "--help"}, []string{"chat", "--query=--help", "-Q"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, stdin := test.o.withDefaults().arguments(test.r)
			if d := cmp.Diff(test.want, got); d != "" || stdin != nil {
				t.Errorf("stdin %v, arguments (-want +got):\n%s", stdin, d)
			}
		})
	}
}

func TestWhereTheBooksAre(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name string
		o    Options
		host []string
		want string
	}{
		{"the home of the options", Options{Home: filepath.Join(dir, "h")}, []string{"HERMES_HOME=" + filepath.Join(dir, "other"), "HOME=" + dir}, filepath.Join(dir, "h", "state.db")},
		{"the host's", Options{}, []string{"HERMES_HOME=" + filepath.Join(dir, "h"), "HOME=" + dir}, filepath.Join(dir, "h", "state.db")},
		{"the host's, which is not passed on", Options{AllowEnv: []string{}}, []string{"HERMES_HOME=" + filepath.Join(dir, "h"), "HOME=" + dir}, filepath.Join(dir, ".hermes", "state.db")},
		{"one that is given", Options{Env: []string{"HERMES_HOME=" + filepath.Join(dir, "h")}}, []string{"HOME=" + dir}, filepath.Join(dir, "h", "state.db")},
		{"the user's", Options{}, []string{"HOME=" + dir}, filepath.Join(dir, ".hermes", "state.db")},
		{"seen from the directory", Options{Home: "h", Dir: dir}, nil, filepath.Join(dir, "h", "state.db")},
		{"nowhere", Options{}, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := test.o.withDefaults()
			if got := o.books(o.environ(test.host)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
