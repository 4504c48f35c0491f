package bridges_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
)

// scratch is where the program is built; it is gone when the tests are over.
var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "adaptercheck-bridges-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// built builds the program once, for the tests that get as far as to need it.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "bin", "adaptercheck")
	build := exec.Command("go", "build", "-o", path, "../cmd/adaptercheck")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build adaptercheck: %w\n%s", err, out)
	}
	return path, nil
})

// patience multiplies every budget of the program's: a machine with much to do is no
// finding.
const patience = "4"

func program(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// language is one that a bridge is written for.
type language struct {
	command string
	major   int
	minor   int
}

var (
	node   = language{"node", 20, 0}
	python = language{"python3", 3, 11}
)

var version = regexp.MustCompile(`(\d+)\.(\d+)`)

// need skips the test where the language is not there, or too old.
func (l language) need(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), l.command, "--version").Output()
	if err != nil {
		t.Skipf("%s %d.%d or newer is not installed: its bridge is not tested", l.command, l.major, l.minor)
	}
	found := version.FindSubmatch(out)
	if found == nil {
		t.Fatalf("%s --version says %q", l.command, out)
	}
	major, _ := strconv.Atoi(string(found[1]))
	minor, _ := strconv.Atoi(string(found[2]))
	if major < l.major || major == l.major && minor < l.minor {
		t.Skipf("%s is %d.%d, older than %d.%d: its bridge is not tested", l.command, major, minor, l.major, l.minor)
	}
}
