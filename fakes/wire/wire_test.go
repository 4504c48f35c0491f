package wire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/wire"
)

// writes keeps each write apart.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

func TestFaults(t *testing.T) {
	frames := []string{`{"a":"é"}`, `{"b":2}`, `{"c":3}`}
	for _, c := range []struct {
		name   string
		faults wire.Faults
		want   writes
		frames int
	}{
		{"none", wire.Faults{}, writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3},
		{"every 6 bytes", wire.Faults{SplitEvery: 6}, writes{"{\"a\":\"", "é\"}\n", "{\"b\":2", "}\n", "{\"c\":3", "}\n"}, 3},
		{"inside a letter", wire.Faults{Split: []int{7, 100}}, writes{"{\"a\":\"\xc3", "\xa9\"}\n", "{\"b\":2}", "\n", "{\"c\":3}", "\n"}, 3},
		{"two joined", wire.Faults{Coalesce: 2}, writes{"{\"a\":\"é\"}\n{\"b\":2}\n", "{\"c\":3}\n"}, 3},
		{"crlf", wire.Faults{CRLF: true, Coalesce: 9}, writes{"{\"a\":\"é\"}\r\n{\"b\":2}\r\n{\"c\":3}\r\n"}, 3},
		{"no final newline", wire.Faults{NoFinalNewline: true}, writes{`{"a":"é"}`, "\n{\"b\":2}", "\n{\"c\":3}"}, 3},
		{"bom", wire.Faults{BOM: true, Coalesce: 9}, writes{"\xef\xbb\xbf{\"a\":\"é\"}\n{\"b\":2}\n{\"c\":3}\n"}, 3},
		{"noise", wire.Faults{Coalesce: 9, Noise: []wire.Noise{{Before: 0, Line: "warning"}, {Before: 2, Size: 4, Times: 2}}},
			writes{"warning\n{\"a\":\"é\"}\n{\"b\":2}\nxxxx\nxxxx\n{\"c\":3}\n"}, 3},
		{"cut in the second", wire.Faults{Cut: 14}, writes{"{\"a\":\"é\"}\n", "{\"b"}, 1},
		{"cut before a line end", wire.Faults{Cut: 10}, writes{`{"a":"é"}`}, 1},
		{"cut inside a letter", wire.Faults{Cut: 7, SplitEvery: 4}, writes{"{\"a\"", ":\"\xc3"}, 0},
	} {
		var got writes
		w := wire.NewWriter(&got, c.faults)
		var err error
		for _, f := range frames {
			if err = w.Frame([]byte(f)); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Close()
		}
		if cut := errors.Is(err, wire.ErrCut); cut != (c.faults.Cut > 0) || (err != nil && !cut) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		want := fakes.Receipt{Frames: c.frames, Bytes: int64(len(strings.Join(c.want, "")))}
		if diff := cmp.Diff(want, w.Receipt()); diff != "" {
			t.Errorf("%s: receipt (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestNothingLeavesAfterTheCut(t *testing.T) {
	var got writes
	w := wire.NewWriter(&got, wire.Faults{Cut: 3})
	for range 3 {
		if err := w.Frame([]byte("abcdef")); !errors.Is(err, wire.ErrCut) {
			t.Errorf("error %v", err)
		}
	}
	if diff := cmp.Diff(writes{"abc"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRawIsNoFrame(t *testing.T) {
	var got writes
	w := wire.NewWriter(&got, wire.Faults{NoFinalNewline: true})
	for _, err := range []error{w.Frame([]byte("{}")), w.Raw([]byte("half a li")), w.Raw([]byte("ne\r\n")), w.Frame([]byte("[]"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff("{}\nhalf a line\r\n[]", strings.Join(got, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := w.Receipt().Frames; n != 2 {
		t.Errorf("%d frames", n)
	}
}

// A flood leaves in bounded pieces.
func TestFloodIsNotHeld(t *testing.T) {
	var got writes
	w := wire.NewWriter(&got, wire.Faults{Coalesce: 9, Noise: []wire.Noise{{Size: 99, Times: 10000}}})
	if err := errors.Join(w.Frame([]byte("{}")), w.Close()); err != nil {
		t.Fatal(err)
	}
	if n := w.Receipt(); n.Bytes != 100*10000+3 || n.Frames != 1 {
		t.Errorf("receipt %+v", n)
	}
	if longest := len(slices.MaxFunc(got, func(a, b string) int { return len(a) - len(b) })); longest > 1<<17 {
		t.Errorf("a write of %d bytes", longest)
	}
}

type broken struct{ after int }

func (b *broken) Write(p []byte) (int, error) {
	if b.after -= len(p); b.after < 0 {
		return len(p) + b.after, errors.New("broken pipe")
	}
	return len(p), nil
}

func TestReceiptCountsWhatTheStreamTook(t *testing.T) {
	w := wire.NewWriter(&broken{after: 7}, wire.Faults{})
	if err := w.Frame([]byte("abcd")); err != nil {
		t.Fatal(err)
	}
	if err := w.Frame([]byte("abcd")); err == nil {
		t.Error("no error")
	}
	if diff := cmp.Diff(fakes.Receipt{Frames: 1, Bytes: 7}, w.Receipt()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However a stream is split and joined, its bytes are the same.
func TestSplittingKeepsTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := rapid.SliceOf(rapid.StringMatching(`[a-zé]{0,20}`)).Draw(t, "frames")
		faults := wire.Faults{
			SplitEvery: rapid.IntRange(0, 9).Draw(t, "every"),
			Split:      rapid.SliceOfN(rapid.IntRange(0, 9), 0, 3).Draw(t, "split"),
			Coalesce:   rapid.IntRange(0, 4).Draw(t, "coalesce"),
		}
		var got writes
		w := wire.NewWriter(&got, faults)
		var want string
		for _, f := range frames {
			want += f + "\n"
			if err := w.Frame([]byte(f)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.Join(got, "")); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if r := w.Receipt(); r.Frames != len(frames) || r.Bytes != int64(len(want)) {
			t.Fatalf("receipt %+v of %d frames, %d bytes", r, len(frames), len(want))
		}
	})
}
