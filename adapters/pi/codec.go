package pi

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// kept is what is kept of a session between its runs, and what it is continued from.
type kept struct {
	// Native is Pi's id of the session, a UUID.
	Native string `json:"native"`
	// File is the session's file.
	File string `json:"file"`
	// Saved: Pi has written the file, which it does with the first answer. One that is
	// missing after that is lost; before, nothing was in it.
	Saved bool `json:"saved"`
}

// Serialize writes the session down as it stands. A session whose native id is not
// known yet continues as a new one.
func (x *Executor) Serialize(_ context.Context, run *executor.Run) (string, error) {
	blob, err := x.host.Serialize(run)
	if err != nil {
		return "", fmt.Errorf("serialize session: %w", err)
	}
	return blob, nil
}

// Restore takes a session over from a blob. A session that has a live run here is
// executor.ErrBusy, and stays as it is.
func (x *Executor) Restore(_ context.Context, blob string) (*executor.Run, error) {
	run, err := x.host.Restore(blob, kept.check)
	if err != nil {
		return nil, fmt.Errorf("restore session: %w", err)
	}
	return run, nil
}

// check refuses what the adapter would not have written.
func (k kept) check() error {
	switch {
	case k == kept{}:
		return nil
	case !oneshot.IsUUID(k.Native):
		return errors.New("field native: no session id")
	case !filepath.IsAbs(k.File):
		return errors.New("field file: no absolute path")
	}
	return nil
}
