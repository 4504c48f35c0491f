//go:build !unix

package child

// CanDieBy: processes do not die by signals here.
func CanDieBy(string) bool { return false }

// DieBy is never asked for where nothing dies by a signal.
func DieBy(string) int { return 1 }
