//go:build !linux

package main

import (
	"errors"
	"runtime"
)

// pinTo uses one core, whichever it is: this system does not let a process choose.
func pinTo(int) error {
	runtime.GOMAXPROCS(1)
	return nil
}

func become(int, []string) error { return errors.New("a foreign server is measured on Linux only") }
