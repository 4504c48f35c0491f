package codex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// speech is what the runtime says on one channel, told once. A message comes in
// increments and then whole, or whole alone. After a lost connection the runtime asks
// the model again: what the lost attempt had begun is taken back, what it had finished
// is said again.
//
// What stands and what an observer has read are the same most of the time. After a
// retraction they are not: then nothing is told as long as what stands is the beginning
// of what was read, and only what goes beyond it after that. A text that parts from
// what was read is begun anew, from the start of the run.
type speech struct {
	channel executor.Channel
	settled []string        // the messages that are over, and what parts them
	open    *message        // the one that is being said; nil for none
	last    string          // the last one that is over
	over    map[string]bool // ids of those that are

	taken trail // what was read after the settled messages, though it does not stand there

	// echo is the last message where the open one may only say it again. It is told
	// when it is known to be another.
	echo    trail
	fresh   bool // nothing but notices has come since the last message was over
	retried bool // a notice has come since then
}

// message is a message that is being said.
type message struct {
	id     string
	lead   string // parts it from what came before
	body   []string
	passed bool // something else has come since it began, such as a tool
	lost   bool // so has what the runtime gives a message up for
}

func (m *message) String() string { return m.lead + m.text() }

func (m *message) text() string { return strings.Join(m.body, "") }

// trail is a text that another one may follow, word by word.
type trail struct {
	text string
	at   int // up to here it has been followed
}

// follows reports whether the piece is how the text goes on, and goes on.
func (t *trail) follows(piece string) bool {
	if !strings.HasPrefix(t.text[t.at:], piece) {
		return false
	}
	t.at += len(piece)
	return true
}

// begin makes the message of that id the open one. One that is open under another id is
// over as it was said, or was given up.
func (s *speech) begin(id string) []executor.Event {
	if s.open != nil && s.open.id == id {
		s.open.lost = false
		return nil
	}
	var out []executor.Event
	if s.open != nil && s.open.lost {
		s.giveUp()
	} else {
		out = s.close()
	}
	s.open = &message{id: id}
	if s.fresh && s.retried {
		s.echo = trail{text: s.last}
	}
	s.retried = false
	return out
}

// giveUp takes the open message back.
func (s *speech) giveUp() {
	if s.echo.text == "" && s.taken.text == "" {
		s.taken.text = s.open.String()
	}
	s.taken.at, s.echo, s.open = 0, trail{}, nil
}

// delta adds an increment to the message of that id. One of a message that is over is
// an increment that came twice.
func (s *speech) delta(id, piece string) []executor.Event {
	if piece == "" || s.over[id] {
		return nil
	}
	out := s.begin(id)
	return append(out, s.add(piece)...)
}

// whole ends the message of that id, once: it is this text. An empty one leaves what
// was said of it.
func (s *speech) whole(id, text string) []executor.Event {
	if s.over[id] {
		return nil
	}
	out := s.begin(id)
	if id != "" {
		if s.over == nil {
			s.over = map[string]bool{}
		}
		s.over[id] = true
	}
	if text == "" {
		return append(out, s.close()...)
	}
	rest, extends := text, true
	for _, piece := range s.open.body {
		if rest, extends = strings.CutPrefix(rest, piece); !extends {
			break
		}
	}
	switch {
	case !extends:
		out = append(out, s.replace(text)...)
	case rest != "":
		out = append(out, s.add(rest)...)
	}
	s.open.body = []string{text} // shared, not joined
	return append(out, s.close()...)
}

// add says how the open message goes on.
func (s *speech) add(piece string) []executor.Event {
	m := s.open
	begins := len(m.body) == 0
	if begins {
		m.lead = parting(s.settled, piece)
	}
	m.body = append(m.body, piece)
	switch {
	case s.echo.text != "":
		if s.echo.follows(piece) {
			return nil
		}
		return s.release()
	case begins:
		return s.tell(m.lead + piece)
	}
	return s.tell(piece)
}

// replace says the open message with another text than it began with.
func (s *speech) replace(text string) []executor.Event {
	m := s.open
	if s.echo.text == "" && s.taken.text == "" {
		s.taken.text = m.String()
	}
	s.echo, s.taken.at = trail{}, 0
	m.lead, m.body = parting(s.settled, text), []string{text}
	return s.tell(m.String())
}

