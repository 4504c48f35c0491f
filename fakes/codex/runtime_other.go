//go:build !unix

package codex

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// errSystem is what everything that needs POSIX processes returns.
var errSystem = fmt.Errorf("fake codex: processes of a fake need a POSIX system, this is %s: %w", runtime.GOOS, errors.ErrUnsupported)

// Runtime is the fake. It cannot be made on this system.
type Runtime struct{}

// New returns an error: fakes that are processes need a POSIX system.
func New(context.Context, Options) (*Runtime, error) { return nil, errSystem }

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

func playChild(_ context.Context, p fakes.Play) int {
	fmt.Fprintln(p.Stderr, errSystem)
	return 2
}

func startSleeper([]string, bool) error { return errSystem }
