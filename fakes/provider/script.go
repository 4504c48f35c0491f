package provider

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// Schema is the value of the schema line of a file of rules.
const Schema = "adaptercheck-provider-v1"

// Open reads a file of rules, or a script of one conversation, into options: its rules,
// keys, models and limit. Errors name the file, the line and what was expected. In a
// script, schema [script.Schema], each answer is given once, in order: one ends at an end,
// before a result, which the client must send, and before an attempt.
func Open(path string) (Options, error) {
	source, err := script.Open(path)
	if err != nil {
		return Options{}, err
	}
	return read(source)
}

// Parse reads the text of such a file. The name is for errors.
func Parse(name string, data []byte) (Options, error) {
	return read(script.Source{Name: name, Data: data})
}

func read(source script.Source) (Options, error) {
	root, err := yamltree.Parse(source.Data)
	if err == nil && root != nil {
		if schema := root.Get("schema"); schema != nil && schema.Text == script.Schema {
			return conversation(source)
		}
	}
	f := file{source: source}
	if err == nil {
		err = f.top(root)
	}
	return f.options, source.Mistakes(mistakes(err))
}

// mistakes are those that an error is made of. All errors about the file are such.
func mistakes(err error) []*yamltree.Error {
	switch e := err.(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		var all []*yamltree.Error
		for _, one := range e.Unwrap() {
			all = append(all, mistakes(one)...)
		}
		return all
	case *yamltree.Error:
		return []*yamltree.Error{e}
	}
	return []*yamltree.Error{{At: yamltree.Position{Line: 1, Col: 1}, Msg: err.Error()}}
}

// file is a file of rules while it is read.
type file struct {
	source  script.Source
	options Options
}

var (
	fileKeys  = []string{"schema", "keys", "models", "limit", "rules"}
	limitKeys = []string{"requests", "per", "quota"}
	ruleKeys  = []string{"name", "when", "times", "follows", "answer", "refuse", "live", "pace", "holds", "faults", "shape"}
	whenKeys  = []string{"dialect", "model", "request", "turn", "text", "system", "result", "results", "tools", "stream"}
	paceKeys  = []string{"first", "every", "jitter"}
	holdKeys  = []string{"event", "gate"}
	faultKeys = []string{"kind", "event", "byte", "n", "text"}

	refuseKeys = []string{"status", "type", "code", "param", "message", "retryAfter", "contentType", "body", "html"}
)

func (f *file) top(root *yamltree.Node) error {
	if err := yamltree.Schema(root, Schema); err != nil {
		return err
	}
	if err := root.Fields("file", fileKeys...); err != nil {
		return err
	}
	rules := root.Get("rules")
	if rules == nil {
		return yamltree.Fail(root.At, "missing rules")
	}
	return errors.Join(
		given(root, "keys", func(n *yamltree.Node) (err error) { f.options.Keys, err = n.Strings("keys"); return }),
		given(root, "models", func(n *yamltree.Node) (err error) { f.options.Models, err = n.Strings("models"); return }),
		given(root, "limit", f.limit),
		each(rules, "rules", f.rule))
}

// given reads the value of a key if it is there.
func given(n *yamltree.Node, key string, read func(*yamltree.Node) error) error {
	if v := n.Get(key); v != nil {
		return read(v)
	}
	return nil
}

// each reads the items of a list.
func each(n *yamltree.Node, what string, read func(*yamltree.Node) error) error {
	if n.Kind != yamltree.List {
		return yamltree.Fail(n.At, "%s: found %s, want a list", what, n.Kind)
	}
	var all []error
	for _, item := range n.Items {
		all = append(all, read(item))
	}
	return errors.Join(all...)
}

func into(to *string, what string) func(*yamltree.Node) error {
	return func(n *yamltree.Node) (err error) { *to, err = n.String(what); return err }
}

func number(to *int, what string) func(*yamltree.Node) error {
	return func(n *yamltree.Node) error {
		v, err := strconv.Atoi(n.Text)
		if n.Kind != yamltree.Number || err != nil || v < 0 {
			return yamltree.Fail(n.At, "%s: found %s %s, want a whole number from 0", what, n.Kind, n.Text)
		}
		*to = v
		return nil
	}
}

func flag(to *bool, what string) func(*yamltree.Node) error {
	return func(n *yamltree.Node) (err error) { *to, err = n.Flag(what); return err }
}

func choice(to **bool, what string) func(*yamltree.Node) error {
	return func(n *yamltree.Node) error {
		v, err := n.Flag(what)
		*to = &v
		return err
	}
}

func duration(to *time.Duration, what string) func(*yamltree.Node) error {
	return func(n *yamltree.Node) error {
		v, err := time.ParseDuration(n.Text)
		if n.Kind != yamltree.Text || err != nil || v < 0 {
			return yamltree.Fail(n.At, "%s: found %s %s, want a duration, as 20ms", what, n.Kind, n.Text)
		}
		*to = v
		return nil
	}
}

