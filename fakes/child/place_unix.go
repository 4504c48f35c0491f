//go:build unix

package child

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// maxSocketPath is the shortest limit of a socket's path among the systems here,
// its end mark included.
const maxSocketPath = 104

// place is the directory of a fake and what is in it.
type place struct {
	dir     string
	program Program
}

func (p place) wrapper() string  { return filepath.Join(p.dir, p.program.File) }
func (p place) socket() string   { return filepath.Join(p.dir, "s") }
func (p place) home() string     { return filepath.Join(p.dir, "home") }
func (p place) sessions() string { return filepath.Join(p.home(), "sessions") }

// newPlace makes the directory, with a short name: sockets have short paths.
func newPlace(program Program) (place, error) {
	dir, err := os.MkdirTemp("", "acf") // 0700
	if err == nil && len(dir)+len("/s") >= maxSocketPath {
		err = errors.Join(os.Remove(dir), err)
		if err == nil {
			dir, err = os.MkdirTemp("/tmp", "acf")
		}
	}
	if err != nil {
		return place{}, fmt.Errorf("make a directory: %w", err)
	}
	p := place{dir, program}
	if err := os.Mkdir(p.home(), 0o700); err != nil {
		return place{}, errors.Join(fmt.Errorf("make a home: %w", err), os.RemoveAll(dir))
	}
	return p, nil
}

// writeWrapper writes the program that an adapter starts: a script that makes this
// binary the fake. Whoever forks while a file is open for writing hands it to the
// child, and executing it fails then (ETXTBSY); the lock keeps forks out.
func (p place) writeWrapper() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, v := range [][2]string{
		{fakes.EnvFake, p.program.Name},
		{envSocket, p.socket()},
		{envHome, p.sessions()},
		{"GORACE", "atexit_sleep_ms=0"}, // else a race build sleeps a second at exit
	} {
		fmt.Fprintf(&b, "%s=%s\nexport %[1]s\n", v[0], shellQuote(v[1]))
	}
	fmt.Fprintf(&b, "exec %s \"$@\"\n", shellQuote(self))

	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(p.wrapper(), []byte(b.String()), 0o700); err != nil {
		return fmt.Errorf("write the wrapper: %w", err)
	}
	return nil
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// foreign counts what others left in the directory; the home is theirs.
func (p place) foreign() int {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range entries {
		switch filepath.Join(p.dir, e.Name()) {
		case p.wrapper(), p.socket(), p.home():
		default:
			n++
		}
	}
	return n
}
