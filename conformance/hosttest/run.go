package hosttest

import (
	"context"
	"net/http"

	"github.com/adaptercheck/adaptercheck/conformance/check"
)

func runChecks() []check.Check {
	return []check.Check{
		{
			ID: "host.run.task-required", Case: "run", Clause: "host#run-refusals",
			Level: check.Must, Provenance: check.Stated, Codes: codes("no-task-run", "refusal-shape"),
			Title: "runs nothing without a task",
			Run: with(func(ctx context.Context, t *T) {
				for _, o := range []object{{}, {"taskId": ""}, {"assigneeAgentId": "native-coder-abc123"}} {
					a := t.post(ctx, nativePath+"/run", o)
					t.demand(a.status == http.StatusBadRequest, "no-task-run", "%v: %s", o, a)
					t.demand(a.refused(), "refusal-shape", "%v: %s", o, a)
				}
			}),
		},
		// The id of an agent becomes the name of a directory.
		{
			ID: "host.run.assignee", Case: "run", Clause: "host#run-refusals",
			Level: check.Must, Provenance: check.Stated, Codes: codes("assignee-accepted", "refusal-shape"),
			Title: "refuses an assignee that is no agent's id",
			Run: with(func(ctx context.Context, t *T) {
				for _, id := range []string{"../elsewhere", "a/b", "a b", `a\b`, "a\x00b", "ä", "."} {
					a := t.post(ctx, nativePath+"/run", object{"taskId": "no-such-task", "assigneeAgentId": id})
					t.demand(a.status == http.StatusBadRequest, "assignee-accepted", "%q: %s", id, a)
					t.demand(a.refused(), "refusal-shape", "%q: %s", id, a)
				}
			}),
		},
		{
			ID: "host.run.unknown-task", Case: "run", Clause: "host#run-refusals",
			Level: check.Must, Provenance: check.Stated, Codes: codes("unknown-task-status", "refusal-shape"),
			Title: "finds no task that there is not",
			Run: with(func(ctx context.Context, t *T) {
				for _, o := range []object{{"taskId": "no-such-task"}, {"taskId": "../../etc/passwd", "assigneeAgentId": "native-coder-abc123"}} {
					a := t.post(ctx, nativePath+"/run", o)
					t.demand(a.status == http.StatusNotFound, "unknown-task-status", "%s", a)
					t.demand(a.fields()["ok"] != true, "refusal-shape", "%s", a)
				}
			}),
		},
	}
}
