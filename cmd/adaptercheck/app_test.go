package main

import "testing"

func TestOneLine(t *testing.T) {
	if got, want := oneLine("a\r\nb\x1b[31m\tc\n"), "a; b [31m c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
