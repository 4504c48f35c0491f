package process

import "syscall"

// row is one process.
type row struct {
	pid, parent int
	// born tells apart two processes that had the same pid one after the other.
	born string
}

// census is a look at the processes of the machine. Processes that are dead but not
// reaped are not there.
type census interface {
	find(pid int) (row, bool)
	children(pid int) []row
}

// tree remembers the descendants of a child. The zero value is empty.
type tree struct {
	seen map[int]string // pid to born
}

// grow adds the descendants that the root and the remembered ones have now, and
// returns how many are new. Where processes cannot be looked at it adds none.
func (t *tree) grow(root int) int {
	look := takeCensus()
	if look == nil {
		return 0
	}
	var next []int
	if root > 0 {
		next = append(next, root)
	}
	for pid := range t.seen {
		if t.is(look, pid) {
			next = append(next, pid)
		}
	}
	fresh := 0
	for len(next) > 0 {
		pid := next[0]
		next = next[1:]
		for _, child := range look.children(pid) {
			if born, known := t.seen[child.pid]; known && born == child.born || child.pid == root {
				continue
			}
			if t.seen == nil {
				t.seen = map[int]string{}
			}
			t.seen[child.pid] = child.born
			next = append(next, child.pid)
			fresh++
		}
	}
	return fresh
}

// is reports whether a remembered process is still there.
func (t *tree) is(look census, pid int) bool {
	r, there := look.find(pid)
	return there && r.born == t.seen[pid]
}

// living counts those of the remembered that are still there, and reports whether
// processes could be looked at.
func (t *tree) living() (n int, ok bool) {
	look := takeCensus()
	if look == nil {
		return 0, false
	}
	for pid := range t.seen {
		if t.is(look, pid) {
			n++
		}
	}
	return n, true
}

// signal signals those of the remembered that are still there.
func (t *tree) signal(sig syscall.Signal) {
	if len(t.seen) == 0 {
		return
	}
	look := takeCensus()
	if look == nil {
		return
	}
	for pid := range t.seen {
		if t.is(look, pid) {
			signalOne(pid, sig)
		}
	}
}
