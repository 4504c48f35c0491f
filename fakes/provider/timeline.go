package provider

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// timeline is an answer in a dialect, rendered before anybody asks. What differs from
// one request to the next are holes.
type timeline struct {
	events []event
	stream bool
	// refusal, when not nil, is sent instead of a stream.
	refusal *Refusal
	// cut and silent say how the events end: without a terminal one.
	cut, silent bool
}

// event is one event of a stream, framed. A body that is no stream is one event.
type event struct {
	parts []part
	// content: it carries a piece of the answer, and the pace counts it.
	content bool
}

// part is text and the hole behind it.
type part struct {
	text []byte
	hole hole
}

// hole is a place that is filled for each request: with the model that was asked for,
// or with the n-th id that is made up for the answer.
type hole int

const (
	noHole    hole = -1
	modelHole hole = 0
)

// idLength is how long made up ids are, behind their prefix.
const idLength = 26

// holes is what one answer's holes are filled with.
type holes struct {
	model []byte // as JSON text, without quotes
	seed  uint64
	n     uint64
	few   [4][idLength]byte // the first ids, which most answers do with
	ids   [][idLength]byte
}

const idAlphabet = "abcdefghijkmnpqrstuvwxyz23456789"

// id returns the k-th made up id, k from 1. Equal seeds and counts give equal ids.
func (h *holes) id(k hole) []byte {
	if h.ids == nil {
		h.ids = h.few[:0]
	}
	for len(h.ids) < int(k) {
		var random rand.PCG
		random.Seed(h.seed, h.n<<8|uint64(len(h.ids)))
		var id [idLength]byte
		var bits uint64
		for i := range id {
			if i%12 == 0 {
				bits = random.Uint64()
			}
			id[i] = idAlphabet[bits&31]
			bits >>= 5
		}
		h.ids = append(h.ids, id)
	}
	return h.ids[k-1][:]
}

// fill appends an event with its holes filled.
func (e event) fill(dst []byte, h *holes) []byte {
	for _, p := range e.parts {
		dst = append(dst, p.text...)
		switch p.hole {
		case noHole:
		case modelHole:
			dst = append(dst, h.model...)
		default:
			dst = append(dst, h.id(p.hole)...)
		}
	}
	return dst
}

// size is how long the event is with its holes filled.
func (e event) size(h *holes) int {
	n := 0
	for _, p := range e.parts {
		n += len(p.text)
		switch p.hole {
		case noHole:
		case modelHole:
			n += len(h.model)
		default:
			n += idLength
		}
	}
	return n
}

// mark begins a hole in a text that is being rendered. Texts of people that hold it are
// no danger: it counts only before a rune of the range below, of which nobody's keyboard
// has one.
const (
	mark      = "\U000FFACE\U000FADE5"
	firstHole = 0x100000 // a plane for private use
)

func (h hole) String() string { return mark + string(rune(firstHole+int(h))) }

// parts cuts a rendered text at its holes.
func parts(text []byte) []part {
	var out []part
	for {
		at := bytes.Index(text, []byte(mark))
		if at < 0 {
			return append(out, part{text, noHole})
		}
		r, size := utf8.DecodeRune(text[at+len(mark):])
		out = append(out, part{text[:at], hole(r - firstHole)})
		text = text[at+len(mark)+size:]
	}
}

// jsonText renders a value. The values are this package's own, and have a JSON text.
func jsonText(v any) []byte {
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("provider: render %T: %v", v, err))
	}
	return text
}

// sse frames an event of a stream of events. An empty name has no line.
func sse(name string, data []byte) []byte {
	out := make([]byte, 0, len(name)+len(data)+20)
	if name != "" {
		out = append(append(append(out, "event: "...), name...), '\n')
	}
	out = append(append(out, "data: "...), data...)
	return append(out, '\n', '\n')
}
