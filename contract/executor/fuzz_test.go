package executor_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Whatever comes over the wire is an event or an EventError, and an event that was
// read is written in a form that reads as the same event.
func FuzzUnmarshalEvent(f *testing.F) {
	for _, line := range wire {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"kind":"done"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		event, err := executor.UnmarshalEvent(data)
		if err != nil {
			var bad *executor.EventError
			if !errors.As(err, &bad) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		written, err := executor.MarshalEvent(event)
		if err != nil {
			t.Fatal(err)
		}
		again, err := executor.UnmarshalEvent(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		second, err := executor.MarshalEvent(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(written), string(second)); diff != "" {
			t.Errorf("written twice (-first +second):\n%s", diff)
		}
	})
}
