package puppet

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// playable visits a frame before anything is said: what this wire has no form for is an
// error.
type playable struct{ run *Run }

var _ fakes.FrameVisitor = playable{}

func (playable) Init(fakes.Init) error {
	return unplayable("a first life sign: a provider only answers")
}

func (playable) Delta(f fakes.Delta) error {
	if f.At != nil || f.Run != "" || f.Parent != "" {
		return unplayable("a place, another run, or a nested agent")
	}
	return nil
}

func (playable) Think(f fakes.Think) error { return nested(f.Parent) }

func (playable) Snapshot(fakes.Snapshot) error { return unplayable("text that is said again") }

func (playable) Final(f fakes.Final) error {
	if f.Text == nil {
		return unplayable("a message without a text")
	}
	return nested(f.Parent)
}

func (playable) ToolCall(f fakes.ToolCall) error {
	if f.Input != "" && jsontext.Value(f.Input).Kind() != '{' {
		return unplayable("a tool's input that is no object")
	}
	return nested(f.Parent)
}

func (playable) CallPart(fakes.CallPart) error { return unplayable("pieces of a tool's input") }

func (playable) Result(f fakes.Result) error {
	if f.Run != "" {
		return unplayable("a result in another run")
	}
	return nested(f.Parent)
}

func (playable) Usage(fakes.Usage) error { return nil }

func (playable) End(f fakes.End) error {
	if f.Error {
		return unplayable("an end with a flag that says otherwise: an answer has its reason alone")
	}
	switch f.Reason {
	case fakes.EndOK, fakes.EndLength, fakes.EndRefusal, fakes.EndMaxTurns:
		return nil
	}
	return unplayable("an end by %s", f.Reason)
}

func (playable) Failure(f fakes.Failure) error {
	n, err := strconv.Atoi(f.Code)
	switch {
	case f.Run != "":
		return unplayable("an error of another run")
	case !f.Fatal && f.Code != "" && (err != nil || n != 429 && n/100 != 5):
		return unplayable("an error of code %q, for which nobody else is asked", f.Code)
	}
	return nil
}

func (playable) Turn(f fakes.Turn) error {
	if f.State != "text-end" || f.Run != "" {
		return unplayable("turn state %q", f.State)
	}
	return nil
}

func (p playable) Ask(fakes.Ask) error {
	p.run.mu.Lock()
	defer p.run.mu.Unlock()
	if p.run.question != "" {
		return unplayable("a second question while one is open")
	}
	return nil
}

func (playable) Ack(fakes.Ack) error         { return unplayable("a request of a host") }
func (playable) Reject(fakes.Reject) error   { return unplayable("a request of a host") }
func (playable) Attempt(fakes.Attempt) error { return unplayable("an attempt") }
func (playable) Native(fakes.Native) error   { return nil }
func (playable) Log(fakes.Log) error         { return unplayable("a log") }
func (playable) Raw(fakes.Raw) error         { return unplayable("raw bytes") }
func (playable) Stderr(fakes.Stderr) error   { return unplayable("a second channel") }
func (playable) Exit(fakes.Exit) error       { return unplayable("a process") }
func (playable) Cut(fakes.Cut) error         { return nil }
func (playable) Silent(fakes.Silent) error   { return nil }
func (playable) Child(fakes.Child) error     { return unplayable("a process") }
func (playable) Ignore(fakes.Ignore) error   { return unplayable("a process") }

func nested(parent string) error {
	if parent != "" {
		return unplayable("what a nested agent does")
	}
	return nil
}
