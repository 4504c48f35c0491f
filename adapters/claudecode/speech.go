package claudecode

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// speech is what the runtime says on one channel, told once. The wire tells a text
// up to three times: in increments, in the line of its block, and in the result. It
// also takes back what an attempt had said that it then gives up.
//
// What stands and what an observer has read are the same most of the time. After a
// retraction they are not: then nothing is said as long as what stands is the
// beginning of what was read, and only what goes beyond it after that. A text that
// parts from what was read is begun anew, from the start of the run.
type speech struct {
	channel executor.Channel

	settled   []string // the texts of messages that are over, and what parts them
	unclaimed []string // those of them that no result has repeated yet
	open      message
	final     string // the text of the last message that stands

	// behind: read is what an observer has read after the settled texts, and it is not
	// what stands there.
	behind bool
	read   string

	// again is the text of the message that has just ended. After a notice that the
	// runtime tries again it becomes echo: a message that is equal to echo only restates
	// it, and is held as long as it may become that.
	again, echo string
}

// message is a message that is being said.
type message struct {
	id     string
	lead   string // parts it from what came before
	led    bool   // lead has been said
	passed bool   // something else has come since it began, such as a tool
	blocks []*block
}

// block is one block of text.
type block struct {
	index    int // in the message; -1 where the wire does not tell
	streamed strings.Builder
	whole    bool // its line has come
	line     string
}

func (b *block) text() string {
	if b.whole {
		return b.line
	}
	return b.streamed.String()
}

// body is the message's text so far.
func (m *message) body() string {
	if len(m.blocks) == 1 {
		return m.blocks[0].text()
	}
	var all strings.Builder
	for _, b := range m.blocks {
		all.WriteString(b.text())
	}
	return all.String()
}

// parted is the message's text with what parts it from what came before.
func (m *message) parted() string {
	if len(m.blocks) == 0 {
		return ""
	}
	return m.lead + m.body()
}

// begin makes the message of that id the one that is being said. Blocks of another
// one whose line never came were given up; older versions say no more than that.
func (s *speech) begin(id string) []executor.Event {
	if id != "" && s.open.id == id {
		return nil
	}
	s.retract(func(b *block) bool { return !b.whole })
	out := s.settle()
	s.open.id = id
	return out
}

// delta adds an increment to the block at that index of the open message.
func (s *speech) delta(index int, piece string) []executor.Event {
	if piece == "" {
		return nil
	}
	i := slices.IndexFunc(s.open.blocks, func(b *block) bool { return b.index == index })
	if i < 0 {
		i = len(s.open.blocks)
		s.add(&block{index: index}, piece)
	}
	b := s.open.blocks[i]
	if b.whole {
		return nil // its line has come: nothing can be new
	}
	b.streamed.WriteString(piece)
	return s.say(piece)
}

// line takes the line of a block: the whole text of one that was streamed, or of one
// that was not.
func (s *speech) line(id, whole string) []executor.Event {
	var out []executor.Event
	if s.open.id == "" {
		s.open.id = id // a stream that did not name its message
	} else {
		out = s.begin(id)
	}
	i := slices.IndexFunc(s.open.blocks, func(b *block) bool { return !b.whole })
	if i < 0 {
		if whole == "" {
			return out
		}
		s.add(&block{index: -1, whole: true, line: whole}, whole)
		out = append(out, s.say(whole)...)
		s.restated()
		return out
	}
	b := s.open.blocks[i]
	rest, extends := strings.CutPrefix(whole, b.text())
	if !extends {
		s.fallBehind()
	}
	b.whole, b.line, b.streamed = true, whole, strings.Builder{}
	out = append(out, s.say(rest)...)
	s.restated()
	return out
}

// add begins a block of the open message.
func (s *speech) add(b *block, text string) {
	if len(s.open.blocks) == 0 {
		s.open.lead, s.open.led = parting(s.settled, text), false
	}
	s.open.blocks = append(s.open.blocks, b)
}

// parting returns what parts two messages: a blank line, as the wire has nothing
// there and their words would run together; nothing where white space parts them.
func parting(before []string, after string) string {
	if len(before) == 0 {
		return ""
	}
	last, _ := utf8.DecodeLastRuneInString(before[len(before)-1])
	first, _ := utf8.DecodeRuneInString(after)
	if unicode.IsSpace(last) || unicode.IsSpace(first) {
		return ""
	}
	return "\n\n"
}

// abandon takes back the streamed blocks of the open message from that index on.
func (s *speech) abandon(from int) {
	s.retract(func(b *block) bool { return b.index >= from })
}

func (s *speech) retract(which func(*block) bool) {
	if !slices.ContainsFunc(s.open.blocks, which) {
		return
	}
	s.fallBehind()
	s.open.blocks = slices.DeleteFunc(s.open.blocks, which)
	if s.behind && s.open.parted() == s.read {
		s.behind, s.read = false, ""
	}
}

// fallBehind notes that what stands is about to change under what was read.
func (s *speech) fallBehind() {
	if !s.behind && !s.holding() {
		s.behind, s.read = true, s.open.parted()
	}
}

