package oneshot

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// maxContext bounds what waits for the next run of a session, in bytes.
const maxContext = 1 << 20

// piece is context that waits for the next run.
type piece struct{ key, value string }

// text is a piece as the runtime is told it.
func (p piece) text() string { return p.key + ":\n" + p.value }

// put replaces the piece of that key, or adds it at the end.
func put(pieces []piece, p piece) []piece {
	for i := range pieces {
		if pieces[i].key == p.key {
			pieces[i] = p
			return pieces
		}
	}
	return append(pieces, p)
}

// prompt puts together what the runtime is told: pieces written for this run, then
// the context of the start, then the message, parted by blank lines.
func prompt(pieces []piece, context, message string) string {
	var parts []string
	for _, p := range pieces {
		parts = append(parts, p.text())
	}
	if context != "" {
		parts = append(parts, context)
	}
	return strings.Join(append(parts, message), "\n\n")
}

// CheckModel refuses what no command line would take for a model.
func CheckModel(model string) error {
	if strings.HasPrefix(model, "-") || strings.ContainsRune(model, 0) {
		return errors.New("the model's name begins with a dash or holds a zero byte")
	}
	return nil
}

// SetModel sets the model of the handle's session for its next runs; empty leaves
// it to the runtime. A live run of the session is given to tell, which may be nil;
// tell must not wait.
func (h *Host[S, W]) SetModel(run *executor.Run, model string, tell func(live W)) error {
	known, err := h.lookup(run)
	if err == nil {
		err = CheckModel(model)
	}
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	known.session.model = model
	if live := known.session.live; live != nil && tell != nil {
		tell(live.wire)
	}
	return nil
}

// CheckKey refuses a key that is no path inside a directory.
func CheckKey(key string) error {
	if key == "" || strings.ContainsAny(key, "\x00\r\n\\") || !filepath.IsLocal(filepath.FromSlash(key)) {
		return errors.New("the key is no path inside a directory")
	}
	return nil
}

// Knows is the error that WriteContext has for the handle and the key, nil for none.
func (h *Host[S, W]) Knows(run *executor.Run, key string) error {
	if _, err := h.lookup(run); err != nil {
		return err
	}
	return CheckKey(key)
}

// WriteContext gives the value to the live run of the handle's session through
// tell, which reports whether the run took it and must not wait. Where there is
// none, or tell is nil, the value waits for the session's next run, where it stands
// before the message under its key; a value of the same key replaces the earlier
// one. What waits for one run may be 1 MiB.
func (h *Host[S, W]) WriteContext(run *executor.Run, key, value string, tell func(live W, text string) bool) error {
	known, err := h.lookup(run)
	if err != nil {
		return err
	}
	if err := CheckKey(key); err != nil {
		return err
	}
	p := piece{key, value}
	h.mu.Lock()
	defer h.mu.Unlock()
	if live := known.session.live; live != nil && tell != nil && tell(live.wire, p.text()) {
		return nil
	}
	pieces := put(slices.Clone(known.session.pieces), p)
	size := 0
	for _, p := range pieces {
		size += len(p.key) + len(p.value)
	}
	if size > maxContext {
		return fmt.Errorf("more than %d bytes wait for the next run", maxContext)
	}
	known.session.pieces = pieces
	return nil
}

// Wire returns the wire of the handle's own run, and false if that run is over.
func (h *Host[S, W]) Wire(run *executor.Run) (W, bool, error) {
	var none W
	known, err := h.lookup(run)
	if err != nil {
		return none, false, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if known.run == nil || known.session.live != known.run {
		return none, false, nil
	}
	return known.run.wire, true, nil
}
