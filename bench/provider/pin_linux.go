package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// pinTo keeps this process on one core: the threads that it has and those to come.
func pinTo(core int) error {
	runtime.GOMAXPROCS(1)
	var set unix.CPUSet
	set.Set(core)
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list own threads: %w", err)
	}
	for _, e := range entries {
		var tid int
		if _, err := fmt.Sscan(e.Name(), &tid); err != nil {
			return fmt.Errorf("thread %q: %w", e.Name(), err)
		}
		if err := unix.SchedSetaffinity(tid, &set); err != nil {
			return fmt.Errorf("stay on core %d: %w", core, err)
		}
	}
	return nil
}

// become replaces this process, on one core, by a program.
func become(core int, argv []string) error {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(core)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("stay on core %d: %w", core, err)
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, argv, os.Environ())
}