// release tells the open message if it is held: it is another than the last one.
func (s *speech) release() []executor.Event {
	if s.echo.text == "" {
		return nil
	}
	s.echo = trail{}
	if s.open == nil || len(s.open.body) == 0 {
		return nil
	}
	return s.tell(s.open.String())
}

// tell tells what was added to what stands, as far as it has not been read.
func (s *speech) tell(added string) []executor.Event {
	if s.taken.text != "" {
		if s.taken.follows(added) {
			if s.taken.at == len(s.taken.text) {
				s.taken = trail{}
			}
			return nil
		}
		rest, extends := strings.CutPrefix(added, s.taken.text[s.taken.at:])
		s.taken = trail{}
		if !extends {
			return s.restart()
		}
		added = rest
	}
	return []executor.Event{executor.TextDelta{Text: added, Channel: s.channel}}
}

// restart begins the text anew. Only an answer can be: thinking goes on with the
// message that is another.
func (s *speech) restart() []executor.Event {
	if s.channel != executor.Assistant {
		return []executor.Event{executor.TextDelta{Text: "\n\n" + s.open.text(), Channel: s.channel}}
	}
	return []executor.Event{
		executor.Status{Phase: executor.PhaseRunning, Detail: executor.DetailTextRestarted},
		executor.TextDelta{Text: s.stands(), Channel: s.channel},
	}
}

// close says that the open message is over.
func (s *speech) close() []executor.Event {
	m := s.open
	s.open = nil
	if m == nil || len(m.body) == 0 {
		return nil
	}
	var out []executor.Event
	if s.echo.text != "" {
		if s.echo.at == len(s.echo.text) {
			s.echo = trail{} // said again, and no more
			return nil
		}
		s.open = m
		out = s.release()
		s.open = nil
	}
	s.taken = trail{text: s.taken.text[s.taken.at:]} // what was followed has been read and stands
	if m.lead != "" {
		s.settled = append(s.settled, m.lead)
	}
	s.settled = append(s.settled, m.body...)
	s.last, s.fresh = m.text(), !m.passed
	return out
}

// retry notes that the runtime tries again: what it finished last it may say again, and
// what it has begun it gives up unless it goes on.
func (s *speech) retry() {
	s.retried = true
	s.overtake()
}

// overtake notes that the runtime was told something new: what it has begun it gives up
// unless it goes on.
func (s *speech) overtake() {
	if s.open != nil {
		s.open.lost = true
	}
}

// elsewhere notes that something else came, such as a tool: an equal text that comes
// after it is another.
func (s *speech) elsewhere() []executor.Event {
	out := s.release()
	s.fresh, s.retried = false, false
	if s.open != nil {
		s.open.passed = true
	}
	return out
}

// conclude ends a run that went well. What was taken back last and has no successor
// must not be the last that was read.
func (s *speech) conclude() []executor.Event {
	var out []executor.Event
	if s.open != nil && s.open.lost {
		s.giveUp()
	} else {
		out = s.close()
	}
	if s.taken.text != "" && s.channel == executor.Assistant && len(s.settled) > 0 {
		s.taken = trail{}
		out = append(out, s.restart()...)
	}
	return out
}

// stands is everything that was said and not taken back.
func (s *speech) stands() string {
	all := strings.Join(s.settled, "")
	if s.open != nil {
		all += s.open.String()
	}
	return all
}

// heard is everything that was read.
func (s *speech) heard() string {
	if s.taken.text != "" {
		return strings.Join(s.settled, "") + s.taken.text
	}
	return s.stands()
}

// latest is the text of the last message, as far as it was said.
func (s *speech) latest() string {
	switch {
	case s.open != nil && len(s.open.body) > 0:
		return s.open.text()
	case s.last != "":
		return s.last
	}
	return s.taken.text
}

// parting returns what parts a text from what came before: a blank line, as the wire
// has nothing there and the words would run together; nothing where white space parts
// them.
func parting(before []string, after string) string {
	i := len(before) - 1
	if i < 0 {
		return ""
	}
	last, _ := utf8.DecodeLastRuneInString(before[i])
	first, _ := utf8.DecodeRuneInString(after)
	if unicode.IsSpace(last) || unicode.IsSpace(first) {
		return ""
	}
	return "\n\n"
}
