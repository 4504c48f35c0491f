package process

import "syscall"

// row is one process of the table.
type row struct {
	pid, parent int
	// born tells apart two processes that had the same pid one after the other.
	born string
}

// tree remembers the descendants of a child. The zero value is empty.
type tree struct {
	seen map[int]string // pid to born
}

// grow adds the descendants that the root and the remembered ones have now, and
// returns how many are new. Where the table cannot be read it adds none.
func (t *tree) grow(root int) int {
	rows := table()
	children := make(map[int][]row, len(rows))
	var next []int
	for _, r := range rows {
		children[r.parent] = append(children[r.parent], r)
		if born, known := t.seen[r.pid]; r.pid == root || known && born == r.born {
			next = append(next, r.pid)
		}
	}
	fresh := 0
	for len(next) > 0 {
		pid := next[0]
		next = next[1:]
		for _, child := range children[pid] {
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

// living counts those of the remembered that are still there, and reports whether
// the table could be read.
func (t *tree) living() (n int, ok bool) {
	rows := table()
	for _, r := range rows {
		if born, known := t.seen[r.pid]; known && born == r.born {
			n++
		}
	}
	return n, rows != nil
}

// signal signals those of the remembered that are still there.
func (t *tree) signal(sig syscall.Signal) {
	if len(t.seen) == 0 {
		return
	}
	for _, r := range table() {
		if born, known := t.seen[r.pid]; known && born == r.born {
			signalOne(r.pid, sig)
		}
	}
}
