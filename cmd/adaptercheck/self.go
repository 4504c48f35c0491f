package main

import (
	"os"
	"os/exec"
)

// self is this program's name in commands.
const self = "adaptercheck"

// selfFound puts the path of this program in the place of its name, where the name
// is not in the PATH: a project's file can name it, however it was started.
func selfFound(command []string) []string {
	if command[0] != self {
		return command
	}
	if _, err := exec.LookPath(self); err == nil {
		return command
	}
	path, err := os.Executable()
	if err != nil {
		return command
	}
	return append([]string{path}, command[1:]...)
}
