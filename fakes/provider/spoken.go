package provider

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// What each frame means for the answer. A frame that this wire has no form for is
// [fakes.ErrUnplayable].

var _ fakes.FrameVisitor = (*speaker)(nil)

func (s *speaker) Init(f fakes.Init) error {
	if s.began {
		return unplayable("an init in the middle of an answer")
	}
	s.id, s.model = f.Run, f.Model // session and directory are none of a provider's business
	return nil
}

func (s *speaker) Delta(f fakes.Delta) error {
	switch {
	case f.Run != "":
		return unplayable("a frame of another run")
	case f.Parent != "":
		return unplayable("what a nested agent says")
	case f.At != nil:
		return unplayable("a place in the text")
	}
	s.piece(textBlock, f.Msg+"\x00"+f.Part, f.Text)
	return nil
}

func (s *speaker) Think(f fakes.Think) error {
	if f.Parent != "" {
		return unplayable("what a nested agent thinks")
	}
	s.piece(thinkBlock, "", f.Text)
	return nil
}

func (s *speaker) Snapshot(f fakes.Snapshot) error {
	if !s.grow("\x00"+f.Part, f.Text) {
		return unplayable("a text that does not go on from the one so far")
	}
	return nil
}

func (s *speaker) Final(f fakes.Final) error {
	switch {
	case f.Parent != "":
		return unplayable("what a nested agent says")
	case f.Text == nil:
		return unplayable("a message whose text is null")
	}
	if b := s.last(); b != nil && b.ofAnother(f.Msg) {
		s.shut()
	}
	if !s.grow(f.Msg+"\x00", *f.Text) {
		s.shut()
		s.piece(textBlock, f.Msg+"\x00", *f.Text)
	}
	s.shut()
	return nil
}

func (s *speaker) ToolCall(f fakes.ToolCall) error {
	if f.Parent != "" {
		return unplayable("a call of a nested agent")
	}
	input := f.Input
	if input == "" {
		input = "{}"
	}
	if !jsontext.Value(input).IsValid() {
		return unplayable("tool input that is no JSON; parts of a call may be")
	}
	b := s.newCall(f.ID, f.Name, -1)
	s.hold(b)
	s.say(b, b.tool.input(input))
	s.shut()
	return nil
}

func (s *speaker) CallPart(f fakes.CallPart) error {
	var b *block
	for _, open := range s.opened {
		if open.kind == callBlock && open.part == f.Index {
			b = open
		}
	}
	if b == nil {
		if f.Name == "" {
			return unplayable("a first piece of a call without a name")
		}
		b = s.newCall(f.ID, f.Name, f.Index)
		s.hold(b)
	}
	s.say(b, f.Fragment)
	return nil
}

// Result is of the client, not of the provider.
func (s *speaker) Result(fakes.Result) error {
	return unplayable("a tool's result: the client sends it, and a provider answers")
}

func (s *speaker) Usage(f fakes.Usage) error {
	if f.Kind != fakes.UsageTurn && f.Kind != "" {
		return unplayable("running totals: a provider counts one answer")
	}
	number := func(to *int64, from *int64) {
		if from != nil {
			*to = *from
		}
	}
	number(&s.usage.in, f.In)
	number(&s.usage.out, f.Out)
	number(&s.usage.cacheRead, f.CacheRead)
	number(&s.usage.cacheWrite, f.CacheWrite)
	number(&s.usage.reasoning, f.Reasoning)
	if f.CostUSD != nil {
		s.usage.cost = f.CostUSD
	}
	s.usage.said = true
	return nil
}

func (s *speaker) End(f fakes.End) error {
	switch {
	case f.Run != "":
		return unplayable("a frame of another run")
	case f.Error:
		s.fail(Refusal{Status: 500, Message: f.Text})
		return nil
	}
	switch f.Reason {
	case fakes.EndOK, fakes.EndLength, fakes.EndToolUse, fakes.EndRefusal:
		s.stop(f.Reason)
		return nil
	}
	return unplayable("an end by %s", f.Reason)
}

func (s *speaker) Failure(f fakes.Failure) error {
	if f.Run != "" {
		return unplayable("a frame of another run")
	}
	s.fail(failure(f))
	return nil
}

// Attempt is an answer of its own; scripts are cut there.
func (s *speaker) Attempt(f fakes.Attempt) error {
	if s.began || s.id != "" || s.model != "" {
		return unplayable("an attempt in the middle of an answer")
	}
	switch {
	case f.Event != "":
		s.start()
		s.over = true
		s.voice.fail(Refusal{Status: f.Status, Type: f.Error, Message: f.Text})
	case f.Status >= 400 || f.Error != "":
		s.fail(Refusal{Status: f.Status, Type: f.Error, Message: f.Text})
	case f.Text != "":
		s.piece(textBlock, "\x00", f.Text)
		s.shut()
	}
	return nil
}

func (s *speaker) Turn(f fakes.Turn) error {
	if f.State != "text-end" || f.Run != "" {
		return unplayable("turn state %q", f.State)
	}
	s.shut()
	return nil
}

func (s *speaker) Native(f fakes.Native) error {
	s.start()
	fields, err := objectFields(f.Fields)
	if err != nil {
		return unplayable("fields of %q: %v", f.Type, err)
	}
	s.voice.native(f.Type, fields)
	return nil
}

func (s *speaker) Raw(f fakes.Raw) error {
	if f.Piece > 0 {
		return unplayable("pieces of raw bytes: a fault splits")
	}
	s.start()
	end := map[fakes.EOL]string{fakes.EOLLF: "\n", fakes.EOLCRLF: "\r\n"}[f.EOL]
	s.emitRaw([]byte(f.Line + end))
	return nil
}

func (s *speaker) Cut(fakes.Cut) error {
	s.start()
	s.over, s.cut = true, true
	return nil
}

func (s *speaker) Silent(fakes.Silent) error {
	s.over, s.quiet = true, true
	return nil
}

func (s *speaker) Ask(fakes.Ask) error       { return unplayable("approvals") }
func (s *speaker) Ack(fakes.Ack) error       { return unplayable("requests of a host") }
func (s *speaker) Reject(fakes.Reject) error { return unplayable("requests of a host") }
func (s *speaker) Log(fakes.Log) error       { return unplayable("a log") }
func (s *speaker) Stderr(fakes.Stderr) error { return unplayable("a second channel") }
func (s *speaker) Exit(fakes.Exit) error     { return unplayable("a process") }
func (s *speaker) Child(fakes.Child) error   { return unplayable("a process") }
func (s *speaker) Ignore(fakes.Ignore) error { return unplayable("a process") }
