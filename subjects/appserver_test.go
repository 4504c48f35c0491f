package subjects_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/adapters/codex"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes/codex/appserver"
	"github.com/adaptercheck/adaptercheck/fixtures"
)

// What the real app-server said, through a real child process that answers as it did,
// and the adapter: each recording has its right list of events. The host says yes or no
// to what it is asked, and gives up a run at its fourth piece where the recorded one did.
func TestCodexAppServerRecordings(t *testing.T) {
	const patch = `{"changes":[{"path":"<CWD>/new.txt","kind":{"type":"add"},"diff":"hello\n"}]}`
	head := []string{"status init", "status running"}
	cost := "cost 70+30 in, 20 out, price unknown"
	for name, test := range map[string]struct {
		allow bool
		abort bool
		want  []string
	}{
		"app-text": {want: []string{
			`text "Hello f"`, `text "rom the"`, `text " fake p"`, `text "rovider"`, `text "."`, cost, `done success "Hello from the fake provider."`,
		}},
		"app-approve-accept": {allow: true, want: []string{
			"call <CALLID_1> apply_patch " + patch, "status running approval-requested:<CALLID_1>", `result <CALLID_1> apply_patch ""`,
			cost, `text "Patched"`, `text "."`, cost, `done success "Patched."`,
		}},
		"app-approve-decline": {want: []string{
			"call <CALLID_1> apply_patch " + patch, "status running approval-requested:<CALLID_1>", `result <CALLID_1> apply_patch "" failed`,
			cost, `text "Patched"`, `text "."`, cost, `done success "Patched."`,
		}},
		"app-interrupt": {abort: true, want: []string{
			`text "tick 0 "`, `text "tick 1 "`, `text "tick 2 "`, `text "tick 3 "`, `done aborted "tick 0 tick 1 tick 2 tick 3 "`,
		}},
		// What the lost attempt said is not said again.
		"app-cut": {want: []string{
			`text "Half "`, `text "of an "`, `text "answ"`, "status running retry", "error runtime-error fatal", `done error "Half of an answ"`,
		}},
		"app-err401": {want: []string{"status running retry", "error runtime-error fatal", `done error ""`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recording, err := fixtures.Load("codex-0.171.0", name)
			if err != nil {
				t.Fatal(err)
			}
			runtime, err := appserver.New(t.Context(), appserver.Options{Recording: recording.Stdout})
			if err != nil {
				t.Fatal(err)
			}
			defer runtime.Close()
			at := runtime.Endpoint()
			a := codex.New(codex.Options{Mode: codex.ModeAppServer, Command: at.Command, Env: at.Env, Home: at.Dir, Dir: t.TempDir(), Grace: 10 * time.Second})
			defer a.Dispose(t.Context())
			handle, err := a.Start(t.Context(), executor.TaskHandle{}, executor.StartOpts{SessionKey: "s", Message: "go"})
			if err != nil {
				t.Fatal(err)
			}
			var events []executor.Event
			for e, err := range executor.All(t.Context(), a.Events(handle)) {
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, e)
				switch e := e.(type) {
				case executor.Status:
					if id, asked := strings.CutPrefix(e.Detail, executor.DetailApproval+":"); asked {
						err = a.Approve(t.Context(), handle, id, test.allow)
					}
				case executor.TextDelta:
					if test.abort && e.Text == "tick 3 " {
						err = a.Abort(t.Context(), handle)
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
			for _, f := range verify.Whole(events) {
				t.Errorf("event %d: %s", f.Index, f.Code)
			}
			if diff := cmp.Diff(append(head[:2:2], test.want...), brief(events)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
