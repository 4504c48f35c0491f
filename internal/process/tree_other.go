//go:build !unix

package process

import "syscall"

// table is empty: the child is ended alone here.
func table() []row { return nil }

func signalOne(int, syscall.Signal) {}
