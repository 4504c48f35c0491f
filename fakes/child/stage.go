package child

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Actor is what a fake adds to a process: how its frames look, and its manners. Its
// methods are called one after another.
type Actor interface {
	fakes.FrameVisitor
	// Stop is what the program does on a stop signal (INT, TERM, HUP) that it hears. It
	// reports the exit code if that ends it at once, with what it has not yet written.
	Stop(signal string) (code int, ended bool)
	// Broken is the exit code of a program that nobody listens to any more.
	Broken(err error) int
	// Over is called when the script of a process without a puppet has no more frames.
	Over()
}

// Stage is what an actor acts on. [Process] is one, and [Trial] one without effect.
type Stage interface {
	// Frame says a line, Raw bytes as they are, Stderr bytes on the second channel.
	Frame(line []byte) error
	Raw(p []byte) error
	Stderr(p []byte) error
	// Flush lets what was said leave, apart from what comes.
	Flush() error
	// Leave asks the process to end when all is out: by signal, if one is named. The
	// last word counts.
	Leave(code int, signal string)
	// Stay takes that back.
	Stay()
	// Cut closes stdout when all is out.
	Cut()
	// Child starts a descendant, in a session of its own or not.
	Child(ownSession bool) error
	// Ignore makes the process ignore a stop signal from now on.
	Ignore(signal string)
}

// Trial is a stage on which nothing happens.
type Trial struct{}

// Frame drops the line.
func (Trial) Frame([]byte) error { return nil }

// Raw drops the bytes.
func (Trial) Raw([]byte) error { return nil }

// Stderr drops the bytes.
func (Trial) Stderr([]byte) error { return nil }

// Flush does nothing.
func (Trial) Flush() error { return nil }

// Leave does nothing.
func (Trial) Leave(int, string) {}

// Stay does nothing.
func (Trial) Stay() {}

// Cut does nothing.
func (Trial) Cut() {}

// Child does nothing.
func (Trial) Child(bool) error { return nil }

// Ignore does nothing.
func (Trial) Ignore(string) {}

// Deeds are the frames that mean the same for every program: bytes, and what the
// process does. An actor embeds them.
type Deeds struct {
	Program Program
	Stage   Stage
	// Muted: nothing more comes of frames.
	Muted bool
}

// Raw says the bytes, in writes of their own.
func (d *Deeds) Raw(f fakes.Raw) error {
	if d.Muted {
		return nil
	}
	end := map[fakes.EOL]string{fakes.EOLLF: "\n", fakes.EOLCRLF: "\r\n", fakes.EOLNone: ""}[f.EOL]
	rest := []byte(f.Line + end)
	for {
		piece := rest
		if f.Piece > 0 {
			piece = rest[:min(f.Piece, len(rest))]
		}
		rest = rest[len(piece):]
		if err := errors.Join(d.Stage.Flush(), d.Stage.Raw(piece)); err != nil {
			return err
		}
		if len(rest) == 0 {
			return d.Stage.Flush()
		}
	}
}

// Log says a line on the second channel, where programs log.
func (d *Deeds) Log(f fakes.Log) error {
	if d.Muted {
		return nil
	}
	return d.Stage.Stderr([]byte(f.Text + "\n"))
}

// Ack has no form: a program that runs once is asked once, by being started.
func (d *Deeds) Ack(f fakes.Ack) error {
	return d.Program.Unplayable("an answer to the request %q", f.Request)
}

// Reject has no form either. A start is refused by a fault of the runtime.
func (d *Deeds) Reject(f fakes.Reject) error {
	return d.Program.Unplayable("a refusal of the request %q", f.Request)
}

// Attempt has no form: the program calls its provider by itself.
func (d *Deeds) Attempt(fakes.Attempt) error {
	return d.Program.Unplayable("an answer of the provider")
}

// Stderr says the text, or filler.
func (d *Deeds) Stderr(f fakes.Stderr) error {
	if d.Muted {
		return nil
	}
	if f.Text == "" {
		return d.Stage.Stderr(filler(f.N))
	}
	return d.Stage.Stderr([]byte(f.Text))
}

// filler is n bytes of lines.
func filler(n int) []byte {
	const row = "stderr filler ................................................................\n"
	n = max(n, 0)
	return []byte(strings.Repeat(row, n/len(row)+1)[:n])
}

// Exit lets the process end.
func (d *Deeds) Exit(f fakes.Exit) error {
	if f.Signal != "" && !CanDieBy(f.Signal) {
		return d.Program.Unplayable("death by signal %q", f.Signal)
	}
	d.Stage.Leave(f.Code, f.Signal)
	return nil
}

// Cut closes stdout; the exit code is 0.
func (d *Deeds) Cut(fakes.Cut) error {
	d.Muted = true
	d.Stage.Cut()
	d.Stage.Leave(0, "")
	return nil
}

// Silent ends what frames say; the process stays.
func (d *Deeds) Silent(fakes.Silent) error {
	d.Muted = true
	d.Stage.Stay()
	return nil
}

// Child starts a descendant.
func (d *Deeds) Child(f fakes.Child) error { return d.Stage.Child(f.OwnSession) }

// Ignore makes the process deaf to a stop signal.
func (d *Deeds) Ignore(f fakes.Ignore) error {
	switch f.Signal {
	case "INT", "TERM", "HUP":
		d.Stage.Ignore(f.Signal)
		return nil
	}
	return d.Program.Unplayable("ignoring signal %q", f.Signal)
}

// NativeLine is the line of a frame that no word covers: its type, then its fields.
func (p Program) NativeLine(f fakes.Native) (jsontext.Value, error) {
	head, err := jsontext.AppendQuote([]byte(`{"type":`), strings.ToValidUTF8(f.Type, "\uFFFD"))
	if err != nil {
		return nil, p.Unplayable("type %q", f.Type)
	}
	fields := strings.TrimSpace(f.Fields)
	switch {
	case fields == "" || fields == "{}":
		head = append(head, '}')
	case fields[0] == '{':
		head = append(append(head, ','), fields[1:]...)
	default:
		return nil, p.Unplayable("fields that are no JSON object")
	}
	v := jsontext.Value(head)
	if !v.IsValid() { // also where a name comes twice
		return nil, p.Unplayable("fields that make no JSON object")
	}
	if err := v.Compact(); err != nil {
		return nil, p.Unplayable("fields that make no JSON object")
	}
	return v, nil
}
