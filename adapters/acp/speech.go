package acp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// speech is what the agent says on one channel: chunks, each an increment.
type speech struct {
	channel executor.Channel
	all     strings.Builder
	from    int    // where the last message begins in it
	id      string // of the last message; empty where the agent names none
	passed  bool   // something else has come since, such as a tool
}

// chunk tells a piece of the message of that id. Messages are parted by a blank line, as
// the words would run together; by nothing where white space parts them.
func (s *speech) chunk(id, piece string) []executor.Event {
	if piece == "" {
		return nil
	}
	if s.all.Len() > 0 && (s.passed || id != "" && s.id != "" && id != s.id) {
		if s.runsOn(piece) {
			s.all.WriteString("\n\n")
			s.from = s.all.Len()
			s.all.WriteString(piece)
			piece = "\n\n" + piece
		} else {
			s.from = s.all.Len()
			s.all.WriteString(piece)
		}
	} else {
		s.all.WriteString(piece)
	}
	s.id, s.passed = id, false
	return []executor.Event{executor.TextDelta{Text: piece, Channel: s.channel}}
}

// runsOn reports whether the piece would run together with what came before.
func (s *speech) runsOn(piece string) bool {
	last, _ := utf8.DecodeLastRuneInString(s.all.String())
	first, _ := utf8.DecodeRuneInString(piece)
	return !unicode.IsSpace(last) && !unicode.IsSpace(first)
}

// latest is the text of the last message.
func (s *speech) latest() string { return s.all.String()[s.from:] }
