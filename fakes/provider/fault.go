package provider

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// Kind names a fault of the bytes of an answer.
type Kind string

// The closed set of faults.
const (
	// End: the body ends as if it were whole, and the connection lives on.
	End Kind = "end"
	// FIN: the connection is closed in the middle of the body.
	FIN Kind = "fin"
	// Reset: the connection is reset, after what left before has arrived.
	Reset Kind = "reset"
	// Stall: nothing more comes, and the connection stays open until the client goes.
	Stall Kind = "stall"
	// Delay: N milliseconds pass before the event. N 0 is twenty.
	Delay Kind = "delay"
	// Split: the stream is written in two there; with N, in pieces of N bytes from there.
	Split Kind = "split"
	// SplitRune and SplitEscape: it is written in two inside the first character of more
	// than one byte, or the first escape of a JSON string, in the event or after it.
	SplitRune   Kind = "split-rune"
	SplitEscape Kind = "split-escape"
	// Coalesce: N events, this one first, are written at once. N 0 is two.
	Coalesce Kind = "coalesce"
	// Garble: N bytes are others. N 0 is four.
	Garble Kind = "garble"
	// Duplicate: the event comes N times more. N 0 is once more.
	Duplicate Kind = "duplicate"
	// Drop: N events, this one first, do not come. N 0 is one.
	Drop Kind = "drop"
	// Reorder: the event comes after the next one.
	Reorder Kind = "reorder"
	// Long: the event's line is N bytes longer, by a member that means nothing. N 0 is a
	// mebibyte.
	Long Kind = "long"
	// Noise: N lines of comment come before the event, Text or one of the suite's own.
	// N 0 is one.
	Noise Kind = "noise"
	// CRLF: the lines of all events end with CR LF.
	CRLF Kind = "crlf"
	// BOM: a byte order mark comes before the event.
	BOM Kind = "bom"
)

var kinds = []Kind{End, FIN, Reset, Stall, Delay, Split, SplitRune, SplitEscape, Coalesce, Garble, Duplicate, Drop, Reorder, Long, Noise, CRLF, BOM}

// Kinds lists the faults in a fixed order.
func Kinds() []Kind { return slices.Clone(kinds) }

// Fault is one fault at one place of an answer. A body that is no stream is one event.
type Fault struct {
	Kind Kind `json:"kind"`
	// Event is the index, from 0, of the event before which it strikes: with End, FIN,
	// Reset and Stall exactly so many events are delivered. As many as there are is the
	// end.
	Event int `json:"event,omitzero"`
	// Byte is how many bytes into the event it strikes instead. Only what ends, splits in
	// two and garbles strikes inside an event.
	Byte int `json:"byte,omitzero"`
	// N is a number of the kind's own.
	N int `json:"n,omitzero"`
	// Text of Noise.
	Text string `json:"text,omitempty"`
}

// onWire are the kinds that the fault layer of byte streams plays, by its own names.
var onWire = map[Kind]wire.Kind{End: wire.Close, FIN: wire.Cut, Reset: wire.Exit, Stall: wire.Stall, Delay: wire.Delay, Split: wire.Split,
	Coalesce: wire.Coalesce, Garble: wire.Garble, Duplicate: wire.Duplicate, Noise: wire.Noise, BOM: wire.BOM}

// wire is the fault as the layer below takes it.
func (f Fault) wire() wire.Fault {
	w := wire.Fault{Kind: onWire[f.Kind], Frame: f.Event, Byte: f.Byte, N: f.N}
	switch f.Kind {
	case Noise:
		w.Text = ": " + or(f.Text, "nobody's event")
	case End, FIN, Reset, Stall:
		w.N = 0
	}
	return w
}

func (f Fault) check() error {
	if !slices.Contains(kinds, f.Kind) {
		return fmt.Errorf("unknown kind %q, want one of %q", f.Kind, kinds)
	}
	if f.Event < 0 || f.Byte < 0 || f.N < 0 {
		return fmt.Errorf("%s: event %d, byte %d and n %d count from 0", f.Kind, f.Event, f.Byte, f.N)
	}
	if f.Text != "" && f.Kind != Noise {
		return fmt.Errorf("%s: only %s has a text", f.Kind, Noise)
	}
	if onWire[f.Kind] == "" {
		if f.Byte > 0 {
			return fmt.Errorf("%s: it strikes at an event, not at byte %d of it", f.Kind, f.Byte)
		}
		return nil
	}
	if err := (wire.Faults{f.wire()}).Check(); err != nil {
		return fmt.Errorf("%s: %w", f.Kind, err)
	}
	return nil
}

// bend plays the faults that are of the events, not of their bytes on the way.
func bend(t *timeline, faults []Fault) error {
	for _, f := range faults {
		n := max(f.N, 1)
		switch {
		case f.Kind == CRLF:
			for i := range t.events {
				t.events[i] = t.events[i].with(func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) })
			}
		case f.Event >= len(t.events):
		case f.Kind == Drop:
			t.events = slices.Delete(t.events, f.Event, min(f.Event+n, len(t.events)))
		case f.Kind == Reorder && f.Event+1 < len(t.events):
			t.events[f.Event], t.events[f.Event+1] = t.events[f.Event+1], t.events[f.Event]
		case f.Kind == Long:
			t.events[f.Event] = t.events[f.Event].longer(f.N)
		}
	}
	return nil
}

// with changes the texts of an event.
func (e event) with(change func([]byte) []byte) event {
	out := event{content: e.content}
	for _, p := range e.parts {
		out.parts = append(out.parts, part{change(p.text), p.hole})
	}
	return out
}

// longer gives the object of an event one more member at its beginning.
func (e event) longer(n int) event {
	if n == 0 {
		n = 1 << 20
	}
	grown := false
	return e.with(func(text []byte) []byte {
		at := bytes.IndexByte(text, '{')
		if grown || at < 0 {
			return text
		}
		grown = true
		return slices.Concat(text[:at+1], []byte(`"padding":"`), bytes.Repeat([]byte("x"), n), []byte(`",`), text[at+1:])
	})
}

// faults are those that strike on the way. A split inside a character or an escape gets
// its place from the events as this request sees them.
func (t *timeline) faults(all []Fault, h *holes) wire.Faults {
	var out wire.Faults
	for _, f := range all {
		switch {
		case onWire[f.Kind] != "":
			out = append(out, f.wire())
		case f.Kind == SplitRune || f.Kind == SplitEscape:
			if at, i, found := t.inside(f.Event, h, f.Kind == SplitRune); found {
				out = append(out, wire.Fault{Kind: wire.Split, Frame: i, Byte: at})
			}
		}
	}
	return out
}

// inside finds a place inside the first rune of several bytes, or the first escape.
func (t *timeline) inside(from int, h *holes, rune bool) (at, frame int, found bool) {
	for i := from; i < len(t.events); i++ {
		text := t.events[i].fill(nil, h)
		at := bytes.IndexByte(text, '\\')
		if rune {
			at = bytes.IndexFunc(text, func(r int32) bool { return r >= utf8.RuneSelf })
		}
		if at >= 0 {
			return at + 1, i, true
		}
	}
	return 0, 0, false
}
