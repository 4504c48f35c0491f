//go:build !linux

package process

// waitUnreaped cannot tell here: the child is reaped first and its group ended
// right after.
func waitUnreaped(int) bool { return false }
