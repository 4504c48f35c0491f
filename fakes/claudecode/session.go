package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/child"
)

// sessions remembers what sessions have spent.
type sessions = child.Store[bill]

// sessionsOf is where the CLI remembers the sessions of a working directory: below its
// configuration directory, be it named or that of the home. The fake keeps its own
// files, in its own directory, one place for each of those.
func sessionsOf(home string, p fakes.Play, dir string) sessions {
	if home == "" {
		return sessions{}
	}
	config := p.Getenv("CLAUDE_CONFIG_DIR")
	if config == "" {
		config = filepath.Join(p.Getenv("HOME"), ".claude")
	}
	sum := sha256.Sum256([]byte(config + "\x00" + dir))
	return sessions{Dir: filepath.Join(home, hex.EncodeToString(sum[:8]))}
}

// lost is a session that cannot be gone on with.
type lost struct{ text string }

func (l *lost) Error() string { return l.text }

// opened is the session of a process.
type opened struct {
	id      string
	asked   string // the id that was asked for
	spent   bill   // by the processes before
	resumed bool
}

// open finds the session that a process goes on with, or begins one.
func open(inv invocation, s sessions, ids ids) (opened, error) {
	o := opened{id: inv.session}
	if inv.session != "" {
		if _, known, err := s.Load(inv.session); err != nil || known {
			if err == nil {
				err = refuse("Error: Session ID %s is already in use.\n", inv.session)
			}
			return o, err
		}
	}
	switch {
	case inv.resume != nil:
		o.asked = *inv.resume
		if !isUUID(o.asked) {
			return o, &lost{"Error: --resume requires a valid session ID or session title when used with --print. " +
				"Usage: claude -p --resume <session-id|title>. Provided value \"" + o.asked + "\" is not a UUID and does not match any session title."}
		}
	case inv.goesOn:
		var err error
		if o.asked, err = s.Last(); err != nil {
			return o, err
		}
	}
	if o.asked != "" {
		spent, known, err := s.Load(o.asked)
		if err != nil {
			return o, err
		}
		if !known && s.Dir != "" { // where nothing is remembered, nothing is unknown
			return o, &lost{"No conversation found with session ID: " + o.asked}
		}
		o.resumed = true
		o.spent = spent
		if !inv.fork && o.id == "" {
			o.id = o.asked
		}
	}
	if o.id == "" {
		o.id = ids.uuid()
	}
	return o, nil
}

// workDir is the directory that a process works in; empty if it is gone.
func workDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
