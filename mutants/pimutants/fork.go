package pimutants

import "bytes"

// forked is how many entries fork adds.
const forked = 7

// fork adds to a straight session what is not of its history. The first question was
// asked otherwise before, and so was the next one; those branches stand in the file
// before the one that went on. On the way stand entries that are no messages. The
// end stays the end.
func fork(data []byte) []byte {
	// The header, the model, the thinking level, the first message, and what is below
	// it. The rest stands as it is.
	var head []line
	read := 0
	for raw := range bytes.Lines(data) {
		head = append(head, split(raw)...)
		if read += len(raw); len(head) == 5 {
			break
		}
	}
	if !isSession(head) {
		return data // the history of another runtime
	}
	f := &forker{lines: head[:1:1]}
	for i, l := range head[1:] {
		f.on(l.entry)
		switch i {
		case 1:
			f.aside("b000000", "an abandoned question", "an abandoned answer")
			f.on(made("session_info", "c0000001", `"name":"a name of the session"`))
			f.on(made("custom", "c0000002", `"customType":"extension","data":{"state":[1,2]}`))
		case 2:
			f.aside("d000000", "another abandoned question", "another abandoned answer")
			f.on(made("label", "c0000003", `"targetId":"c0000001","label":"a label"`))
		}
	}
	return append(join(f.lines), data[read:]...)
}

type forker struct {
	lines []line
	last  string // id of the entry where the history stands
}

// on adds an entry to the history.
func (f *forker) on(e entry) {
	f.lines, f.last = append(f.lines, of(e.below(f.last))), e.text("id")
}

// aside adds a branch that ends where it is.
func (f *forker) aside(id, question, answer string) {
	f.lines = append(f.lines,
		of(said(id+"1", `{"role":"user","content":"`+question+`"}`).below(f.last)),
		of(said(id+"2", `{"role":"assistant","content":[{"type":"text","text":"`+answer+`"},`+
			`{"type":"toolCall","id":"call-`+id+`","name":"read","arguments":{}}]}`).below(id+"1")))
}