func (f *file) limit(n *yamltree.Node) error {
	if err := n.Fields("limit", limitKeys...); err != nil {
		return err
	}
	l := &f.options.Limit
	return errors.Join(given(n, "requests", number(&l.Requests, "requests")), given(n, "per", duration(&l.Per, "per")), given(n, "quota", flag(&l.Quota, "quota")))
}

func (f *file) rule(n *yamltree.Node) error {
	if err := n.Fields("rule", ruleKeys...); err != nil {
		return err
	}
	r := Rule{at: fmt.Sprintf("%s:%d", f.source.Name, n.At.Line)}
	err := errors.Join(
		given(n, "name", into(&r.Name, "name")),
		given(n, "when", r.When.read),
		given(n, "times", number(&r.Times, "times")),
		given(n, "follows", flag(&r.Follows, "follows")),
		given(n, "answer", func(n *yamltree.Node) error { return f.answer(n, &r) }),
		given(n, "refuse", func(n *yamltree.Node) error { r.Refuse = &Refusal{}; return r.Refuse.read(n) }),
		given(n, "live", flag(&r.Live, "live")),
		given(n, "pace", r.Pace.read),
		given(n, "holds", func(n *yamltree.Node) error { return each(n, "holds", r.hold) }),
		given(n, "faults", func(n *yamltree.Node) error { return each(n, "faults", r.fault) }),
		given(n, "shape", func(n *yamltree.Node) (err error) { r.Shape, err = n.Strings("shape"); return }))
	if err != nil {
		return err
	}
	if err := r.check(); err != nil {
		at := n.At
		if frame, is := errors.AsType[*fakes.FrameError](err); is {
			at, err = n.Get("answer").Items[frame.Index].At, fmt.Errorf("%s: %w", frame.Word, frame.Err)
		}
		return yamltree.Fail(at, "%v", err)
	}
	f.options.Rules = append(f.options.Rules, r)
	return nil
}

func (f *file) answer(n *yamltree.Node, r *Rule) error {
	frames, problems := script.Steps(n, "answer", f.source.Files)
	r.Frames = frames
	var all []error
	for _, p := range problems {
		all = append(all, p)
	}
	return errors.Join(all...)
}

func (w *When) read(n *yamltree.Node) error {
	if err := n.Fields("when", whenKeys...); err != nil {
		return err
	}
	return errors.Join(
		given(n, "dialect", func(n *yamltree.Node) error {
			word, err := n.Word("dialect", dialects...)
			w.Dialect = Dialect(word)
			return err
		}),
		given(n, "model", into(&w.Model, "model")),
		given(n, "request", number(&w.Request, "request")),
		given(n, "turn", number(&w.Turn, "turn")),
		given(n, "text", into(&w.Text, "text")),
		given(n, "system", into(&w.System, "system")),
		given(n, "result", into(&w.Result, "result")),
		given(n, "results", choice(&w.Results, "results")),
		given(n, "tools", choice(&w.Tools, "tools")),
		given(n, "stream", choice(&w.Stream, "stream")))
}

func (r *Refusal) read(n *yamltree.Node) error {
	if err := n.Fields("refuse", refuseKeys...); err != nil {
		return err
	}
	html := false
	err := errors.Join(
		given(n, "status", number(&r.Status, "status")),
		given(n, "type", into(&r.Type, "type")),
		given(n, "code", into(&r.Code, "code")),
		given(n, "param", into(&r.Param, "param")),
		given(n, "message", into(&r.Message, "message")),
		given(n, "retryAfter", duration(&r.RetryAfter, "retryAfter")),
		given(n, "contentType", into(&r.ContentType, "contentType")),
		given(n, "body", into(&r.Body, "body")),
		given(n, "html", flag(&html, "html")))
	if html {
		r.Status, r.ContentType, r.Body = orNumber(r.Status, 502), "text/html", HTMLPage
	}
	return err
}

func orNumber(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

func (p *Pace) read(n *yamltree.Node) error {
	if err := n.Fields("pace", paceKeys...); err != nil {
		return err
	}
	return errors.Join(given(n, "first", duration(&p.First, "first")), given(n, "every", duration(&p.Every, "every")), given(n, "jitter", duration(&p.Jitter, "jitter")))
}

func (r *Rule) hold(n *yamltree.Node) error {
	if err := n.Fields("hold", holdKeys...); err != nil {
		return err
	}
	var h Hold
	err := errors.Join(given(n, "event", number(&h.Event, "event")), given(n, "gate", into(&h.Name, "gate")))
	r.Holds = append(r.Holds, h)
	return err
}

func (r *Rule) fault(n *yamltree.Node) error {
	if err := n.Fields("fault", faultKeys...); err != nil {
		return err
	}
	var f Fault
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	err := errors.Join(
		given(n, "kind", func(n *yamltree.Node) error {
			word, err := n.Word("kind", names...)
			f.Kind = Kind(word)
			return err
		}),
		given(n, "event", number(&f.Event, "event")),
		given(n, "byte", number(&f.Byte, "byte")),
		given(n, "n", number(&f.N, "n")),
		given(n, "text", into(&f.Text, "text")))
	r.Faults = append(r.Faults, f)
	return err
}
