//go:build !unix

package codex

// canDieBy: processes do not die by signals here.
func canDieBy(string) bool { return false }

func dieBy(string) int { return 1 }
