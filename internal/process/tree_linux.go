package process

import (
	"bytes"
	"os"
	"strconv"
)

// takeCensus looks at each process when it is asked for, where the kernel lists the
// children of a process, which is an option of it. Elsewhere it reads the whole table,
// which takes milliseconds on a busy machine.
func takeCensus() census {
	if listsChildren() {
		return procfs{}
	}
	if rows := everybody(); rows != nil {
		return newTable(rows)
	}
	return nil
}

func listsChildren() bool {
	self := strconv.Itoa(os.Getpid())
	_, err := os.Stat("/proc/" + self + "/task/" + self + "/children")
	return err == nil
}

// procfs asks the kernel for one process at a time. A list of children may lack one
// while another of them exits; who must miss none holds them still and looks again.
type procfs struct{}

func (procfs) find(pid int) (row, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return row{}, false
	}
	return parseStat(pid, stat)
}

// children are those of all threads: a child belongs to the one that started it.
func (p procfs) children(pid int) []row {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	var rows []row
	for _, thread := range threads {
		list, err := os.ReadFile(tasks + "/" + thread.Name() + "/children")
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range bytes.Fields(list) {
			child, err := strconv.Atoi(string(field))
			if err != nil {
				continue
			}
			if r, ok := p.find(child); ok {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// everybody reads the whole table; nil where that cannot be done.
func everybody() []row {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	rows := make([]row, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if r, ok := (procfs{}).find(pid); ok {
			rows = append(rows, r)
		}
	}
	return rows
}

// parseStat reads a line of /proc/PID/stat: pid, name in parentheses, state,
// parent, …, start time in clock ticks as field 22. The name may hold anything,
// parentheses and spaces too, so that the fields are counted from its end.
func parseStat(pid int, stat []byte) (row, bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return row{}, false
	}
	fields := bytes.Fields(stat[end+1:]) // fields[0] is field 3
	if len(fields) < 20 {
		return row{}, false
	}
	if state := string(fields[0]); state == "Z" || state == "X" {
		return row{}, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return row{}, false
	}
	return row{pid: pid, parent: parent, born: string(fields[19])}, true
}
