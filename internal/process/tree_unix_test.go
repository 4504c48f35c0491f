//go:build unix

package process

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// A shell that starts a shell that waits: the tree of the first knows the second,
// however the machine is looked at, and forgets nobody whose parent has gone.
func TestTree(t *testing.T) {
	sh := exec.Command("sh", "-c", `exec 3<&0; sh -c 'echo $$; read line' <&3 & wait`)
	stdin, err := sh.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := sh.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	inner, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}

	var of tree
	of.grow(sh.Process.Pid)
	if of.seen[inner] == "" {
		t.Errorf("the tree of %d is %v, without %d", sh.Process.Pid, of.seen, inner)
	}
	if again := of.grow(sh.Process.Pid); again != 0 {
		t.Errorf("%d of the same processes are new", again)
	}
	if n, ok := of.living(); n != len(of.seen) || !ok {
		t.Errorf("%d of %d are living, %t", n, len(of.seen), ok)
	}
	stdin.Close()
	if err := sh.Wait(); err != nil {
		t.Fatal(err)
	}
	if n, ok := of.living(); n != 0 || !ok {
		t.Errorf("%d are living after the end, %t", n, ok)
	}
}
