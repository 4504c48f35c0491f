package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/fakes/script"
	"github.com/adaptercheck/adaptercheck/internal/nearest"
	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// IsRules reports whether a text is meant as a file of rules, by its schema.
func IsRules(source script.Source) bool {
	root, err := yamltree.Parse(source.Data)
	if err != nil || root == nil {
		return false
	}
	schema := root.Get("schema")
	return schema != nil && nearest.Word(schema.Text, []string{script.Schema, Schema}) == Schema
}

// Check reports every mistake of a file of rules, with its place.
func Check(source script.Source) error {
	_, err := read(source)
	return err
}

// Format writes a file of rules in its one canonical form, with its comments: a key and a
// step a line, keys in the order of the page, words bare and other text in double quotes.
// Formatting twice is formatting once.
func Format(source script.Source) ([]byte, error) {
	rows, err := rowsOf(source)
	if err != nil {
		return nil, err
	}
	out, err := source.Arrange(rows)
	if err != nil {
		return nil, err
	}
	again := source
	again.Data = out
	if strings.HasSuffix(source.Name, ".txtar") { // the rules are a part of it
		return out, nil
	}
	kept, err := rowsOf(again)
	if err != nil || !slices.EqualFunc(rows, kept, func(a, b script.Row) bool { return a.Text == b.Text }) {
		return nil, fmt.Errorf("%s: %w", source.Name, script.ErrLoss)
	}
	return out, nil
}

// rowsOf are the lines of the canonical form.
func rowsOf(source script.Source) ([]script.Row, error) {
	if err := Check(source); err != nil {
		return nil, err
	}
	root, err := yamltree.Parse(source.Data)
	if err != nil {
		return nil, source.Mistakes(mistakes(err))
	}
	t := tidier{files: source.Files}
	for _, key := range fileKeys {
		if n := root.Get(key); n != nil {
			t.top(root, key, n)
		}
	}
	return t.rows, nil
}

// tidier collects the lines of a file of rules.
type tidier struct {
	files func(string) ([]byte, error)
	rows  []script.Row
}

func (t *tidier) add(at yamltree.Position, last int, indent, text string) {
	t.rows = append(t.rows, script.Row{First: at.Line, Last: max(at.Line, last), Indent: indent, Text: text})
}

func (t *tidier) top(root *yamltree.Node, key string, n *yamltree.Node) {
	at := placeOf(root, key)
	switch key {
	case "schema":
		t.add(at, n.At.Line, "", "schema: "+Schema)
	case "rules":
		if len(n.Items) == 0 {
			t.add(at, n.At.Line, "", "rules: []")
			return
		}
		t.add(at, at.Line, "", "rules:")
		for _, rule := range n.Items {
			t.rule(rule)
		}
	default:
		t.add(at, lastLine(n), "", key+": "+flow(n, limitKeys))
	}
}

// rule adds the lines of a rule: its first key stands beside the dash, where the rule
// begins, whichever was there.
func (t *tidier) rule(n *yamltree.Node) {
	begin, lead := len(t.rows), "  - "
	for _, key := range ruleKeys {
		v := n.Get(key)
		if v == nil {
			continue
		}
		at := placeOf(n, key)
		switch {
		case key == "answer":
			t.add(at, at.Line, "  ", lead+"answer:")
			t.rows = append(t.rows, script.StepRows(v, key, "      ", t.files)...)
		case key == "shape" && len(v.Items) > 0:
			t.add(at, at.Line, "  ", lead+"shape:")
			for _, item := range v.Items {
				t.add(item.At, item.At.Line, "      ", "      - "+flow(item, nil))
			}
		default:
			keys := map[string][]string{"when": whenKeys, "refuse": refuseKeys, "pace": paceKeys, "holds": holdKeys, "faults": faultKeys}[key]
			t.add(at, lastLine(v), "  ", lead+key+": "+flow(v, keys))
		}
		lead = "    "
	}
	for i := range t.rows[begin:] {
		row := &t.rows[begin+i]
		switch {
		case i == 0:
			row.First = n.At.Line
		case row.First == n.At.Line:
			row.Close = true
		}
	}
}

func placeOf(n *yamltree.Node, key string) yamltree.Position {
	for _, k := range n.Keys {
		if k.Text == key {
			return k.At
		}
	}
	return n.At
}

// lastLine is the last line on which a part of a node begins.
func lastLine(n *yamltree.Node) int {
	last := n.At.Line
	for _, item := range n.Items {
		last = max(last, lastLine(item))
	}
	return last
}

// bareKeys are those whose values are words or durations, which need no quotes.
var bareKeys = []string{"dialect", "kind", "per", "retryAfter", "first", "every", "jitter"}

// flow writes a value in one line, the keys of its maps in order.
func flow(n *yamltree.Node, keys []string) string {
	switch n.Kind {
	case yamltree.Text:
		return string(jsonText(n.Text))
	case yamltree.List:
		var items []string
		for _, item := range n.Items {
			items = append(items, flow(item, keys))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case yamltree.Map:
		var items []string
		for _, key := range keys {
			v := n.Get(key)
			if v == nil {
				continue
			}
			text := flow(v, nil)
			if slices.Contains(bareKeys, key) {
				text = v.Text
			}
			items = append(items, key+": "+text)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return n.Text
}
