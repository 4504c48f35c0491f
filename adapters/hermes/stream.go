package hermes

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// stream is a run in the stream format.
type stream struct {
	*ledger
	// clean makes text of the runtime fit for an error message: without secrets, bounded.
	clean func(string) string
	grace time.Duration

	said   strings.Builder // the assistant's text so far
	part   bool            // text has come since the last tool
	tools  tools
	unread oneshot.Unread
	model  string
	result *result
}

var _ wire = (*stream)(nil)

// result is how the turn ended.
type result struct {
	text, failure string
	code          int64
	tokens        tokens
}

// bad: an error beats the code beside it.
func (r result) bad() bool { return r.code != 0 || r.failure != "" }

// Line maps one record.
func (s *stream) Line(number int64, text []byte) []executor.Event {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // what another program printed may begin with it
	var f frame
	if jsontext.Value(text).Kind() != '{' || decode(text, &f) != nil {
		return s.unread.Malformed(number)
	}
	switch kind := str(f.Type); {
	case kind == "system" && str(f.Subtype) == "init":
		s.tell(str(f.Session))
		s.model = str(f.Model)
		return []executor.Event{executor.Status{Phase: executor.PhaseInit, Model: s.model}}
	case kind == "text":
		if f.Text.Kind() != '"' {
			return s.unread.Malformed(number)
		}
		return s.speak(str(f.Text))
	case kind == "tool_use", kind == "tool_result":
		return s.tool(number, kind == "tool_result", &f)
	case kind == "result" && s.result == nil:
		return s.end(number, &f)
	}
	return nil
}

// TooLong reports a line that was skipped.
func (s *stream) TooLong(number, length int64) []executor.Event {
	return s.unread.TooLong(number, length)
}

// ToolsOpen reports whether calls wait for their results.
func (s *stream) ToolsOpen() bool { return s.tools.Open() > 0 }

// Rest is the grace, once the turn has ended.
func (s *stream) Rest() time.Duration {
	if s.result != nil {
		return s.grace
	}
	return 0
}

// speak gives an increment of the answer. Text before a tool and text after it are two
// messages, and Hermes prints nothing between: their words would run together.
func (s *stream) speak(text string) []executor.Event {
	if text == "" {
		return nil
	}
	if !s.part && s.said.Len() > 0 && !spaced(s.said.String(), text) {
		text = "\n\n" + text
	}
	s.part = true
	s.said.WriteString(text)
	return []executor.Event{executor.TextDelta{Text: text, Channel: executor.Assistant}}
}

// spaced reports whether there is white space where the texts meet.
func spaced(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return unicode.IsSpace(last) || unicode.IsSpace(first)
}

func (s *stream) tool(number int64, over bool, f *frame) []executor.Event {
	name := str(f.Name)
	if name == "" {
		return s.unread.Malformed(number)
	}
	s.part = false
	if !over {
		return []executor.Event{s.tools.call(str(f.Call), name, compact(f.Input))}
	}
	output := str(f.Output)
	if f.Output.Kind() != '"' && len(f.Output) > 0 {
		output = string(compact(f.Output))
	}
	return s.tools.result(str(f.Call), name, output, f.IsError.Kind() == 't')
}

// end notes how the turn ended. An answer that has not come in increments comes with
// it, whole.
func (s *stream) end(number int64, f *frame) []executor.Event {
	r := result{text: str(f.Text), failure: str(f.Error)}
	var err error
	if r.code, err = strconv.ParseInt(string(f.Exit), 10, 64); err != nil && r.failure == "" {
		return s.unread.Malformed(number)
	}
	if len(f.Tokens) > 0 && decode(f.Tokens, &r.tokens) != nil {
		r.tokens = tokens{} // a count that cannot be read does not take the end with it
	}
	s.tell(str(f.Session))
	s.result = &r
	if s.part || strings.HasSuffix(squeeze(s.said.String()), squeeze(r.text)) {
		return nil
	}
	return s.speak(r.text)
}

// squeeze returns the text without white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// Finish gives the run its end.
func (s *stream) Finish(e oneshot.Ending) []executor.Event {
	if s.result == nil {
		s.tell(s.exitLine())
	}
	p := s.settle(!e.Aborted && (e.Failed || s.result != nil && s.result.bad()))
	out := s.tools.Close()
	done := executor.Done{Summary: s.said.String()}
	if !e.Aborted && s.result != nil && s.result.text != "" {
		done.Summary = s.result.text
	}
	return append(out, conclude(e, done, s.cost(p), s.failure(withoutSession(e), p.finish()))...)
}

// failure is why the run is no success, nil if it is one. A result beats the exit.
func (s *stream) failure(e oneshot.Ending, finish string) *executor.Error {
	cut := cutShort(finish)
	switch {
	case cut != nil:
		return cut
	case s.result == nil:
		unended := oneshot.Unended(ID, e)
		return &unended
	case s.result.bad():
		return fatal(executor.CodeRuntime, s.clean(s.result.why()))
	}
	return nil
}

// why is the failure in words.
func (r result) why() string {
	if r.failure != "" {
		return r.failure
	}
	return fmt.Sprintf("the turn failed, no reason given (exit code %d)", r.code)
}

// cost is what the run cost: by the books, which know the price, else the tokens that
// Hermes counted. It is nil where nothing is known.
func (s *stream) cost(p page) *executor.Cost {
	if s.result == nil || p.known {
		return s.spent(p)
	}
	t := s.result.tokens
	return totals{input: t.Input + t.Written, cached: t.Cached, output: t.Output, model: s.model, status: priceUnknown}.cost()
}
