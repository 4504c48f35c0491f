package subjects_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	openclawadapter "github.com/adaptercheck/adaptercheck/adapters/openclaw"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/openclaw"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// spoken is a run of the gateway with everything that it has.
func spoken() []fakes.Frame {
	in, out := int64(100), int64(10)
	return []fakes.Frame{
		fakes.Init{}, fakes.Think{Text: "hm"}, fakes.Delta{Text: "First "}, fakes.Delta{Text: "🦜."},
		fakes.ToolCall{ID: "t1", Name: "exec", Input: `{"command":"ls \u00e9"}`}, fakes.Result{ID: "t1", Name: "exec", Out: "é"},
		fakes.Usage{Kind: fakes.UsageTurn, In: &in, Out: &out}, fakes.Delta{Text: "An ñandú "}, fakes.Delta{Text: "\"said\"\n."},
		fakes.End{Reason: fakes.EndOK},
	}
}

// Whatever happens to the connection, and wherever, the run has one end, a good one: the
// gateway goes on, and the adapter comes back. No text comes twice, none is missing, and
// no rule is broken.
func TestOpenClawFaults(t *testing.T) {
	before := goleak.IgnoreCurrent()
	plain := converse(t, openclaw.Options{}, spoken(), nil)
	want := verify.Text(plain.events, "", executor.Assistant)
	t.Logf("%d places", plain.frames)
	if plain.frames < 20 || !strings.Contains(want, "ñandú") {
		t.Fatalf("%d frames, text %q", plain.frames, want)
	}
	judge := func(t *testing.T, got conversation) {
		t.Helper()
		if found := verify.Whole(got.events); len(found) > 0 {
			t.Errorf("breaks rules: %v in %q", found, brief(got.events))
		}
		done, _ := verify.Last(got.events, "")
		text := verify.Text(got.events, "", executor.Assistant)
		if done.Reason != executor.ReasonSuccess || text != want {
			t.Errorf("%s %q, want %q: %q", done.Reason, text, want, brief(got.events))
		}
		calls := 0
		for _, e := range got.events {
			if e.Kind() == executor.KindToolCall {
				calls++
			}
		}
		if calls != 1 {
			t.Errorf("%d calls: %q", calls, brief(got.events))
		}
	}
	t.Run("places", func(t *testing.T) {
		for k, kind := range openclaw.Kinds() {
			if kind == openclaw.Unanswered {
				continue
			}
			t.Run(string(kind), func(t *testing.T) {
				t.Parallel()
				places, n := plain.frames, 0
				switch kind {
				case openclaw.Reorder:
					places = 3 // after the acknowledgement no two responses are left
				case openclaw.Oversize:
					n = 2 << 20 // twice what this adapter reads
				}
				for frame := k % stride; frame < places; frame += stride {
					t.Run(fmt.Sprint(frame), func(t *testing.T) {
						judge(t, converse(t, openclaw.Options{Faults: []openclaw.Fault{{Kind: kind, Frame: frame, N: n}}}, spoken(), nil))
					})
				}
			})
		}
	})
	t.Run("unanswered", func(t *testing.T) {
		for _, method := range []string{"chat.send", "chat.history", "health"} {
			t.Run(method, func(t *testing.T) {
				judge(t, converse(t, openclaw.Options{Faults: []openclaw.Fault{{Kind: openclaw.Unanswered, Method: method}}}, spoken(), nil))
			})
		}
	})
	goleak.VerifyNone(t, before)
}

// Versions of the gateway differ in how text is joined and repeated, in what ends a run,
// and in what is told of its tools.
func TestOpenClawVersions(t *testing.T) {
	testVersions(t, subjects.OpenClaw(), openclaw.Versions(), 50, "text", "tools", "cost", "codec", "terminal", "abort", "approval", "connected", "reconnect")
}

// Whatever version plays, a run has the same end, and one.
func TestOpenClawEnds(t *testing.T) {
	plain := converse(t, openclaw.Options{}, spoken(), nil)
	want := strings.Fields(verify.Text(plain.events, "", executor.Assistant))
	for _, version := range openclaw.Versions() {
		for name, c := range map[string]struct {
			last   fakes.Frame
			reason executor.Reason
		}{
			"ok":      {fakes.End{Reason: fakes.EndOK}, executor.ReasonSuccess},
			"failed":  {fakes.Failure{Code: "auth", Message: "no key", Fatal: true}, executor.ReasonError},
			"cut":     {fakes.End{Reason: fakes.EndLength}, executor.ReasonError},
			"stopped": {fakes.End{Reason: fakes.EndAborted}, executor.ReasonAborted},
		} {
			t.Run(version+"/"+name, func(t *testing.T) {
				frames := spoken()
				frames[len(frames)-1] = c.last
				got := converse(t, openclaw.Options{Version: version}, frames, nil)
				if found := verify.Whole(got.events); len(found) > 0 {
					t.Errorf("breaks rules: %v in %q", found, brief(got.events))
				}
				done, _ := verify.Last(got.events, "")
				text := strings.Join(strings.Fields(verify.Text(got.events, "", executor.Assistant)), "")
				if done.Reason != c.reason || text != strings.Join(want, "") {
					t.Errorf("%s: %q", done.Reason, brief(got.events))
				}
			})
		}
	}
}

