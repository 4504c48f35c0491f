package openclaw

import (
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// reasoning turns what a model thinks into increments: item by item, each as the whole
// text so far, as an increment, or both.
type reasoning struct {
	item, text string
}

func (r *reasoning) take(d *thought) []executor.Event {
	if string(d.Item) != r.item {
		r.item, r.text = string(d.Item), ""
	}
	more := string(d.Delta)
	if d.Text != "" {
		rest, extends := strings.CutPrefix(string(d.Text), r.text)
		switch {
		case extends:
			more = rest
		case strings.HasPrefix(r.text, string(d.Text)):
			more = ""
		default: // the next thought, of a gateway that does not tell items apart
			more, r.text = string(d.Text), ""
		}
	}
	if more == "" {
		return nil
	}
	r.text += more
	return []executor.Event{executor.TextDelta{Text: more, Channel: executor.Reasoning}}
}
