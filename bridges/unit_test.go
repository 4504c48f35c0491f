package bridges_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// The bridges' own tests.
func TestUnits(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("node", "test", "*.test.mjs"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests of the bridge for Node: %v", err)
	}
	for i, file := range files {
		files[i] = filepath.Join("test", filepath.Base(file))
	}
	for _, test := range []struct {
		name string
		in   language
		dir  string
		args []string
	}{
		{"node", node, "node", append([]string{"--test"}, files...)},
		{"python", python, "python", []string{"-m", "unittest", "discover", "-t", ".", "-s", "tests"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.in.need(t)
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), test.in.command, test.args...)
			cmd.Dir = test.dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