// An abort stops a run wherever it is, and a connection that ends, or a gateway that is
// started anew, meets it wherever it is.
func TestOpenClawInterruptions(t *testing.T) {
	before := goleak.IgnoreCurrent()
	want := verify.Text(converse(t, openclaw.Options{}, spoken(), nil).events, "", executor.Assistant)
	for name, c := range map[string]struct {
		act     func(ctx context.Context, r *openclaw.Runtime, a executor.Adapter, run *executor.Run) error
		reasons []executor.Reason
	}{
		"abort": {func(ctx context.Context, _ *openclaw.Runtime, a executor.Adapter, run *executor.Run) error {
			return a.Abort(ctx, run)
		}, []executor.Reason{executor.ReasonAborted}},
		"disconnect": {func(_ context.Context, r *openclaw.Runtime, _ executor.Adapter, _ *executor.Run) error {
			r.Disconnect(openclaw.Reset)
			return nil
		}, []executor.Reason{executor.ReasonSuccess}},
		"restart": {func(_ context.Context, r *openclaw.Runtime, _ executor.Adapter, _ *executor.Run) error {
			r.Restart()
			return nil
		}, []executor.Reason{executor.ReasonError}},
	} {
		for place := range len(spoken()) {
			t.Run(fmt.Sprint(name, "/", place), func(t *testing.T) {
				got := converse(t, openclaw.Options{}, spoken(), func(ctx context.Context, i int, r *openclaw.Runtime, a executor.Adapter, run *executor.Run) error {
					if i != place {
						return nil
					}
					return c.act(ctx, r, a, run)
				})
				if found := verify.Whole(got.events); len(found) > 0 {
					t.Errorf("breaks rules: %v in %q", found, brief(got.events))
				}
				done, _ := verify.Last(got.events, "")
				text := verify.Text(got.events, "", executor.Assistant)
				if !slices.Contains(c.reasons, done.Reason) || !strings.HasPrefix(want, text) || done.Reason == executor.ReasonSuccess && text != want {
					t.Errorf("%s %q: %q", done.Reason, text, brief(got.events))
				}
			})
		}
	}
	goleak.VerifyNone(t, before)
}

// conversation is what came of one run.
type conversation struct {
	events []executor.Event
	frames int // that the first connection had
}

// converse plays a run through a gateway and the adapter. Before each frame act, if there
// is one, may do something.
func converse(t *testing.T, o openclaw.Options, frames []fakes.Frame, act func(context.Context, int, *openclaw.Runtime, executor.Adapter, *executor.Run) error) (got conversation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o.Seed, o.Tick = 1, 100*time.Millisecond // twice of it is a silence that ends a connection
	runtime, err := openclaw.New(ctx, o)
	must(err)
	defer func() { must(runtime.Close()) }()
	a := openclawadapter.New(openclawadapter.Options{
		URL: runtime.Endpoint().URL, Token: strings.TrimPrefix(runtime.Endpoint().Env[0], openclaw.EnvToken+"="), Agent: "main",
		ConnectTimeout: 2 * time.Second, RequestTimeout: 3 * time.Second, ReconnectDelay: 5 * time.Millisecond,
		Settle: 100 * time.Millisecond, Grace: 100 * time.Millisecond, MaxFrame: 1 << 20,
	})
	defer func() { must(a.Dispose(ctx)) }()
	var handle *executor.Run
	for range 2 { // the first attempt may meet the fault
		if handle, err = a.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "go"}); err == nil {
			break
		}
	}
	must(err)
	stream := a.Events(handle)
	native, err := runtime.Next(ctx)
	must(err)
	got.frames = 4 // challenge, hello, acknowledgement and history
	for i, f := range frames {
		if act != nil {
			must(act(ctx, i, runtime, a, handle))
		}
		r, err := native.Emit(ctx, f)
		if act == nil {
			must(err) // a run that was interrupted may say nothing more
		}
		got.frames += r.Frames
	}
	for {
		e, err := stream.Next(ctx)
		if err != nil {
			t.Fatalf("%v after %q", err, brief(got.events))
		}
		got.events = append(got.events, e)
		if e.Kind() == executor.KindDone {
			break
		}
	}
	must(stream.Close())
	return got
}
