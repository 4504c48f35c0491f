// Package wire is the fault layer under any fake that writes a byte stream: it
// takes whole frames and decides how their bytes leave. The fake renders; wire
// splits, joins, pads, garbles and cuts, lets the process behind the stream
// misbehave, and says what left.
//
//	w := wire.NewWriter(stdout, wire.Faults{{Kind: wire.CRLF}, {Kind: wire.Cut, Frame: 3, Byte: 7}}, host)
//	w.Frame([]byte(`{"type":"hello"}`))
//	w.Flush()
//	receipt, strikes := w.Receipt(), w.Strikes()
//
// The package imports fakes.
package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// most is how much is held before it leaves unasked: a flood of noise is not built up
// in memory.
const most = 1 << 16

// noiseLine is what programs around a runtime print where they should not.
const noiseLine = "npm warn config this line is nobody's frame"

// Writer writes frames to a stream under [Faults]. It is not safe for concurrent
// use.
type Writer struct {
	dst    io.Writer
	host   Host
	faults Faults

	held   []byte // taken and not yet written
	joined int    // frames in held
	want   int    // frames that leave together; 0 is whatever is held
	piece  int    // bytes of one write; 0 is all
	crlf   bool
	lazy   bool // a line end leaves with the next line
	owed   bool // such a line end is due

	frames  int // taken so far
	taken   int64
	ends    []int64 // of frames that have not left whole
	marks   []mark  // not yet come to
	over    bool    // nothing more leaves
	left    fakes.Receipt
	strikes []Strike
}

// mark is a fault that strikes at a byte of the stream.
type mark struct {
	fault Fault
	at    int64
}

// NewWriter returns a writer onto dst. Faults are as [Faults.Check] wants them.
func NewWriter(dst io.Writer, f Faults, host Host) *Writer {
	return &Writer{dst: dst, host: host, faults: f}
}

// Receipt says what has left so far: bytes that dst took, noise and line ends
// included, and frames of the runtime whose last byte was among them.
func (w *Writer) Receipt() fakes.Receipt { return w.left }

// Strikes lists the faults that took effect, in order.
func (w *Writer) Strikes() []Strike { return slices.Clone(w.strikes) }

// Frame takes one frame without its line end, which Writer adds. It leaves with
// [Writer.Flush]. What comes after a fault that ends the stream is dropped.
func (w *Writer) Frame(line []byte) error {
	times := 1
	for _, f := range w.due() {
		switch f.Kind {
		case Duplicate:
			times += f.count()
		case Long:
			line = grown(line, "padding", filler(f.count()))
		case Separator:
			line = grown(line, "separator", []byte("\u2028"))
		default:
			if err := w.strike(f); err != nil {
				return err
			}
			continue
		}
		w.struck(f, w.taken)
	}
	for range times {
		if err := w.line(line); err != nil {
			return err
		}
	}
	w.ends = append(w.ends, w.taken-int64(w.eolLen()))
	w.frames++
	w.joined++
	return nil
}

// Raw takes bytes that are no frame, line end included if they shall have one.
func (w *Writer) Raw(p []byte) error {
	w.settle()
	w.put(p)
	return nil
}

// Flush lets what is held leave, but for frames that wait for others to leave with.
func (w *Writer) Flush() error {
	if w.joined < w.want {
		return nil
	}
	w.want = 0
	return w.release()
}

// Close lets all that is held leave, and what strikes at the end strike. It does not
// close dst.
func (w *Writer) Close() error {
	for _, f := range w.due() {
		if err := w.strike(f); err != nil {
			return err
		}
	}
	w.want, w.faults = 0, nil
	return w.release()
}

// Add lets a fault strike at the frame that is next, whatever its Frame says. It must
// be as [Faults.Check] wants it.
func (w *Writer) Add(f Fault) {
	f.Frame = w.frames
	w.faults = append(slices.Clip(w.faults), f)
}

// due lists the faults of the frame that is next.
func (w *Writer) due() []Fault {
	var now []Fault
	for _, f := range w.faults {
		if f.Frame == w.frames && !w.over {
			now = append(now, f)
		}
	}
	return now
}

// strike carries out a fault that precedes a frame.
func (w *Writer) strike(f Fault) error {
	if f.inside() {
		w.marks = append(w.marks, mark{f, w.taken + int64(f.Byte)})
		slices.SortStableFunc(w.marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
		return nil
	}
	at := w.taken
	switch f.Kind {
	case Split:
		if err := w.release(); err != nil { // what was due before leaves as it was
			return err
		}
		w.piece = f.N
	case Coalesce:
		if err := w.release(); err != nil {
			return err
		}
		w.want = f.count()
	case Delay:
		if err := w.release(); err != nil {
			return err
		}
		w.host.Pause(time.Duration(f.count()) * time.Millisecond)
	case NoFinalNewline:
		w.lazy = true
	case CRLF:
		w.crlf = true
	case BOM:
		w.settle()
		w.put([]byte("\xef\xbb\xbf"))
	case Noise:
		text := f.Text
		if text == "" {
			text = noiseLine
		}
		for range f.count() {
			if err := w.line([]byte(text)); err != nil {
				return err
			}
		}
	case Flood:
		w.host.Flood(f.count())
	case Holder:
		if err := w.host.Hold(); err != nil {
			return fmt.Errorf("wire fault %s: %w", f.Kind, err)
		}
	case Deaf:
		w.host.Ignore("TERM")
	case Unread:
		w.host.Unread()
	}
	w.struck(f, at)
	return nil
}

func (w *Writer) struck(f Fault, at int64) {
	w.strikes = append(w.strikes, Strike{Fault: f, Offset: at})
}

// release writes what is held, up to the byte at which the stream ends.
func (w *Writer) release() error {
	data := w.held
	w.held, w.joined = nil, 0
	for len(data) > 0 && !w.over {
		n := len(data)
		if w.piece > 0 {
			n = min(n, w.piece)
		}
		if len(w.marks) > 0 {
			n = min(n, int(max(w.marks[0].at-w.left.Bytes, 0)))
		}
		if n > 0 {
			wrote, err := w.dst.Write(data[:n])
			w.count(wrote)
			if err != nil {
				return fmt.Errorf("write to the stream: %w", err)
			}
		}
		data = data[n:]
		data = w.pass(data)
	}
	if !w.over {
		w.pass(nil) // marks at the very end
	}
	return nil
}

// pass lets the marks strike that the stream has come to. Garbling gives other bytes
// to come.
func (w *Writer) pass(data []byte) []byte {
	for len(w.marks) > 0 && w.marks[0].at <= w.left.Bytes && !w.over {
		f, at := w.marks[0].fault, w.marks[0].at
		if f.Kind == Garble && len(data) == 0 {
			return data // it waits for a byte to garble
		}
		w.marks = w.marks[1:]
		switch f.Kind {
		case Garble:
			data = bytes.Clone(data)
			for i := range min(f.count(), len(data)) {
				data[i] ^= 0xa5
			}
		case Stall:
			w.over = true
			w.host.Stay()
		case Cut:
			w.over = true
			w.host.Cut()
		case Close:
			w.over = true
			w.host.Close()
		case Exit:
			w.over = true
			w.host.Exit(f.N)
		}
		w.struck(f, at)
	}
	return data
}

func (w *Writer) count(n int) {
	w.left.Bytes += int64(n)
	for len(w.ends) > 0 && w.ends[0] <= w.left.Bytes {
		w.ends = w.ends[1:]
		w.left.Frames++
	}
}
