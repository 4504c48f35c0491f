//go:build !unix

package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// errSystem is what everything that needs POSIX processes returns.
var errSystem = fmt.Errorf("processes of a fake need a POSIX system, this is %s: %w", runtime.GOOS, errors.ErrUnsupported)

// Runtime is a fake from outside. It cannot be made on this system.
type Runtime struct{}

// New returns an error: fakes that are processes need a POSIX system.
func New(context.Context, Program, fakes.Features, Start) (*Runtime, error) { return nil, errSystem }

// Endpoint is empty.
func (*Runtime) Endpoint() fakes.Endpoint { return fakes.Endpoint{} }

// Next returns an error.
func (*Runtime) Next(context.Context) (fakes.Run, error) { return nil, errSystem }

// Fault returns an error.
func (*Runtime) Fault(context.Context, fakes.Fault) error { return errSystem }

// Residue is zero.
func (*Runtime) Residue() fakes.Residue { return fakes.Residue{} }

// Features is empty.
func (*Runtime) Features() fakes.Features { return nil }

// Close does nothing.
func (*Runtime) Close() error { return nil }

// Player lets a binary play the program, which fails on this system.
func (p Program) Player() fakes.Player {
	return fakes.Player{Name: p.Name, Playable: p.Playable, Play: func(_ context.Context, play fakes.Play) int {
		fmt.Fprintln(play.Stderr, errSystem)
		return 2
	}}
}

func launchSleeper(string, []string, bool, *os.File) (*os.Process, error) { return nil, errSystem }
