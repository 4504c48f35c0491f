//go:build !unix

package supervise

import "os"

// TakeStdout returns the process's stdout and puts stderr in its place for code in
// Go that comes after.
func TakeStdout() (*os.File, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out, nil
}
