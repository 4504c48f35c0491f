package codex

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// planTool is the tool of the model's to-do list, which is one item of the turn,
// however often it is called.
const planTool = "update_plan"

// todosOf reads the input of that tool.
func todosOf(input jsontext.Value) ([]todo, error) {
	var given struct {
		Plan []struct {
			Step   string `json:"step"`
			Status string `json:"status"`
		} `json:"plan"`
	}
	if json.Unmarshal(input, &given, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, unplayable("a plan without steps, {plan: [{step: …, status: …}]}")
	}
	todos := []todo{}
	for _, step := range given.Plan {
		todos = append(todos, todo{step.Step, step.Status == "completed"})
	}
	return todos, nil
}

// note takes down the model's to-do list. A version that offers none refuses the
// model the call, on stderr alone.
func (r *renderer) note(input jsontext.Value) error {
	todos, err := todosOf(input)
	if err != nil {
		return err
	}
	if !r.version.plans {
		return r.Log(fakes.Log{Text: logTime + " ERROR codex_core::tools::router: error=unsupported call: " + planTool})
	}
	event := "item.updated"
	if r.plan == nil {
		event, r.plan = "item.started", &todoItem{ID: r.nextItem(), Type: "todo_list"}
	}
	r.plan.Items = todos
	return r.print(itemLine{event, *r.plan})
}

// logTime is when the CLI logs.
const logTime = "2026-12-01T00:00:00.000000Z"

// closeNote ends the to-do list, which ends with the turn.
func (r *renderer) closeNote() error {
	if r.plan == nil {
		return nil
	}
	item := *r.plan
	r.plan = nil
	return r.print(itemLine{"item.completed", item})
}
