// Package ndjson splits a byte stream into lines, the way runtimes mean it that
// print one JSON value per line: at LF and nowhere else. U+2028, U+2029, a lone CR
// and every other line end that some splitters know are ordinary bytes of a line.
//
// Lines may have any length up to a bound. A line beyond it costs that line, never
// the stream. The package does not look into lines: what is JSON and what is not
// is the caller's business.
//
//	lines := ndjson.NewReader(stdout, ndjson.Options{})
//	for {
//		line, err := lines.Next()
//		if err != nil {
//			return err // io.EOF at the end
//		}
//		…
//	}
//
// A [Writer] is the other direction: lines to a program that may not read them.
//
// The package imports the standard library only.
package ndjson

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// DefaultMaxLine is the bound on a line where Options sets none: 256 MiB, above
// the longest lines that runtimes were seen to print and below what hurts.
const DefaultMaxLine = 256 << 20

const (
	readSize = 64 << 10
	// A line beyond keepSize is gathered in blocks of that size and joined once: a
	// buffer that grows by doubling would hold up to three times the line.
	keepSize = 1 << 20
)

// Options sets a reader's bounds. The zero value is right for most.
type Options struct {
	// MaxLine is the longest line in bytes that is yielded with its content, line
	// end not counted; 0 means DefaultMaxLine, less means no bound.
	MaxLine int
}

// Line is one line of the stream.
type Line struct {
	// Bytes is the line without its end (LF, or CR LF). It is valid until the next
	// call of Next. It is nil for a line that was too long.
	Bytes []byte
	// Number counts lines from 1, blank and too long ones included.
	Number int64
	// Length is the line's length in bytes without its end, also where Bytes is
	// nil.
	Length int64
	// Blank: nothing but JSON white space.
	Blank bool
	// TooLong: the line is longer than the bound and was skipped.
	TooLong bool
	// Unterminated: the stream ended before the line did. What is there may be a
	// part of what was meant.
	Unterminated bool
}

// Reader yields the lines of a stream. It is for one goroutine.
type Reader struct {
	src     *bufio.Reader
	max     int      // less than 0: no bound
	buf     []byte   // the line so far; the end of it where there are blocks
	blocks  [][]byte // what came before buf, in order
	longest int      // of the lines that were joined
	number  int64
	pending error
}

// NewReader returns a reader of the lines of r. A byte order mark at the start of
// the stream is not part of the first line.
func NewReader(r io.Reader, o Options) *Reader {
	limit := o.MaxLine
	if limit == 0 {
		limit = DefaultMaxLine
	}
	return &Reader{src: bufio.NewReaderSize(r, readSize), max: limit}
}

// Next returns the next line. At the end of the stream it returns io.EOF, after
// the last line even if that one is unterminated. A read error comes likewise
// after what was read before it, and stays.
func (r *Reader) Next() (Line, error) {
	if r.pending != nil {
		return Line{}, r.pending
	}
	if len(r.blocks) > 0 || cap(r.buf) > keepSize {
		r.blocks, r.buf = nil, nil
	}
	r.buf = r.buf[:0]
	var length int64 // without the line end
	lastCR := false  // the byte before what comes next is CR
	tooLong := false
	for {
		chunk, err := r.src.ReadSlice('\n')
		if r.number == 0 && length == 0 {
			chunk = bytes.TrimPrefix(chunk, []byte("\xef\xbb\xbf"))
		}
		terminated := err == nil
		if terminated {
			chunk = chunk[:len(chunk)-1]
		}
		length += int64(len(chunk))
		if len(chunk) > 0 {
			lastCR = chunk[len(chunk)-1] == '\r'
		}
		whole := length
		if terminated && lastCR {
			whole--
		}
		// One byte more than the bound may wait in the buffer: a CR that turns out
		// to belong to the line end.
		if r.max >= 0 && (whole > int64(r.max)+1 || terminated && whole > int64(r.max)) {
			tooLong, r.blocks, r.buf = true, nil, r.buf[:0]
		}
		switch {
		case terminated && !tooLong && len(r.buf)+len(r.blocks) == 0:
			// The usual case: the line lies in the read buffer and need not be copied.
			return r.line(chunk[:whole], whole, false, false), nil
		case !tooLong:
			r.keep(chunk)
		}
		switch {
		case terminated && tooLong:
			return r.line(nil, whole, true, false), nil
		case terminated:
			return r.line(r.join(0)[:whole], whole, false, false), nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		r.pending = err
		if length == 0 {
			return Line{}, err
		}
		if tooLong || r.max >= 0 && length > int64(r.max) {
			return r.line(nil, length, true, true), nil
		}
		return r.line(r.join(0), length, false, true), nil
	}
}

// keep adds to the line that does not fit the read buffer. Up to a block it doubles
// the room: append's own growth copies a long line three times as often. A line that
// comes to half of the longest so far is joined early, with room for all of that:
// runtimes repeat what they said, and such a line is then never held twice.
func (r *Reader) keep(chunk []byte) {
	need := len(r.buf) + len(chunk)
	switch {
	case need <= cap(r.buf):
	case r.longest > 0 && len(r.blocks) == r.longest/(2*keepSize)+1 && cap(r.blocks[0]) <= 2*keepSize:
		r.join(r.longest + keepSize) // once a line: what is joined is a larger block
	case need > keepSize && len(r.buf) > 0:
		r.blocks = append(r.blocks, r.buf)
		r.buf = make([]byte, 0, keepSize)
	default:
		r.buf = append(make([]byte, 0, max(need, 2*cap(r.buf))), r.buf...)
	}
	r.buf = append(r.buf, chunk...)
}

// join returns the line, which it leaves in buf alone, with that much room at least.
func (r *Reader) join(room int) []byte {
	if len(r.blocks) == 0 {
		return r.buf
	}
	size := len(r.buf)
	for _, block := range r.blocks {
		size += len(block)
	}
	whole := make([]byte, 0, max(size, room))
	for _, block := range r.blocks {
		whole = append(whole, block...)
	}
	r.buf, r.blocks = append(whole, r.buf...), nil
	r.longest = max(r.longest, size)
	return r.buf
}

func (r *Reader) line(b []byte, length int64, tooLong, unterminated bool) Line {
	r.number++
	return Line{
		Bytes:        b,
		Number:       r.number,
		Length:       length,
		Blank:        !tooLong && len(bytes.Trim(b, " \t\r")) == 0,
		TooLong:      tooLong,
		Unterminated: unterminated,
	}
}