// holding reports whether the open message is held as a possible restatement.
func (s *speech) holding() bool { return s.echo != "" && len(s.open.blocks) > 0 }

// say tells what is new of the open message. In the usual case that is piece, the
// end of it.
func (s *speech) say(piece string) []executor.Event {
	switch {
	case s.holding():
		if strings.HasPrefix(s.echo, s.open.body()) {
			return nil
		}
		return s.release()
	case s.behind:
		return s.catchUp()
	}
	if !s.open.led && piece != "" {
		s.open.led = true
		piece = s.open.lead + piece
	}
	return s.tell(piece)
}

func (s *speech) tell(text string) []executor.Event {
	if text == "" {
		return nil
	}
	return []executor.Event{executor.TextDelta{Text: text, Channel: s.channel}}
}

// catchUp brings an observer from what was read to what stands, if that can be told.
func (s *speech) catchUp() []executor.Event {
	stands := s.open.parted()
	if strings.HasPrefix(s.read, stands) && s.read != stands {
		return nil
	}
	rest, extends := strings.CutPrefix(stands, s.read)
	s.behind, s.read, s.open.led = false, "", true
	switch {
	case extends:
		return s.tell(rest)
	case s.channel == executor.Reasoning:
		// Only the answer can be begun anew.
		return s.tell("\n\n" + s.open.body())
	}
	return s.restart()
}

// restart begins the text anew.
func (s *speech) restart() []executor.Event {
	mark := executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailTextRestarted}
	return append([]executor.Event{mark}, s.tell(s.stands())...)
}

// retried notes that the runtime tries again: what it says next may be what it said
// last.
func (s *speech) retried() []executor.Event {
	if slices.ContainsFunc(s.open.blocks, func(b *block) bool { return !b.whole }) {
		return nil // it is in the middle of a message
	}
	out := s.settle()
	if !s.behind {
		s.echo = s.again
	}
	return out
}

// restated drops the open message if it is the last one again.
func (s *speech) restated() {
	if s.holding() && s.open.body() == s.echo {
		s.open.blocks, s.echo = nil, ""
	}
}

// release tells the open message if it is held: it is no restatement.
func (s *speech) release() []executor.Event {
	if !s.holding() {
		return nil
	}
	s.echo, s.open.led = "", true
	return s.tell(s.open.parted())
}

// elsewhere notes that something else came, such as a tool: an equal text that comes
// after it is another.
func (s *speech) elsewhere() []executor.Event {
	out := s.release()
	s.again, s.echo = "", ""
	s.open.passed = len(s.open.blocks) > 0
	return out
}

// end says that the open message is over and stands as it was streamed.
func (s *speech) end() []executor.Event {
	for _, b := range s.open.blocks {
		if !b.whole {
			b.whole, b.line = true, b.streamed.String()
		}
	}
	s.restated()
	return s.settle()
}

// settle puts the open message to those that are over.
func (s *speech) settle() []executor.Event {
	out := s.release()
	if body := s.open.body(); body != "" {
		if s.behind {
			// What stands is the beginning of what was read, or it would have been told.
			s.read = strings.TrimPrefix(s.read, s.open.parted())
			s.behind = s.read != ""
		}
		if s.open.lead != "" {
			s.settled = append(s.settled, s.open.lead)
		}
		s.settled, s.unclaimed = append(s.settled, body), append(s.unclaimed, body)
		s.final, s.again = body, body
		if s.open.passed {
			s.again = ""
		}
	}
	s.open = message{}
	return out
}

// latest is the text of the last message that stands, the open one included.
func (s *speech) latest() string {
	if len(s.open.blocks) > 0 {
		return s.open.body()
	}
	return s.final
}

// stands is everything that was said and not taken back.
func (s *speech) stands() string { return strings.Join(s.settled, "") + s.open.parted() }

// conclude ends a turn that went well. The result repeats the end of what a message
// said; where the turn said nothing it is the message, and where a stream broke off
// it has the rest.
func (s *speech) conclude(result string) []executor.Event {
	var out []executor.Event
	broken := len(s.open.blocks) == 1 && !s.open.blocks[0].whole && strings.HasPrefix(result, s.open.body())
	if broken {
		out = s.line(s.open.id, result)
	}
	out = append(out, s.end()...)
	if said := len(s.unclaimed) > 0; !s.claim(result) && !said && result != "" {
		out = append(out, s.line("result", result)...)
		out = append(out, s.end()...)
		s.claim(result)
	}
	if s.behind && s.channel == executor.Assistant && len(s.settled) > 0 {
		// What was taken back last has no successor.
		s.behind, s.read = false, ""
		out = append(out, s.restart()...)
	}
	return out
}

// claim finds the message that a result repeats, and reports whether there is one.
// Results may come late, after the messages of several turns.
func (s *speech) claim(result string) bool {
	result = strings.TrimSpace(result)
	i := slices.IndexFunc(s.unclaimed, func(said string) bool { return strings.HasSuffix(strings.TrimSpace(said), result) })
	if result == "" || i < 0 {
		return false
	}
	s.unclaimed = s.unclaimed[i+1:]
	return true
}
