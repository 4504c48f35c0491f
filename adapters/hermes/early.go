package hermes

import (
	"regexp"
	"sync"
)

// Early versions of Hermes print beside the answer, on stdout, what later ones print on
// stderr.
var (
	// banner is what comes before the answer of a session that goes on.
	banner = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:↻ Resumed session (\S+)|Session (\S+) (?:found but has no messages|was compressed into))\b.*\n`)
	})
	// farewell names the session, in the last line, after a blank one.
	farewell = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\n)\r?\nsession_id: (\S+)\r?\n?$`) })
	// madeID is how Hermes makes session ids: the time, and a few digits.
	madeID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{8}_\d{6}_[0-9a-f]{4,}$`) })
)

// maxFarewell is more bytes than a farewell has.
const maxFarewell = 512

// withoutNotes takes out of the output what is not the answer, and notes the session
// that it names. An answer may well hold a line that looks like one that names a
// session: such a line is one only at the very end, where none came on stderr, and if
// the session is that of this run.
func (q *quiet) withoutNotes(text string) string {
	for q.resumed != "" {
		at := banner().FindStringSubmatch(text)
		if at == nil || at[1] != q.resumed && at[2] != q.resumed && !madeID().MatchString(at[1]) {
			break
		}
		text = text[len(at[0]):]
	}
	if q.latest != "" {
		return text
	}
	from := max(0, len(text)-maxFarewell)
	at := farewell().FindStringSubmatchIndex(text[from:])
	if at == nil {
		return text
	}
	id := text[from+at[2] : from+at[3]]
	if !q.wrote(id) {
		return text
	}
	q.tell(id)
	return text[:from+at[0]]
}

// wrote reports whether the run wrote the session of that id: by the books, or by its
// looks where they cannot be read.
func (q *quiet) wrote(id string) bool {
	if id == q.resumed {
		return true
	}
	if q.usable {
		if p, err := q.books.page(id, q.before); err == nil {
			return len(p.messages) > 0
		}
	}
	return madeID().MatchString(id)
}
