package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// harnessRun is one run in the subject's fake.
type harnessRun struct {
	r       *harness
	h       *handle
	session string
	message string
	seen    int // calls that had been made before the start
	start   int // the call that is the start, or -1

	mu      sync.Mutex
	begun   fakes.Call
	ids     []string // native run ids that the suite gave it
	natives []string // native session ids likewise
	asked   []string // questions that it put
}

var _ fakes.Run = (*harnessRun)(nil)

// Begun is what reached the fake when the run started: the longest string that
// holds the message, and all of it as JSON text in Args. It has no method if the fake
// does not record starts.
func (run *harnessRun) Begun() fakes.Call { return run.begun }

type emitParams struct {
	Instance string           `json:"instance"`
	Frame    jsontext.Value   `json:"frame,omitzero"`
	Frames   []jsontext.Value `json:"frames,omitzero"`
	Session  string           `json:"session"`
	Run      jsontext.Value   `json:"run"`
}

// maxBatch is how many frames go into one request.
const maxBatch = 500

// Emit lets the fake say the frames: one request each, or several in one for a
// subject that takes them so.
func (run *harnessRun) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	size := 1
	if run.r.a.p.hello.Batch {
		size = maxBatch
	}
	said := 0
	for some := range slices.Chunk(frames, size) {
		p := emitParams{Instance: run.r.a.name, Session: run.session, Run: run.h.name}
		for _, f := range some {
			raw, err := writeFrame(f)
			if err != nil {
				return fakes.Receipt{Frames: said}, err
			}
			run.learn(f)
			p.Frames = append(p.Frames, raw)
		}
		if len(some) == 1 {
			p.Frame, p.Frames = p.Frames[0], nil
		}
		got, err := run.r.a.s.ask(ctx, "harness/emit", p)
		if err == nil && isTrue(got.Unplayable) {
			err = fmt.Errorf("frame %s: %w", some[0].Word(), fakes.ErrUnplayable)
		}
		if err != nil {
			return fakes.Receipt{Frames: said}, err
		}
		said += len(some)
	}
	return fakes.Receipt{Frames: said}, nil
}

// learn keeps the ids that a frame gives to the adapter.
func (run *harnessRun) learn(f fakes.Frame) {
	run.mu.Lock()
	defer run.mu.Unlock()
	switch f := f.(type) {
	case fakes.Init:
		if f.Run != "" {
			run.ids = append(run.ids, f.Run)
		}
		if f.Session != "" {
			run.natives = append(run.natives, f.Session)
			run.r.a.p.native(f.Session)
		}
	case fakes.Ask:
		run.asked = append(run.asked, f.ID)
	}
}

// Fault makes the run misbehave.
func (run *harnessRun) Fault(ctx context.Context, f fakes.Fault) error {
	return run.r.fault(ctx, faultParams{run.r.a.name, string(f.Kind), f.Delay, run.session, run.h.name})
}

// Calls lists what reached the fake since the run started and belongs to it.
func (run *harnessRun) Calls() []fakes.Call {
	r := run.r
	all, err := r.calls(r.a.life)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var mine []fakes.Call
	for i, c := range all {
		if i < run.seen || i <= run.start || r.claimed[i] {
			continue
		}
		if strings.TrimSpace(c.Method) != "" && r.owner(i, c) == run {
			mine = append(mine, r.call(c, run))
		}
	}
	return mine
}

// Gone cannot be seen in another process's fake.
func (run *harnessRun) Gone(context.Context) error {
	return fmt.Errorf("letting go of a run: %w", fakes.ErrUnplayable)
}
