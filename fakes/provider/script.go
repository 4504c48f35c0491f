package provider

import (
	"errors"
	"fmt"
	"slices"
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
	if err != nil {
		return Options{}, f.place(err)
	}
	return f.options, nil
}

// file is a file of rules while it is read.
type file struct {
	source  script.Source
	options Options
}

// place puts the file's name before a mistake.
func (f *file) place(err error) error {
	if e, is := errors.AsType[*yamltree.Error](err); is {
		return fmt.Errorf("%s:%w", f.source.Name, e)
	}
	return fmt.Errorf("%s: %w", f.source.Name, err)
}

func (f *file) top(root *yamltree.Node) error {
	if err := yamltree.Schema(root, Schema); err != nil {
		return err
	}
	if err := root.Fields("file", "schema", "keys", "models", "limit", "rules"); err != nil {
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
	for _, item := range n.Items {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
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
	if err := n.Fields("limit", "requests", "per", "quota"); err != nil {
		return err
	}
	l := &f.options.Limit
	return errors.Join(given(n, "requests", number(&l.Requests, "requests")), given(n, "per", duration(&l.Per, "per")), given(n, "quota", flag(&l.Quota, "quota")))
}

func (f *file) rule(n *yamltree.Node) error {
	if err := n.Fields("rule", "name", "when", "times", "follows", "answer", "refuse", "live", "pace", "holds", "faults"); err != nil {
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
		given(n, "faults", func(n *yamltree.Node) error { return each(n, "faults", r.fault) }))
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
	if len(problems) > 0 {
		return problems[0]
	}
	r.Frames = frames
	return nil
}

func (w *When) read(n *yamltree.Node) error {
	if err := n.Fields("when", "dialect", "model", "request", "turn", "text", "system", "result", "results", "tools", "stream"); err != nil {
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
	if err := n.Fields("refuse", "status", "type", "code", "param", "message", "retryAfter", "contentType", "body", "html"); err != nil {
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
	if err := n.Fields("pace", "first", "every", "jitter"); err != nil {
		return err
	}
	return errors.Join(given(n, "first", duration(&p.First, "first")), given(n, "every", duration(&p.Every, "every")), given(n, "jitter", duration(&p.Jitter, "jitter")))
}

func (r *Rule) hold(n *yamltree.Node) error {
	if err := n.Fields("hold", "event", "gate"); err != nil {
		return err
	}
	var h Hold
	err := errors.Join(given(n, "event", number(&h.Event, "event")), given(n, "gate", into(&h.Name, "gate")))
	r.Holds = append(r.Holds, h)
	return err
}

func (r *Rule) fault(n *yamltree.Node) error {
	if err := n.Fields("fault", "kind", "event", "byte", "n", "text"); err != nil {
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

// conversation makes rules of a script that every fake plays.
func conversation(source script.Source) (Options, error) {
	if _, err := source.Script(); err != nil {
		return Options{}, err
	}
	all, err := source.Case() // its steps are the frames, with their places
	if err != nil {
		return Options{}, err
	}
	var o Options
	for _, a := range answers(all.Steps) {
		a.rule.Follows = true
		a.rule.Name = fmt.Sprintf("answer %d", len(o.Rules)+1)
		a.rule.at = fmt.Sprintf("%s:%d", source.Name, a.steps[0].Line)
		if err := a.rule.check(); err != nil {
			at := a.steps[0]
			if frame, is := errors.AsType[*fakes.FrameError](err); is {
				at, err = a.steps[frame.Index], fmt.Errorf("%s: %w", frame.Word, frame.Err)
			}
			return Options{}, fmt.Errorf("%s:%d:%d: %w", source.Name, at.Line, at.Col, err)
		}
		o.Rules = append(o.Rules, a.rule)
	}
	if len(o.Rules) == 0 {
		return Options{}, fmt.Errorf("%s: no answer in the script", source.Name)
	}
	return o, nil
}

// scripted is one answer of a script, and the steps of its frames.
type scripted struct {
	rule  Rule
	steps []script.Step
}

// answers cuts a script where a provider has said all, and the client must ask again.
func answers(steps []script.Step) []scripted {
	var out []scripted
	now := scripted{rule: Rule{Times: 1}}
	over := false
	end := func() {
		if len(now.steps) > 0 {
			out = append(out, now)
			now = scripted{rule: Rule{Times: 1}}
		}
		over = false
	}
	var results []string
	for _, step := range steps {
		frame := step.Do.(script.Say).Frame
		_, starts := frame.(fakes.Init)
		if _, is := frame.(fakes.Attempt); is || starts || over {
			end()
		}
		if result, is := frame.(fakes.Result); is {
			end()
			results = append(results, result.ID)
			continue
		}
		if len(results) > 0 {
			now.rule.When.Results = new(true)
			if len(results) == 1 {
				now.rule.When.Result = results[0]
			}
			results = nil
		}
		now.rule.Frames = append(now.rule.Frames, frame)
		now.steps = append(now.steps, step)
		over = ends(frame)
	}
	end()
	return slices.Clip(out)
}

// ends reports whether nothing of an answer comes after a frame.
func ends(f fakes.Frame) bool {
	switch f.(type) {
	case fakes.End, fakes.Cut, fakes.Silent, fakes.Failure:
		return true
	}
	return false
}
