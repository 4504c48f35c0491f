//go:build unix

package process

// table is a census of which all was read at once.
type table struct {
	byPID    map[int]row
	byParent map[int][]row
}

func newTable(rows []row) table {
	t := table{make(map[int]row, len(rows)), make(map[int][]row, len(rows))}
	for _, r := range rows {
		t.byPID[r.pid] = r
		t.byParent[r.parent] = append(t.byParent[r.parent], r)
	}
	return t
}

func (t table) find(pid int) (row, bool) {
	r, ok := t.byPID[pid]
	return r, ok
}

func (t table) children(pid int) []row { return t.byParent[pid] }
