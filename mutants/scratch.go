package mutants

import "os"

// scratch makes a directory for the files of all subjects, in memory where there is
// room: the adapters of the history contract write their files through to the disk,
// and ten thousands of fixtures would wait for it. The second result removes it.
func scratch() (string, func(), error) {
	dir, err := os.MkdirTemp(memory(), "adaptercheck-mutants-")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}
