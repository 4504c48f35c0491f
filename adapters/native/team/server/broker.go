package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/adaptercheck/adaptercheck/adapters/native/team/store"
)

// approvalTime is how long a question waits for its answer unless told otherwise.
const approvalTime = 2 * time.Minute

// Request asks whether a call may be made.
type Request struct {
	Tool string
	// Input is the call's arguments, a JSON object.
	Input jsontext.Value
	// Why the call needs to be asked for.
	Why     string
	AgentID string
	TeamID  string
}

// Approve answers a [Request]. It obeys ctx, which ends with the time for the answer
// or with the run. An error is no approval.
type Approve func(ctx context.Context, r Request) (bool, error)

// broker decides on calls of tools and writes each of them to the audit, one row a
// call, before the call does anything. A call that cannot be written down is not made.
type broker struct {
	store   *store.Store
	run     Run
	approve Approve
	wait    time.Duration
}

// policy is what a tool needs.
type policy struct {
	// lacks says what a tool is missing here, if anything; empty is nothing.
	lacks func() string
	// why a call needs approval; empty is that it does not.
	why string
}

// brokered puts a tool into a server whose calls go through a broker.
func brokered[In any](b box, by broker, name, description string, p policy, narrow func(map[string]*jsonschema.Schema), do func(context.Context, In) (string, error)) {
	schema, resolved := schemaOf[In](narrow)
	b.put(name, description, schema, func(ctx context.Context, raw []byte) (string, error) {
		call := store.Call{Tool: name, AgentID: by.run.AgentID, TeamID: by.run.TeamID, Input: string(raw)}
		in, err := arguments[In](raw, resolved)
		if err != nil {
			return "", by.refuse(ctx, call, "invalid args", err)
		}
		if lack := p.lacking(); lack != "" {
			return "", by.refuse(ctx, call, "unavailable:"+lack, nil)
		}
		if p.why != "" {
			if no := by.ask(ctx, name, raw, p.why); no != "" {
				return "", by.refuse(ctx, call, "approval:"+no, nil)
			}
			call.Reason = "approved"
		}
		return by.carry(ctx, call, func() (string, error) { return do(ctx, in) })
	})
}

func (p policy) lacking() string {
	if p.lacks == nil {
		return ""
	}
	return p.lacks()
}

// refuse writes down that a call was not made, and says why: as a denial unless there
// is another error for it.
func (by broker) refuse(ctx context.Context, call store.Call, reason string, err error) error {
	call.Decision, call.Reason = store.Denied, reason
	if err == nil {
		err = denied(reason)
	}
	// A call whose run is over is written down too.
	if _, failed := by.store.Record(context.WithoutCancel(ctx), call); failed != nil {
		return fmt.Errorf("%w (nor could the audit be written)", err)
	}
	return err
}

// ask says why a call was not approved; empty is that it was.
func (by broker) ask(ctx context.Context, tool string, input []byte, why string) string {
	if by.approve == nil {
		return "nobody to ask"
	}
	bounded, cancel := context.WithTimeout(ctx, by.wait)
	defer cancel()
	type reply struct {
		yes bool
		err error
	}
	answered := make(chan reply, 1)
	go func() {
		yes, err := by.approve(bounded, Request{Tool: tool, Input: input, Why: why, AgentID: by.run.AgentID, TeamID: by.run.TeamID})
		answered <- reply{yes, err}
	}()
	select {
	case r := <-answered:
		if r.yes && r.err == nil && bounded.Err() == nil {
			return ""
		}
		if bounded.Err() == nil {
			return "denied"
		}
	case <-bounded.Done():
	}
	if ctx.Err() != nil {
		return "aborted"
	}
	return "timeout"
}

// carry makes a call that may be made.
func (by broker) carry(ctx context.Context, call store.Call, do func() (string, error)) (string, error) {
	call.Decision = store.Allowed
	n, err := by.store.Record(ctx, call)
	if err != nil {
		return "", errors.New("not called: the audit could not be written")
	}
	output, err := do()
	// The call has been made, whatever becomes of its row: that then has no outcome.
	_ = by.store.Ended(context.WithoutCancel(ctx), n, err != nil)
	return output, err
}
