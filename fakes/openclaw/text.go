package openclaw

import (
	"bytes"
	"strconv"
)

// Deltas that are said at once leave together where the whole text, which each event
// repeats, is long: the real gateway lets one leave now and then only.
const (
	longText  = 4 << 10 // a text that is shorter leaves delta by delta
	longShare = 64      // else a delta is so much of the text at least
)

// delta adds to the text of the message.
func (v *voice) delta(text string) {
	if text == "" {
		return
	}
	v.announce()
	if v.closed {
		v.fold()
	}
	if len(v.held) == 0 {
		v.settle()
	}
	v.entry()
	v.text = append(v.text, text...)
	v.held = append(v.held, text...)
	v.next()
	if !v.waits() {
		v.flush()
	}
}

// waits reports whether text waits for the delta that comes right after it.
func (v *voice) waits() bool {
	if !v.run.follow {
		return false
	}
	all := len(v.kept) + len(v.text)
	return v.run.gateway.options.Throttle || all > longText && len(v.held) < all/longShare
}

// flush says on the agent stream what is held. The chat comes after it, when something
// else is said.
func (v *voice) flush() {
	if len(v.held) == 0 {
		return
	}
	seq := v.seq
	v.agent(seq, "assistant", newObject().str("text", string(v.text)).str("delta", string(v.held)).str("itemId", v.itemID()))
	if len(v.held) == len(v.text) && len(v.kept) > 0 {
		v.owed = append(v.owed, v.run.gateway.version.join...)
	}
	v.owed = append(v.owed, v.held...)
	v.owedSeq, v.held = seq, nil
}

// settle says on the chat stream what it is behind.
func (v *voice) settle() {
	if len(v.owed) > 0 {
		v.chatDelta(v.owedSeq)
	}
}

func (v *voice) chatDelta(seq int64) {
	delta := string(v.owed)
	v.owed = nil
	v.chat(seq, "delta", func(o *object) {
		if v.run.gateway.version.deltaText {
			o.str("deltaText", delta)
		}
		o.obj("message", said(v.whole()))
	})
}

// quiet says everything that waited.
func (v *voice) quiet() {
	v.flush()
	v.settle()
	v.spend()
}

func (v *voice) itemID() string { return v.item + ":" + strconv.Itoa(v.message) }

// fold ends the message: more text begins another.
func (v *voice) fold() {
	v.closed = false
	if len(v.text) == 0 {
		return
	}
	v.store("stop")
	v.kept = bytes.Clone(v.whole())
	v.text, v.thought, v.preamble = nil, nil, ""
	v.message++
}

// final is a whole message.
func (v *voice) final(text string) {
	v.announce()
	if v.closed {
		v.fold()
	}
	v.snapshot(text)
	v.closed = true
}

// snapshot is the whole text of the message so far.
func (v *voice) snapshot(text string) {
	v.announce()
	rest, extends := bytes.CutPrefix([]byte(text), v.text)
	if v.closed {
		rest, extends = []byte(text), true
	}
	if extends {
		v.delta(string(rest))
		return
	}
	v.retract()
	v.delta(text)
}

// place puts a piece at its place in the text.
func (v *voice) place(at int, text string) {
	v.announce()
	if at > len(v.text) {
		v.delta(text)
		return
	}
	now := append(bytes.Clone(v.text[:at]), text...)
	if bytes.HasPrefix(v.text, now) {
		return // nothing is new
	}
	v.snapshot(string(now))
}

// retract throws the text of the message away.
func (v *voice) retract() {
	v.quiet()
	seq := v.next()
	v.agent(seq, "assistant", newObject().str("itemId", v.itemID()).str("text", "").str("delta", "").flag("replace", true))
	had := len(v.text) > 0
	v.text, v.closed = nil, false
	v.item = v.run.gateway.ids.uuid()
	v.entry().from = 0
	if !had {
		return
	}
	v.chat(seq, "delta", func(o *object) {
		if v.run.gateway.version.deltaText {
			o.str("deltaText", "")
		}
		o.flag("replace", true).obj("message", said(v.whole()))
	})
}

// think adds to what the model thinks.
func (v *voice) think(text string) {
	if text == "" {
		return
	}
	v.announce()
	v.quiet()
	v.thought = append(v.thought, text...)
	v.agent(v.next(), "thinking", newObject().str("text", string(v.thought)).str("delta", text))
}

// announce says that the model is called again, where that is due.
func (v *voice) announce() {
	if !v.due {
		return
	}
	v.due = false
	v.quiet()
	v.fold()
	v.model(v.run.session.provider, v.run.session.model)
}
