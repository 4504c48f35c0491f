package script

import (
	"strings"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// value is one field on its way out: nil for null, or of the Go type of its kind, where
// JSON text is a jsonText and bytes are rawBytes.
type value struct {
	name string
	v    any
	// plain is the name under which a JSON text may be written as a value instead.
	plain string
}

type (
	jsonText string
	rawBytes []byte
)

// valuesOf lists a frame's fields in the order of its word, absent ones left out.
func valuesOf(f fakes.Frame) ([]value, error) {
	var l lister
	err := f.Accept(&l)
	return l.values, err
}

// written lists the fields of a step as they were read, in the order of its word.
func (w word) written(v values) []value {
	var l lister
	for _, f := range w.fields {
		x, given := v[f.name]
		if !given {
			continue
		}
		switch f.is {
		case fieldJSON, fieldObject, fieldJSONText:
			l.json(w.plainJSON(), x.(string))
		case fieldBase64:
			l.must(f.name, rawBytes(x.([]byte)))
		case fieldFile:
			l.must(f.name, x.(beside).name)
		default:
			l.must(f.name, x)
		}
	}
	return l.values
}

// plainJSON is the field in which JSON is written as a value.
func (w word) plainJSON() string {
	for _, f := range w.fields {
		if f.is == fieldJSON || f.is == fieldObject {
			return f.name
		}
	}
	return ""
}

// lister is a visitor, so that a new frame does not compile until it is here.
type lister struct{ values []value }

// must adds a field that is always written.
func (l *lister) must(name string, v any) *lister {
	if s, ok := v.(string); ok {
		v = strings.ToValidUTF8(s, "\uFFFD")
	}
	l.values = append(l.values, value{name: name, v: v})
	return l
}

// text adds a field that is left out when empty.
func (l *lister) text(name, s string) *lister {
	if s != "" {
		l.must(name, s)
	}
	return l
}

func (l *lister) flag(name string, b bool) *lister {
	if b {
		l.must(name, b)
	}
	return l
}

// number adds a field that is left out when zero.
func (l *lister) number(name string, n int) *lister {
	if n != 0 {
		l.must(name, n)
	}
	return l
}

func (l *lister) json(plain, text string) *lister {
	if text != "" {
		l.values = append(l.values, value{"json", jsonText(strings.ToValidUTF8(text, "\uFFFD")), plain})
	}
	return l
}

func (l *lister) bytes(name, s string) *lister {
	if !utf8.ValidString(s) {
		return l.must("base64", rawBytes(s))
	}
	return l.must(name, s)
}

func optional[T any](l *lister, name string, p *T) {
	if p != nil {
		l.must(name, *p)
	}
}

func (l *lister) Init(f fakes.Init) error {
	l.text("run", f.Run).text("session", f.Session).text("model", f.Model).text("cwd", f.Dir)
	return nil
}

func (l *lister) Delta(f fakes.Delta) error {
	l.must("text", f.Text).text("msg", f.Msg).text("part", f.Part)
	optional(l, "at", f.At)
	l.text("run", f.Run).text("parent", f.Parent)
	return nil
}

func (l *lister) Think(f fakes.Think) error {
	l.must("text", f.Text).text("parent", f.Parent)
	return nil
}

func (l *lister) Snapshot(f fakes.Snapshot) error {
	l.must("text", f.Text).text("part", f.Part)
	return nil
}

func (l *lister) Final(f fakes.Final) error {
	if f.Text == nil {
		l.must("text", nil)
	} else {
		l.must("text", *f.Text)
	}
	l.text("msg", f.Msg).text("parent", f.Parent)
	return nil
}

func (l *lister) ToolCall(f fakes.ToolCall) error {
	l.must("id", f.ID).must("name", f.Name).json("input", f.Input).text("parent", f.Parent)
	return nil
}

func (l *lister) CallPart(f fakes.CallPart) error {
	l.must("idx", f.Index).text("id", f.ID).text("name", f.Name).must("frag", f.Fragment)
	return nil
}

func (l *lister) Result(f fakes.Result) error {
	l.must("id", f.ID).text("name", f.Name).must("out", f.Out).flag("err", f.Error).json("details", f.Details).text("run", f.Run).text("parent", f.Parent)
	return nil
}

func (l *lister) Usage(f fakes.Usage) error {
	kind := f.Kind
	if kind == "" {
		kind = fakes.UsageTurn
	}
	l.must("kind", string(kind))
	optional(l, "in", f.In)
	optional(l, "out", f.Out)
	optional(l, "cacheRead", f.CacheRead)
	optional(l, "cacheWrite", f.CacheWrite)
	optional(l, "reasoning", f.Reasoning)
	optional(l, "totalIn", f.TotalIn)
	optional(l, "totalOut", f.TotalOut)
	optional(l, "cost", f.CostUSD)
	l.text("model", f.Model)
	return nil
}

func (l *lister) End(f fakes.End) error {
	l.must("reason", string(f.Reason)).flag("err", f.Error).text("text", f.Text).text("run", f.Run)
	return nil
}

func (l *lister) Failure(f fakes.Failure) error {
	l.text("code", f.Code).must("msg", f.Message).flag("fatal", f.Fatal).text("run", f.Run)
	return nil
}

func (l *lister) Turn(f fakes.Turn) error {
	l.must("state", f.State).text("text", f.Text).text("run", f.Run)
	return nil
}

func (l *lister) Ask(f fakes.Ask) error {
	l.must("id", f.ID).text("tool", f.Tool)
	return nil
}

func (l *lister) Ack(f fakes.Ack) error {
	l.must("request", string(f.Request)).text("run", f.Run)
	return nil
}

func (l *lister) Reject(f fakes.Reject) error {
	l.must("request", string(f.Request)).text("code", f.Code).text("msg", f.Message)
	return nil
}

func (l *lister) Attempt(f fakes.Attempt) error {
	l.must("attempt", f.Number).number("status", f.Status).text("event", f.Event).text("error", f.Error).text("text", f.Text)
	return nil
}

func (l *lister) Log(f fakes.Log) error {
	l.must("text", f.Text)
	return nil
}

func (l *lister) Native(f fakes.Native) error {
	l.must("type", f.Type).json("fields", f.Fields)
	return nil
}

func (l *lister) Raw(f fakes.Raw) error {
	l.bytes("line", f.Line).text("eol", string(f.EOL)).number("piece", f.Piece)
	return nil
}

func (l *lister) Stderr(f fakes.Stderr) error {
	if f.Text == "" && f.N > 0 {
		l.must("n", f.N)
	} else {
		l.bytes("text", f.Text)
	}
	return nil
}

func (l *lister) Exit(f fakes.Exit) error {
	if f.Signal != "" {
		l.must("signal", f.Signal)
	} else {
		l.must("code", f.Code)
	}
	return nil
}

func (l *lister) Cut(fakes.Cut) error       { return nil }
func (l *lister) Silent(fakes.Silent) error { return nil }

func (l *lister) Child(f fakes.Child) error {
	l.flag("ownSession", f.OwnSession)
	return nil
}

func (l *lister) Ignore(f fakes.Ignore) error {
	l.must("signal", f.Signal)
	return nil
}
