package puppet

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// script is how far the answer under way has come. Who plays the run has it.
type script struct {
	said     []fakes.Frame // of the answer, and not on the wire yet
	made     []string      // calls of the answer, by their ids on the wire
	answered bool          // one of them has a result
	spoken   bool          // something of the answer is on the wire
	counted  bool          // the answer has its count of tokens
	used     fakes.Usage   // what was counted in it
	wire     map[string]string
	unnamed  int
	receipt  fakes.Receipt
}

// Emit lets the provider say the frames in its answers. It waits for the requests that it
// needs. After the end of the run it is [fakes.ErrGone]. Receipt counts events.
func (r *Run) Emit(ctx context.Context, frames ...fakes.Frame) (fakes.Receipt, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return fakes.Receipt{}, context.Cause(ctx)
	}
	for i, f := range frames {
		if err := f.Accept(playable{r}); err != nil {
			return fakes.Receipt{}, &fakes.FrameError{Index: i, Word: f.Word(), Err: err}
		}
	}
	r.mu.Lock()
	over, silent := r.ended, r.silenced
	r.mu.Unlock()
	switch {
	case over:
		return fakes.Receipt{}, fmt.Errorf("provider puppet: %w", fakes.ErrGone)
	case silent:
		return fakes.Receipt{Session: r.thread.name}, nil
	}
	r.receipt = fakes.Receipt{Session: r.thread.name}
	err := r.play(ctx, frames)
	r.said = nil
	if err != nil {
		return r.receipt, fmt.Errorf("provider puppet: %w", err)
	}
	return r.receipt, nil
}

func (r *Run) play(ctx context.Context, frames []fakes.Frame) error {
	for i, f := range frames {
		if terminal(f) {
			return r.finish(ctx, f, frames[i+1:])
		}
		if err := r.frame(ctx, f); err != nil {
			return err
		}
	}
	if len(r.made) > 0 {
		return r.close(ctx)
	}
	return r.flush(ctx)
}

func terminal(f fakes.Frame) bool {
	switch f := f.(type) {
	case fakes.End, fakes.Cut, fakes.Silent:
		return true
	case fakes.Failure:
		return f.Fatal
	}
	return false
}

// frame adds a frame to the answer, or to the next where this one is over.
func (r *Run) frame(ctx context.Context, f fakes.Frame) error {
	switch f := f.(type) {
	case fakes.Result:
		if id, known := r.wire[f.ID]; known {
			r.settle(id, f)
			r.answered = r.answered || slices.Contains(r.made, id)
		}
		return nil
	case fakes.ToolCall:
		f.ID = r.name(f.ID)
		r.makes(f.ID)
		r.made = append(r.made, f.ID)
		r.said = append(r.said, f)
		return nil
	case fakes.Ask:
		r.mu.Lock()
		r.question = r.name(f.ID)
		r.mu.Unlock()
		r.idle(r.question, Guarded)
		return nil
	}
	if r.answered { // what follows a result is of the next turn
		if err := r.close(ctx); err != nil {
			return err
		}
	}
	switch f := f.(type) {
	case fakes.Usage:
		return r.count(ctx, f)
	case fakes.Failure:
		return r.refuse(ctx, f)
	}
	r.said = append(r.said, f)
	return nil
}

// name is the id of a call on the wire: the frame's, where no other call of the
// conversation has it.
func (r *Run) name(id string) string {
	given := id
	if given == "" {
		r.unnamed++
		given = fmt.Sprintf("call_%d", r.unnamed)
	}
	on := given
	for n := 2; r.thread.ids[on]; n++ {
		on = fmt.Sprintf("%s-%d", given, n)
	}
	r.thread.ids[on] = true
	r.wire[id] = on
	return on
}

// idle lets the model make a call that has its result.
func (r *Run) idle(id, name string) {
	r.makes(id)
	r.settle(id, fakes.Result{})
	r.made = append(r.made, id)
	r.said = append(r.said, fakes.ToolCall{ID: id, Name: name, Input: "{}"})
	r.answered = true
}

// rest ends a turn that says nothing more.
func (r *Run) rest(ctx context.Context) error {
	r.unnamed++
	id := r.name(fmt.Sprintf("idle_%d", r.unnamed))
	r.idle(id, idle)
	return r.close(ctx)
}

// count adds a count of tokens. That of a turn of its own is told in one; a running total
// is what the conversation has used by now.
func (r *Run) count(ctx context.Context, u fakes.Usage) error {
	t := r.thread
	more := fakes.Usage{In: u.In, Out: u.Out, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, CostUSD: u.CostUSD}
	switch u.Kind {
	case fakes.UsageTurn, "":
		if r.counted {
			if err := r.rest(ctx); err != nil {
				return err
			}
		}
	case fakes.UsageLast:
		more = fakes.Usage{In: since(u.TotalIn, t.in), Out: since(u.TotalOut, t.out)}
	case fakes.UsageTotal:
		more = fakes.Usage{In: since(u.In, t.in), Out: since(u.Out, t.out), CacheRead: since(u.CacheRead, t.cacheRead), CacheWrite: since(u.CacheWrite, t.cacheWrite)}
	}
	for _, n := range []struct {
		total *int64
		used  **int64
		more  *int64
	}{{&t.in, &r.used.In, more.In}, {&t.out, &r.used.Out, more.Out}, {&t.cacheRead, &r.used.CacheRead, more.CacheRead}, {&t.cacheWrite, &r.used.CacheWrite, more.CacheWrite}} {
		if n.more == nil {
			continue
		}
		*n.total += *n.more
		sum := *n.more
		if *n.used != nil {
			sum += **n.used
		}
		*n.used = &sum
	}
	if more.CostUSD != nil {
		r.used.CostUSD = more.CostUSD
	}
	r.counted = true
	r.said = append(r.said, r.used)
	return nil
}

