//go:build unix && !linux

package process

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// takeCensus reads the process table through ps, which every Unix has.
func takeCensus() census {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-ax", "-o", "pid=,ppid=,stat=,lstart=").Output()
	if err != nil {
		return nil
	}
	var rows []row
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || strings.HasPrefix(fields[2], "Z") {
			continue
		}
		pid, err1 := strconv.Atoi(fields[0])
		parent, err2 := strconv.Atoi(fields[1])
		if err1 != nil || err2 != nil {
			continue
		}
		rows = append(rows, row{pid: pid, parent: parent, born: strings.Join(fields[3:], " ")})
	}
	return newTable(rows)
}
