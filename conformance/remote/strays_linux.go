package remote

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// endStrays kills what the subject started and nobody can find in the tree of
// processes any more: a daemon, or what was started while the subject was ending. It
// is known by its environment, in which the private directory of the subject stands.
func endStrays(tmp string) {
	for range 3 { // one that forks may have got away once
		if killMarked([]byte(temporaryVars[0]+"="+filepath.Join(tmp, temporaryDir)+"\x00")) == 0 {
			return
		}
	}
}

// killMarked kills the processes with the mark in their environment and counts them.
func killMarked(mark []byte) int {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
	n := 0
	for _, path := range paths {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		// Held before it is looked at, so that the number cannot become another's.
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		env, err := os.ReadFile(path)
		if err == nil && bytes.Contains(append([]byte{0}, env...), append([]byte{0}, mark...)) && p.Kill() == nil {
			n++
		}
		_ = p.Release()
	}
	return n
}