// since is what a total has grown by.
func since(total *int64, before int64) *int64 {
	if total == nil {
		return nil
	}
	grown := max(0, *total-before)
	return &grown
}

// await waits for a request to answer. Calls without a result fail: the run would not go
// on otherwise.
func (r *Run) await(ctx context.Context) (*provider.Call, error) {
	r.mu.Lock()
	call := r.call
	r.mu.Unlock()
	if call != nil {
		return call, nil
	}
	r.abandon()
	err := r.wait(ctx, func() bool { return r.call != nil || r.ended })
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.call == nil {
		err = fakes.ErrGone
	}
	return r.call, err
}

// flush says what is to be said in the answer under way.
func (r *Run) flush(ctx context.Context) error {
	if len(r.said) == 0 {
		return nil
	}
	call, err := r.await(ctx)
	if err != nil {
		return err
	}
	return r.tell(ctx, call)
}

func (r *Run) tell(ctx context.Context, call *provider.Call) error {
	told, err := call.Emit(ctx, r.said...)
	r.said, r.spoken = nil, r.spoken || len(r.said) > 0
	r.receipt.Frames += told.Frames
	r.receipt.Bytes += told.Bytes
	return err
}

// last is the request under way, with nothing to come but the end of the answer: the
// runtime may ask again as soon as it has read that.
func (r *Run) final(ctx context.Context, over bool) (*provider.Call, error) {
	call, err := r.await(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.call = nil
	r.ended = r.ended || over
	r.announce()
	return call, nil
}

// close ends the answer under way, for the results of the calls in it.
func (r *Run) close(ctx context.Context) error {
	call, err := r.final(ctx, false)
	if err != nil {
		return err
	}
	r.said = append(r.said, fakes.End{Reason: fakes.EndToolUse})
	err = r.tell(ctx, call)
	r.anew()
	return err
}

// refuse answers a request with a status, for which the runtime can ask somewhere else. One
// that has been answered in part is not refused any more: the next one is.
func (r *Run) refuse(ctx context.Context, f fakes.Failure) error {
	switch {
	case len(r.made) > 0:
		if err := r.close(ctx); err != nil {
			return err
		}
	case r.spoken || len(r.said) > 0:
		if err := r.rest(ctx); err != nil {
			return err
		}
	}
	call, err := r.final(ctx, false)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.refused++
	r.mu.Unlock()
	status := 503
	if n, err := strconv.Atoi(f.Code); err == nil {
		status = n
	}
	return call.Refuse(ctx, provider.Refusal{Status: status, Message: f.Message})
}

// anew begins another answer.
func (r *Run) anew() {
	r.made, r.answered, r.spoken, r.counted, r.used = nil, false, false, false, fakes.Usage{}
}

// finish ends the run, and says what comes behind the end.
func (r *Run) finish(ctx context.Context, f fakes.Frame, behind []fakes.Frame) error {
	if r.answered {
		if err := r.close(ctx); err != nil {
			return err
		}
	}
	if end, is := f.(fakes.End); is && end.Reason == fakes.EndMaxTurns && !end.Error {
		return r.exhaust(ctx)
	}
	if _, is := f.(fakes.Silent); is {
		if err := r.flush(ctx); err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.silenced = true
		return nil
	}
	call, err := r.final(ctx, true)
	if err != nil {
		return err
	}
	r.abandon() // nothing comes that could be a result
	if failure, is := f.(fakes.Failure); is && !r.spoken && len(r.said)+len(behind) == 0 {
		failure.Code = "400" // a runtime asks nobody else then
		f = failure
	}
	if len(behind) > 0 {
		r.said = append(r.said, late(r.runtime.dialect, f))
		for _, b := range behind {
			r.said = append(r.said, late(r.runtime.dialect, b))
		}
		f = fakes.End{Reason: fakes.EndOK}
	}
	r.said = append(r.said, f)
	return r.tell(ctx, call)
}

// exhaust lets the model go on until the runtime's turns are used up.
func (r *Run) exhaust(ctx context.Context) error {
	for {
		if _, err := r.await(ctx); err != nil {
			return err
		}
		r.mu.Lock()
		last := r.asked-r.refused >= MaxTurns
		r.mu.Unlock()
		if err := r.rest(ctx); err != nil {
			return err
		}
		if last {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ended = true
			r.announce()
			return nil
		}
	}
}
