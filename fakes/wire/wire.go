// Package wire is the fault layer under any fake that writes a byte stream: it
// takes whole frames and decides how their bytes leave. The fake renders, wire
// splits, joins, pads and cuts, and says what left.
//
//	w := wire.NewWriter(stdout, wire.Faults{SplitEvery: 1, CRLF: true})
//	w.Frame([]byte(`{"type":"hello"}`))
//	receipt := w.Receipt()
//
// The package imports fakes.
package wire

import (
	"errors"
	"fmt"
	"io"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// ErrCut is returned once the stream was cut by [Faults].Cut: what was due after it
// never leaves.
var ErrCut = errors.New("cut: the stream ended at the byte that was asked for")

// Faults says how the bytes of a stream are treated. The zero value changes
// nothing: each frame leaves in one write with LF behind it.
type Faults struct {
	// SplitEvery cuts what leaves into writes of so many bytes. 1 splits inside
	// every escape and every UTF-8 sequence. 0 does not split.
	SplitEvery int `json:"splitEvery,omitzero"`
	// Split cuts at these sizes in turn, round and round; SplitEvery is then not
	// used. Sizes under 1 count as 1.
	Split []int `json:"split,omitempty"`
	// Coalesce joins so many frames into one write. 0 and 1 do not join. What is
	// held leaves with [Writer.Flush] and [Writer.Close].
	Coalesce int `json:"coalesce,omitzero"`
	// CRLF ends lines with CR LF.
	CRLF bool `json:"crlf,omitzero"`
	// NoFinalNewline leaves the line end of the last line out: each line end leaves
	// with the line after it.
	NoFinalNewline bool `json:"noFinalNewline,omitzero"`
	// BOM begins the stream with a UTF-8 byte order mark.
	BOM bool `json:"bom,omitzero"`
	// Noise is lines that are not the runtime's.
	Noise []Noise `json:"noise,omitempty"`
	// Cut ends the stream after so many bytes of it, be it inside a frame. 0 does
	// not cut.
	Cut int64 `json:"cut,omitzero"`
}

// Noise is foreign lines before a frame. An over-long line is one with Size, a
// flood one with Times.
type Noise struct {
	// Before is the index of the frame that it precedes, from 0.
	Before int `json:"before"`
	// Line is the text; when it is empty, Size bytes of filler.
	Line string `json:"line,omitzero"`
	Size int    `json:"size,omitzero"`
	// Times is how often the line comes; 0 is once.
	Times int `json:"times,omitzero"`
}

// Writer writes frames to a stream under [Faults]. It is not safe for concurrent
// use.
type Writer struct {
	dst    io.Writer
	faults Faults

	held    []byte // not yet written
	joined  int    // frames in held
	started bool
	owedEOL bool // NoFinalNewline: a line end that the next line brings
	turn    int  // place in Split
	frame   int  // frames taken so far, for Noise
	ends    []int64
	taken   int64 // bytes taken so far
	left    fakes.Receipt
	cut     bool
}

// NewWriter returns a writer onto dst.
func NewWriter(dst io.Writer, f Faults) *Writer { return &Writer{dst: dst, faults: f} }

// Receipt says what has left so far: bytes that dst took, noise and line ends
// included, and frames of the runtime whose last byte was among them.
func (w *Writer) Receipt() fakes.Receipt { return w.left }

// Frame takes one frame without its line end, which Writer adds. It returns
// [ErrCut] from the cut on, and the error of dst.
func (w *Writer) Frame(line []byte) error {
	w.begin()
	if err := w.noise(); err != nil {
		return err
	}
	w.line(line)
	w.ends = append(w.ends, w.taken-int64(w.eolLen()))
	w.frame++
	w.joined++
	if w.joined < w.faults.Coalesce {
		return nil
	}
	return w.Flush()
}

// Raw takes bytes that are no frame, line end included if they shall have one.
func (w *Writer) Raw(p []byte) error {
	w.begin()
	w.owed()
	w.put(p)
	if w.joined > 0 && w.joined < w.faults.Coalesce {
		return nil // it leaves with the frames it follows
	}
	return w.Flush()
}

// Flush lets what is held leave.
func (w *Writer) Flush() error {
	data := w.held
	w.held, w.joined = nil, 0
	if w.cut {
		return ErrCut
	}
	if limit := w.faults.Cut; limit > 0 && w.left.Bytes+int64(len(data)) >= limit {
		data, w.cut = data[:limit-w.left.Bytes], true
	}
	for len(data) > 0 {
		n := w.next(len(data))
		wrote, err := w.dst.Write(data[:n])
		w.count(wrote)
		if err != nil {
			return fmt.Errorf("write to the stream: %w", err)
		}
		data = data[n:]
	}
	if w.cut {
		return ErrCut
	}
	return nil
}

// Close lets what is held leave and ends the stream's last line, unless it shall
// have no end. It does not close dst.
func (w *Writer) Close() error { return w.Flush() }

func (w *Writer) begin() {
	if w.started {
		return
	}
	w.started = true
	if w.faults.BOM {
		w.put([]byte("\xef\xbb\xbf"))
	}
}

func (w *Writer) noise() error {
	for _, n := range w.faults.Noise {
		if n.Before != w.frame {
			continue
		}
		line := []byte(n.Line)
		if len(line) == 0 {
			line = filler(n.Size)
		}
		for range max(n.Times, 1) {
			w.line(line)
			if len(w.held) >= 1<<16 { // a flood is not built up in memory
				if err := w.Flush(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func filler(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = 'x'
	}
	return p
}

// line takes a line and its end, or the end that is owed and the line.
func (w *Writer) line(p []byte) {
	w.owed()
	w.put(p)
	if w.faults.NoFinalNewline {
		w.owedEOL = true
		return
	}
	w.put(w.eol())
}

func (w *Writer) owed() {
	if w.owedEOL {
		w.owedEOL = false
		w.put(w.eol())
	}
}

func (w *Writer) eol() []byte {
	if w.faults.CRLF {
		return []byte("\r\n")
	}
	return []byte("\n")
}

// eolLen is how much of the last line taken is line end.
func (w *Writer) eolLen() int {
	if w.faults.NoFinalNewline {
		return 0
	}
	return len(w.eol())
}

func (w *Writer) put(p []byte) {
	w.held = append(w.held, p...)
	w.taken += int64(len(p))
}

// next is the size of the next write, of n bytes that are left.
func (w *Writer) next(n int) int {
	switch {
	case len(w.faults.Split) > 0:
		size := max(w.faults.Split[w.turn%len(w.faults.Split)], 1)
		w.turn++
		return min(size, n)
	case w.faults.SplitEvery > 0:
		return min(w.faults.SplitEvery, n)
	}
	return n
}

func (w *Writer) count(n int) {
	w.left.Bytes += int64(n)
	for len(w.ends) > 0 && w.ends[0] <= w.left.Bytes {
		w.ends = w.ends[1:]
		w.left.Frames++
	}
}
