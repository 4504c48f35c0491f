package hermes

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"sync"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/process"
)

// ledger is what the runs of both formats have in common: the session, and what the
// books say of the run.
type ledger struct {
	books   books
	child   *process.Process
	resumed string // the session that was to go on; empty for a new one
	before  entry
	usable  bool // the books could be read before the run

	shown  string // the session as events name it: as first told
	latest string // as last told, which is what goes on
	lost   bool   // Hermes does not have the session that was to go on
}

// newLedger looks up where the session stands before the run.
func newLedger(b books, session string) *ledger {
	l := &ledger{books: b, resumed: session}
	var err error
	l.before, err = b.entry(session)
	l.usable = b.path != "" && err == nil
	return l
}

// Session is the session as first told.
func (l *ledger) Session() string { return l.shown }

// tell notes what Hermes calls the session.
func (l *ledger) tell(session string) {
	if session == "" {
		return
	}
	if l.shown == "" {
		l.shown = session
	}
	l.latest = session
}

// Keep writes down what the session goes on with. One that Hermes does not have is
// forgotten, or it could never start again: the failed run has told the host, and the
// next one begins a new session.
func (l *ledger) Keep(s *state) {
	switch {
	case l.lost:
		*s = state{}
	case isSession(l.latest):
		s.Session = l.latest
	}
}

// sessionLine is how Hermes names the session at its exit.
var sessionLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^session_id: (\S+)[ \t\r]*$`) })

// exitLine is the session of the last such line on the second channel, which is where
// all but early versions print it; empty is none.
func (l *ledger) exitLine() string {
	if l.child == nil {
		return ""
	}
	text, _ := l.child.Stderr()
	all := sessionLine().FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// settle reads what the run left in the books; the zero page is nothing. A run that
// failed, and whose session is in no books, had none to go on with.
func (l *ledger) settle(failed bool) page {
	told := l.latest != ""
	session := l.latest
	if !told {
		session = l.resumed // it ended before it named the session
	}
	if !l.usable || session == "" {
		l.tell(session)
		return page{}
	}
	p, err := l.books.page(session, l.before)
	missing := err == nil && !p.known || !told && errors.Is(err, fs.ErrNotExist)
	if l.lost = failed && missing && session == l.resumed; !l.lost {
		l.tell(session)
	}
	if err != nil {
		return page{} // the run is what it is without them
	}
	return p
}

// spent is what the run cost by the books, nil where they have nothing.
func (l *ledger) spent(p page) *executor.Cost {
	if !p.known {
		return nil
	}
	before := l.before.spent
	if !slices.Contains(p.lineage, l.resumed) {
		before = totals{} // all of the session is of this run
	}
	return p.spent.since(before).cost()
}
