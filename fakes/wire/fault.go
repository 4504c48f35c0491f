package wire

import (
	"fmt"
	"slices"
)

// Kind names a fault.
type Kind string

// The closed set of faults. Those from [Flood] on are of the process behind the
// stream, and its [Host] plays them.
const (
	// Split: what leaves is cut into writes of N bytes from here on; with N 0 it is
	// cut here, once.
	Split Kind = "split"
	// Coalesce: N frames, this one first, leave in one write, whatever asks them to
	// leave before. N 0 is two.
	Coalesce Kind = "coalesce"
	// Delay: N milliseconds pass before the frame. N 0 is twenty.
	Delay Kind = "delay"
	// Stall: nothing more leaves, and the stream stays open.
	Stall Kind = "stall"
	// Cut: the stream ends.
	Cut Kind = "cut"
	// Garble: N bytes are others. N 0 is four.
	Garble Kind = "garble"
	// Duplicate: the frame comes N times more. N 0 is once more.
	Duplicate Kind = "duplicate"
	// Long: the line of the frame is N bytes longer, by a member that means nothing.
	// N 0 is a mebibyte.
	Long Kind = "long"
	// NoFinalNewline: each line end leaves with the line after it from here on, so
	// that the last line has none.
	NoFinalNewline Kind = "no-final-newline"
	// CRLF: lines end with CR LF from here on.
	CRLF Kind = "crlf"
	// BOM: a UTF-8 byte order mark comes before the frame.
	BOM Kind = "bom"
	// Separator: the frame holds a raw U+2028, in a member that means nothing.
	Separator Kind = "separator"
	// Noise: N lines that are not the runtime's come before the frame; Text is one of
	// them, empty is the suite's own. N 0 is one.
	Noise Kind = "noise"
	// Flood: N bytes come on the second channel. N 0 is a mebibyte.
	Flood Kind = "flood"
	// Close: the stream is closed, and the process goes on.
	Close Kind = "close"
	// Holder: a descendant gets hold of the stream, and keeps it open when the process
	// has ended.
	Holder Kind = "holder"
	// Deaf: the process ignores SIGTERM from here on.
	Deaf Kind = "deaf"
	// Exit: the process ends with exit code N, and what was due from here on is lost.
	Exit Kind = "exit"
	// Unread: the process reads nothing more of its input.
	Unread Kind = "unread"
)

var kinds = []Kind{Split, Coalesce, Delay, Stall, Cut, Garble, Duplicate, Long, NoFinalNewline, CRLF, BOM, Separator, Noise,
	Flood, Close, Holder, Deaf, Exit, Unread}

// Kinds lists the faults in a fixed order.
func Kinds() []Kind { return slices.Clone(kinds) }

// Fault is one fault at one place of a stream.
type Fault struct {
	Kind Kind `json:"kind"`
	// Frame is the index, from 0, of the frame at which it strikes. As many as there
	// are frames is the end of the stream; beyond, it never strikes.
	Frame int `json:"frame,omitzero"`
	// Byte is how many bytes after the beginning of the frame it strikes, be it in a
	// later one. Only what cuts, garbles and ends a stream strikes inside a frame:
	// Split with N 0, Garble, Stall, Cut, Close and Exit.
	Byte int `json:"byte,omitzero"`
	// N is a number of the kind's own; 0 is the kind's default, for Exit 0.
	N int `json:"n,omitzero"`
	// Text of Noise, without a line end.
	Text string `json:"text,omitzero"`
}

// Faults are the faults of one stream. None changes nothing.
type Faults []Fault

// Check reports the first fault that is none: of an unknown kind, at a place before
// the beginning, with a byte or a number where the kind has no use for it.
func (f Faults) Check() error {
	for i, x := range f {
		switch {
		case !slices.Contains(kinds, x.Kind):
			return fmt.Errorf("wire fault %d: unknown kind %q, want one of %q", i, x.Kind, kinds)
		case x.Frame < 0 || x.Byte < 0 || x.N < 0:
			return fmt.Errorf("wire fault %d (%s): frame %d, byte %d and n %d count from 0", i, x.Kind, x.Frame, x.Byte, x.N)
		case x.Byte > 0 && !x.inside():
			return fmt.Errorf("wire fault %d (%s): it strikes at a frame, not at byte %d of it", i, x.Kind, x.Byte)
		case x.Text != "" && x.Kind != Noise:
			return fmt.Errorf("wire fault %d (%s): only %s has a text", i, x.Kind, Noise)
		}
	}
	return nil
}

// inside reports whether the fault strikes at a byte rather than at a frame.
func (x Fault) inside() bool {
	switch x.Kind {
	case Garble, Stall, Cut, Close, Exit:
		return true
	case Split:
		return x.N == 0
	}
	return false
}

// count is N, or what stands for 0.
func (x Fault) count() int {
	if x.N > 0 {
		return x.N
	}
	switch x.Kind {
	case Coalesce:
		return 2
	case Delay:
		return 20
	case Garble:
		return 4
	case Long, Flood:
		return 1 << 20
	case Duplicate, Noise:
		return 1
	}
	return 0
}

// Strike is a fault that took effect.
type Strike struct {
	Fault Fault `json:"fault"`
	// Offset is how many bytes of the stream had been taken to leave before it.
	Offset int64 `json:"offset"`
}
