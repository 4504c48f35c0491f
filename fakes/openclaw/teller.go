package openclaw

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// teller says frames in the events of the gateway.
type teller struct{ run *Run }

var _ fakes.FrameVisitor = teller{}

func (t teller) Delta(f fakes.Delta) error {
	v := t.run.voiceOf(f.Run)
	if f.At != nil {
		v.place(*f.At, f.Text)
	} else {
		v.delta(f.Text)
	}
	return nil
}

func (t teller) Think(f fakes.Think) error {
	t.run.voice.think(f.Text)
	return nil
}

func (t teller) Snapshot(f fakes.Snapshot) error {
	t.run.voice.snapshot(f.Text)
	return nil
}

func (t teller) Final(f fakes.Final) error {
	if f.Text != nil {
		t.run.voice.final(*f.Text)
	}
	return nil
}

func (t teller) Init(f fakes.Init) error {
	t.run.begin(f)
	return nil
}

func (t teller) ToolCall(f fakes.ToolCall) error {
	t.run.voice.call(f)
	return nil
}

func (t teller) Result(f fakes.Result) error {
	t.run.voiceOf(f.Run).result(f)
	return nil
}

func (t teller) Usage(f fakes.Usage) error {
	t.run.voice.use(f)
	return nil
}

func (t teller) End(f fakes.End) error {
	v := t.run.voiceOf(f.Run)
	switch {
	case f.Error:
		v.fail("", f.Text)
	case f.Reason == fakes.EndAborted:
		v.abort()
		v.aborted()
	default:
		v.end(stopReasons[f.Reason])
	}
	return nil
}

// stopReasons are the gateway's words for how a run ended.
var stopReasons = map[fakes.EndReason]string{fakes.EndOK: "stop", fakes.EndLength: "length", fakes.EndToolUse: "toolUse"}

func (t teller) Failure(f fakes.Failure) error {
	v := t.run.voiceOf(f.Run)
	if f.Fatal {
		v.fail(f.Code, f.Message)
	} else {
		v.retry(f.Code, f.Message)
	}
	return nil
}

func (t teller) Turn(f fakes.Turn) error {
	v := t.run.voiceOf(f.Run)
	v.quiet()
	if f.State == "retry" {
		v.retry("", f.Text)
	} else {
		v.progress("starting_model")
	}
	return nil
}

func (t teller) Ask(f fakes.Ask) error {
	t.run.ask(f)
	return nil
}

func (t teller) Native(f fakes.Native) error {
	t.run.voice.quiet()
	t.run.voice.say(f.Type, newObject().members(bytes.TrimSpace([]byte(f.Fields))), readers(t.run.session.key), true)
	return nil
}

func (t teller) Raw(f fakes.Raw) error {
	run := t.run
	run.voice.quiet()
	hears := readers(run.session.key)
	line := bytes.ToValidUTF8([]byte(f.Line), []byte("\ufffd")) // a text message is UTF-8, or a client must hang up
	if f.EOL == fakes.EOLCRLF {
		line = append(line, "\r\n"...)
	}
	for c := range run.gateway.conns {
		if c.known && hears(c) {
			c.post(parcel{text: line, piece: f.Piece})
			run.receipt.Bytes += int64(len(line))
		}
	}
	return nil
}

func (t teller) Cut(fakes.Cut) error {
	t.run.rest()
	t.run.gateway.goDown(Drop)
	return nil
}

func (t teller) Silent(fakes.Silent) error {
	t.run.rest()
	t.run.silent, t.run.passive = true, true
	return nil
}

// What the wire has no form for does nothing: playable has said so before.

func (t teller) CallPart(fakes.CallPart) error { return nil }
func (t teller) Ack(fakes.Ack) error           { return nil }
func (t teller) Reject(fakes.Reject) error     { return nil }
func (t teller) Attempt(fakes.Attempt) error   { return nil }
func (t teller) Log(fakes.Log) error           { return nil }
func (t teller) Stderr(fakes.Stderr) error     { return nil }
func (t teller) Exit(fakes.Exit) error         { return nil }
func (t teller) Child(fakes.Child) error       { return nil }
func (t teller) Ignore(fakes.Ignore) error     { return nil }

// playable reports why the wire has no form for a frame; nil is that it has one.
func (v version) playable(f fakes.Frame) error {
	switch f := f.(type) {
	case fakes.CallPart:
		return unplayable("a call comes with its whole input")
	case fakes.Ack, fakes.Reject:
		return unplayable("requests are answered as they come")
	case fakes.Attempt:
		return unplayable("the gateway's provider is not to be seen")
	case fakes.Log, fakes.Stderr, fakes.Exit, fakes.Child, fakes.Ignore:
		return unplayable("a connection has no process")
	case fakes.Delta:
		return ofParent(f.Parent)
	case fakes.Think:
		return ofParent(f.Parent)
	case fakes.Final:
		return ofParent(f.Parent)
	case fakes.ToolCall:
		if f.Input != "" && !jsontext.Value(f.Input).IsValid() {
			return unplayable("an input that is no JSON")
		}
		return ofParent(f.Parent)
	case fakes.Result:
		if f.Details != "" && !jsontext.Value(f.Details).IsValid() {
			return unplayable("details that are no JSON")
		}
		return ofParent(f.Parent)
	case fakes.Native:
		if v := jsontext.Value(f.Fields); f.Fields != "" && (v.Kind() != '{' || !v.IsValid()) {
			return unplayable("fields that are no object")
		}
	case fakes.End:
		if _, known := stopReasons[f.Reason]; !known && !f.Error && f.Reason != fakes.EndAborted {
			return unplayable("no run ends by %s", f.Reason)
		}
	case fakes.Turn:
		if f.State != "retry" && (!v.modern || f.State != "thinking" && f.State != "running") {
			return unplayable("no state %q", f.State)
		}
	}
	return nil
}

func ofParent(call string) error {
	if call != "" {
		return unplayable("nested agents do not speak")
	}
	return nil
}

func unplayable(what string, args ...any) error {
	return fmt.Errorf("openclaw: %s: %w", fmt.Sprintf(what, args...), fakes.ErrUnplayable)
}
