package wire

import (
	"bytes"
	"fmt"
)

// line takes a line and its end, or the end that is owed and the line.
func (w *Writer) line(p []byte) error {
	w.settle()
	w.put(p)
	if w.lazy {
		w.owed = true
	} else {
		w.put(w.eol())
	}
	if len(w.held) >= most && w.want == 0 {
		return w.release()
	}
	return nil
}

// settle takes the line end that is owed.
func (w *Writer) settle() {
	if w.owed {
		w.owed = false
		w.put(w.eol())
	}
}

func (w *Writer) eol() []byte {
	if w.crlf {
		return []byte("\r\n")
	}
	return []byte("\n")
}

// eolLen is how much of the last line taken is line end.
func (w *Writer) eolLen() int {
	if w.lazy {
		return 0
	}
	return len(w.eol())
}

func (w *Writer) put(p []byte) {
	if w.over {
		return
	}
	w.held = append(w.held, p...)
	w.taken += int64(len(p))
}

func filler(n int) []byte { return bytes.Repeat([]byte("x"), n) }

// grown gives a frame that is a JSON object one more member, a text that needs no
// escape. Others stay as they are.
func grown(frame []byte, name string, text []byte) []byte {
	frame = bytes.TrimSpace(frame)
	if len(frame) < 2 || frame[0] != '{' || frame[len(frame)-1] != '}' {
		return frame
	}
	comma := ","
	if len(bytes.TrimSpace(frame[1:len(frame)-1])) == 0 {
		comma = ""
	}
	out := make([]byte, 0, len(frame)+len(name)+len(text)+8)
	out = append(out, frame[:len(frame)-1]...)
	out = fmt.Appendf(out, "%s%q:\"%s\"}", comma, name, text)
	return out
}
