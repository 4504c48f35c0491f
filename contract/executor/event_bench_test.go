package executor_test

import (
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

func BenchmarkUnmarshalEvent(b *testing.B) {
	line := []byte(wire[3])
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := executor.UnmarshalEvent(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshalEvent(b *testing.B) {
	event, err := executor.UnmarshalEvent([]byte(wire[3]))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := executor.MarshalEvent(event); err != nil {
			b.Fatal(err)
		}
	}
}
