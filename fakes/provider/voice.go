package provider

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// voice renders what a speaker says into the events of a dialect.
type voice interface {
	// begin comes before everything else.
	begin()
	// open begins a block, say goes on with it, shut ends it.
	open(b *block)
	say(b *block, piece string)
	shut(b *block)
	// stop ends the answer, fail breaks it off.
	stop()
	fail(r Refusal)
	// native is an event of a type that no word covers.
	native(kind string, fields map[string]jsontext.Value)
	// whole is the body of an answer that is no stream.
	whole() any
}

// blockKind is what a block of an answer holds.
type blockKind int

const (
	textBlock blockKind = iota
	thinkBlock
	callBlock
)

// block is a part of an answer: text, reasoning, or a tool call.
type block struct {
	kind blockKind
	id   string // of a call
	name string // of a call
	tool tool   // of a call: what the request calls it
	body strings.Builder
	key  string // tells a text from another
	part int    // index of a call that comes in pieces, -1 for one that comes whole
	item hole   // of a made up id, where the dialect has one for a block
	at   int    // place among the blocks
}

// ofAnother reports whether the block is a text of another message than the one of that
// id. Without an id it is none in particular.
func (b *block) ofAnother(msg string) bool {
	mine, _, _ := strings.Cut(b.key, "\x00")
	return mine != "" && msg != "" && mine != msg
}
