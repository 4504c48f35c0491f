package pi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// speech is what the model says on one channel, told once. An answer that failed is taken
// back when the agent tries again.
//
// What stands and what an observer has read are the same most of the time. After a
// retraction they are not: then nothing is told as long as what stands is the beginning
// of what was read, and only what goes beyond it after that. A text that parts from what
// was read is begun anew, from the start of the run.
type speech struct {
	channel executor.Channel
	settled []string // what is over, and what parts it
	open    []*passage
	last    string // the last answer that is over and has a text

	taken string // what was read after the settled text, though it does not stand there
	met   int    // up to here it has been said again
}

// passage is one part of the answer that is being given.
type passage struct {
	index int
	lead  string // parts it from what came before
	text  []byte
}

// delta adds an increment to the part at that index of the answer.
func (s *speech) delta(index int, piece string) []executor.Event {
	if piece == "" {
		return nil
	}
	p := s.part(index)
	if p == nil {
		p = &passage{index: index, lead: s.parting(piece)}
		s.open = append(s.open, p)
		p.text = append(p.text, piece...)
		return s.tell(p.lead + piece)
	}
	p.text = append(p.text, piece...)
	return s.tell(piece)
}

func (s *speech) part(index int) *passage {
	for _, p := range s.open {
		if p.index == index {
			return p
		}
	}
	return nil
}

// whole says what the part at that index is in the end.
func (s *speech) whole(index int, text string) []executor.Event {
	p := s.part(index)
	if p == nil {
		return s.delta(index, text)
	}
	if rest, extends := strings.CutPrefix(text, string(p.text)); extends {
		return s.delta(index, rest)
	}
	s.takeBack()
	p.text = []byte(text)
	return s.tell(s.answer())
}

// takeBack notes that what was read of the answer may not stand.
func (s *speech) takeBack() {
	if s.taken == "" {
		s.taken = s.answer()
	}
	s.met = 0
}

// again takes the answer back: the agent tries again.
func (s *speech) again() {
	if len(s.open) > 0 {
		s.takeBack()
		s.open = nil
	}
}

// settle says that the answer is over and stands.
func (s *speech) settle() {
	if len(s.open) == 0 {
		return
	}
	s.last = s.words()
	for _, p := range s.open {
		if p.lead != "" {
			s.settled = append(s.settled, p.lead)
		}
		s.settled = append(s.settled, string(p.text))
	}
	s.taken, s.met = s.taken[s.met:], 0 // what was said again has been read and stands
	s.open = nil
}

// tell tells what was added to what stands, as far as it has not been read.
func (s *speech) tell(added string) []executor.Event {
	if s.taken != "" {
		rest := s.taken[s.met:]
		if strings.HasPrefix(rest, added) {
			s.met += len(added)
			if s.met == len(s.taken) {
				s.taken, s.met = "", 0
			}
			return nil
		}
		s.taken, s.met = "", 0
		more, extends := strings.CutPrefix(added, rest)
		if !extends {
			return s.restart()
		}
		added = more
	}
	return []executor.Event{executor.TextDelta{Text: added, Channel: s.channel}}
}

// restart begins the text anew. Only an answer can be: thinking goes on with what is
// another thought.
func (s *speech) restart() []executor.Event {
	if s.channel != executor.Assistant {
		return []executor.Event{executor.TextDelta{Text: "\n\n" + s.words(), Channel: s.channel}}
	}
	return []executor.Event{
		executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailTextRestarted},
		executor.TextDelta{Text: s.stands(), Channel: s.channel},
	}
}

// conclude ends a run that went well. What was taken back last and has no successor must
// not be the last that was read.
func (s *speech) conclude() []executor.Event {
	s.settle()
	if s.taken == "" || s.channel != executor.Assistant || len(s.settled) == 0 {
		return nil
	}
	s.taken, s.met = "", 0
	return s.restart()
}

// answer is the answer that is being given, with what parts it from what came before;
// words is what it says.
func (s *speech) answer() string {
	var all strings.Builder
	for _, p := range s.open {
		all.WriteString(p.lead)
		all.Write(p.text)
	}
	return all.String()
}

func (s *speech) words() string {
	if len(s.open) == 0 {
		return ""
	}
	return strings.TrimPrefix(s.answer(), s.open[0].lead)
}

// stands is everything that was said and not taken back.
func (s *speech) stands() string { return strings.Join(s.settled, "") + s.answer() }

// read is everything that an observer has read.
func (s *speech) read() string {
	if s.taken != "" {
		return strings.Join(s.settled, "") + s.taken
	}
	return s.stands()
}

// latest is the last answer, as far as it was given.
func (s *speech) latest() string {
	switch {
	case len(s.open) > 0:
		return s.words()
	case s.last != "":
		return s.last
	}
	return s.taken
}

// parting returns what parts a text from what came before: a blank line, as the wire has
// nothing there and the words would run together; nothing where white space parts them.
func (s *speech) parting(after string) string {
	var last rune
	switch {
	case len(s.open) > 0:
		last, _ = utf8.DecodeLastRune(s.open[len(s.open)-1].text)
	case len(s.settled) > 0:
		last, _ = utf8.DecodeLastRuneInString(s.settled[len(s.settled)-1])
	default:
		return ""
	}
	first, _ := utf8.DecodeRuneInString(after)
	if unicode.IsSpace(last) || unicode.IsSpace(first) {
		return ""
	}
	return "\n\n"
}
