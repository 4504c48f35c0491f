package process

import (
	"bytes"
	"os"
	"strconv"
)

// table reads the process table. Processes that are dead but not reaped are not in
// it.
func table() []row {
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
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if r, ok := parseStat(pid, stat); ok {
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
