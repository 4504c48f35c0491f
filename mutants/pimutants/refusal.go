package pimutants

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/adaptercheck/adaptercheck/adapters/pi"
	"github.com/adaptercheck/adaptercheck/contract/history"
)

func refusalMutants() []Mutant {
	const corrupt, torn, foreign = "history.canonical.refuses-corrupt", "history.canonical.refuses-torn", "history.canonical.refuses-foreign"
	return []Mutant{
		{ID: "pi-damage-skipped", Note: "passes damaged lines over, as Pi itself does", Check: corrupt, Code: "corrupt-source-accepted",
			Subject: misread(pastDamage)},
		{ID: "pi-torn-skipped", Note: "passes a torn last line over", Check: torn, Code: "torn-source-accepted",
			Subject: misread(func(lines []line) []line {
				if n := len(lines) - 1; n > 0 && lines[n].entry == nil {
					return lines[:n]
				}
				return lines
			})},
		{ID: "pi-emptied-begun", Note: "takes an empty file for a session that just began", Check: corrupt, Code: "emptied-source-accepted",
			Subject: misreadBytes(func(b built, data []byte) []byte {
				if len(data) == 0 {
					return b.begun()
				}
				return data
			})},
		{ID: "pi-missing-begun", Note: "takes a missing file for a session that just began", Check: "history.canonical.refuses-missing", Code: "missing-source-accepted",
			Subject: reads(func(b built) reading {
				return func(ctx context.Context, next next) (history.Snapshot, error) {
					s, err := next(ctx)
					if errors.Is(err, fs.ErrNotExist) {
						return history.Snapshot{
							SchemaVersion: history.SchemaVersion, RuntimeID: pi.RuntimeID, SessionID: b.f.SessionID, Revision: "none", ProjectRoot: b.f.Root,
						}, nil
					}
					return s, err
				}
			})},
		{ID: "pi-bad-text", Note: "replaces broken characters", Check: "history.canonical.refuses-bad-text", Code: "bad-text-accepted",
			Subject: misreadBytes(func(_ built, data []byte) []byte { return bytes.ToValidUTF8(data, []byte("\ufffd")) })},
		{ID: "pi-session-unread", Note: "does not look at the session that the header names", Check: foreign, Code: "foreign-session-accepted",
			Subject: opened(func(built) func(*pi.Options) { return func(o *pi.Options) { o.SessionID = "" } })},
		{ID: "pi-cwd-unread", Note: "does not look at the directory that the header names", Check: foreign, Code: "foreign-root-accepted",
			Subject: misreadBytes(func(b built, data []byte) []byte {
				lines := split(data)
				if isSession(lines) {
					lines[0] = of(lines[0].entry.with("cwd", b.f.Root))
				}
				return join(lines)
			})},
	}
}

// begun is the session of a fixture before anything was said.
func (b built) begun() []byte {
	return join([]line{of(made("session", b.f.SessionID, `"version":3`).with("cwd", b.f.Root))})
}

// pastDamage leaves damaged lines out; what is left is put together as it comes.
func pastDamage(lines []line) []line {
	var whole []line
	for _, l := range lines {
		if l.entry != nil {
			whole = append(whole, l)
		}
	}
	if len(whole) == len(lines) {
		return lines
	}
	return straighten(whole)
}
