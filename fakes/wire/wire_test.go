package wire_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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

// host notes what it is asked for.
type host struct {
	wire.Alone
	asked []string
	hold  error
}

func (h *host) note(format string, args ...any) {
	h.asked = append(h.asked, fmt.Sprintf(format, args...))
}

func (h *host) Pause(d time.Duration) { h.note("pause %s", d) }
func (h *host) Flood(n int)           { h.note("flood %d", n) }
func (h *host) Close()                { h.note("close") }
func (h *host) Cut()                  { h.note("cut") }
func (h *host) Exit(code int)         { h.note("exit %d", code) }
func (h *host) Stay()                 { h.note("stay") }
func (h *host) Hold() error           { h.note("hold"); return h.hold }
func (h *host) Ignore(signal string)  { h.note("ignore %s", signal) }
func (h *host) Unread()               { h.note("unread") }

// play writes the frames, each of them due by itself.
func play(t *testing.T, h wire.Host, f wire.Faults, frames ...string) (writes, *wire.Writer) {
	t.Helper()
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	var got writes
	w := wire.NewWriter(&got, f, h)
	for _, frame := range frames {
		if err := errors.Join(w.Frame([]byte(frame)), w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return got, w
}

func TestFaults(t *testing.T) {
	frames := []string{`{"a":"é"}`, `{"b":2}`, `{"c":3}`}
	at := func(kind wire.Kind, frame, byte, n int) wire.Faults {
		return wire.Faults{{Kind: kind, Frame: frame, Byte: byte, N: n}}
	}
	for _, c := range []struct {
		name   string
		faults wire.Faults
		want   writes
		frames int
		asked  []string
	}{
		{"none", nil, writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"split from the second on", at(wire.Split, 1, 0, 6), writes{"{\"a\":\"é\"}\n", "{\"b\":2", "}\n", "{\"c\":3", "}\n"}, 3, nil},
		{"split once, inside a letter", at(wire.Split, 0, 7, 0), writes{"{\"a\":\"\xc3", "\xa9\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"split once, in a later frame", at(wire.Split, 0, 12, 0), writes{"{\"a\":\"é\"}\n", "{", "\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"two joined", at(wire.Coalesce, 0, 0, 0), writes{"{\"a\":\"é\"}\n{\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"joined with none", at(wire.Coalesce, 2, 0, 9), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"delay", at(wire.Delay, 1, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, []string{"pause 20ms"}},
		{"stall", at(wire.Stall, 1, 2, 0), writes{"{\"a\":\"é\"}\n", "{\""}, 1, []string{"stay"}},
		{"cut in the second", at(wire.Cut, 1, 3, 0), writes{"{\"a\":\"é\"}\n", "{\"b"}, 1, []string{"cut"}},
		{"cut by byte", at(wire.Cut, 0, 14, 0), writes{"{\"a\":\"é\"}\n", "{\"b"}, 1, []string{"cut"}},
		{"cut before a line end", at(wire.Cut, 0, 10, 0), writes{`{"a":"é"}`}, 1, []string{"cut"}},
		{"cut before anything", at(wire.Cut, 0, 0, 0), nil, 0, []string{"cut"}},
		{"cut at the end", at(wire.Cut, 3, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, []string{"cut"}},
		{"garble", at(wire.Garble, 1, 1, 2), writes{"{\"a\":\"é\"}\n", "{", "\x87\xc7\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"duplicate", at(wire.Duplicate, 1, 0, 2), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n{\"b\":2}\n{\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"long", at(wire.Long, 1, 0, 3), writes{"{\"a\":\"é\"}\n", "{\"b\":2,\"padding\":\"xxx\"}\n", "{\"c\":3}\n"}, 3, nil},
		{"no final newline", at(wire.NoFinalNewline, 1, 0, 0), writes{"{\"a\":\"é\"}\n", `{"b":2}`, "\n{\"c\":3}"}, 3, nil},
		{"crlf", at(wire.CRLF, 1, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\r\n", "{\"c\":3}\r\n"}, 3, nil},
		{"bom", at(wire.BOM, 1, 0, 0), writes{"{\"a\":\"é\"}\n", "\xef\xbb\xbf{\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
		{"separator", at(wire.Separator, 1, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2,\"separator\":\"\u2028\"}\n", "{\"c\":3}\n"}, 3, nil},
		{"noise", wire.Faults{{Kind: wire.Noise, Text: "warning"}, {Kind: wire.Noise, Frame: 3, Text: "bye", N: 2}},
			writes{"warning\n{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n", "bye\nbye\n"}, 3, nil},
		{"flood", at(wire.Flood, 1, 0, 7), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, []string{"flood 7"}},
		{"close", at(wire.Close, 1, 0, 0), writes{"{\"a\":\"é\"}\n"}, 1, []string{"close"}},
		{"holder", at(wire.Holder, 0, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, []string{"hold"}},
		{"deaf", at(wire.Deaf, 0, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, []string{"ignore TERM"}},
		{"exit", at(wire.Exit, 2, 1, 5), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{"}, 2, []string{"exit 5"}},
		{"unread", at(wire.Unread, 2, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, []string{"unread"}},
		{"two at one place", wire.Faults{{Kind: wire.BOM}, {Kind: wire.CRLF}, {Kind: wire.Cut, Byte: 3}}, writes{"\xef\xbb\xbf{\"a"}, 0, []string{"cut"}},
		{"beyond the end", at(wire.Cut, 4, 0, 0), writes{"{\"a\":\"é\"}\n", "{\"b\":2}\n", "{\"c\":3}\n"}, 3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &host{}
			got, w := play(t, h, c.faults, frames...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := fakes.Receipt{Frames: c.frames, Bytes: int64(len(strings.Join(c.want, "")))}
			if diff := cmp.Diff(want, w.Receipt()); diff != "" {
				t.Errorf("receipt (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, h.asked); diff != "" {
				t.Errorf("the host was asked for (-want +got):\n%s", diff)
			}
			struck := len(w.Strikes())
			if c.name == "beyond the end" {
				struck++
			}
			if struck != len(c.faults) {
				t.Errorf("%d faults, struck: %+v", len(c.faults), w.Strikes())
			}
		})
	}
}

// Every kind strikes at every position of a stream, and says where.
func TestEveryKindEverywhere(t *testing.T) {
	frames := strings.Split(strings.Repeat(`{"type":"tick"} `, 10), " ")[:10]
	for _, kind := range wire.Kinds() {
		for position := range len(frames) + 1 {
			f := wire.Fault{Kind: kind, Frame: position}
			switch kind {
			case wire.Garble, wire.Duplicate, wire.Long, wire.Separator:
				if position == len(frames) {
					continue // no frame is there
				}
			}
			_, w := play(t, &host{}, wire.Faults{f}, frames...)
			struck := w.Strikes()
			if len(struck) != 1 || struck[0].Fault != f || struck[0].Offset != int64(position*len(frames[0])+position) {
				t.Errorf("%s at %d: %+v", kind, position, struck)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		fault wire.Fault
		want  string
	}{
		{wire.Fault{Kind: "explode"}, `wire fault 1: unknown kind "explode", want one of [`},
		{wire.Fault{Kind: wire.Cut, Frame: -1}, "wire fault 1 (cut): frame -1, byte 0 and n 0 count from 0"},
		{wire.Fault{Kind: wire.Noise, Byte: 1}, "wire fault 1 (noise): it strikes at a frame, not at byte 1 of it"},
		{wire.Fault{Kind: wire.Split, Byte: 1, N: 1}, "wire fault 1 (split): it strikes at a frame, not at byte 1 of it"},
		{wire.Fault{Kind: wire.CRLF, Text: "x"}, "wire fault 1 (crlf): only noise has a text"},
	} {
		if err := (wire.Faults{{Kind: wire.BOM}, c.fault}).Check(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.fault, err, c.want)
		}
	}
	for _, kind := range wire.Kinds() {
		if err := (wire.Faults{{Kind: kind}}).Check(); err != nil {
			t.Error(err)
		}
	}
}

// A fault that is added strikes at the frame that is next, and changes nobody else's
// faults.
func TestAddedFaultsStrikeNext(t *testing.T) {
	given := append(make(wire.Faults, 0, 2), wire.Fault{Kind: wire.Duplicate})
	var got writes
	w := wire.NewWriter(&got, given, wire.Alone{})
	if err := errors.Join(w.Frame([]byte("a")), w.Flush()); err != nil {
		t.Fatal(err)
	}
	w.Add(wire.Fault{Kind: wire.CRLF, Frame: 7})
	if err := errors.Join(w.Frame([]byte("b")), w.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(writes{"a\na\n", "b\r\n"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]wire.Strike{{Fault: wire.Fault{Kind: wire.Duplicate}}, {Fault: wire.Fault{Kind: wire.CRLF, Frame: 1}, Offset: 4}}, w.Strikes()); diff != "" {
		t.Errorf("strikes (-want +got):\n%s", diff)
	}
	if hidden := given[:2]; hidden[1] != (wire.Fault{}) {
		t.Errorf("the given faults were changed: %v", hidden)
	}
}

func TestFramesThatAreNoObjectsDoNotGrow(t *testing.T) {
	for frame, want := range map[string]string{"[1]": "[1]\n", "": "\n", "{}": "{\"separator\":\"\u2028\"}\n", ` {"a":1} `: "{\"a\":1,\"separator\":\"\u2028\"}\n"} {
		if got, _ := play(t, &host{}, wire.Faults{{Kind: wire.Separator}}, frame); strings.Join(got, "") != want {
			t.Errorf("%q became %q", frame, got)
		}
	}
}

func TestAHostThatCannotHoldIsAnError(t *testing.T) {
	w := wire.NewWriter(&writes{}, wire.Faults{{Kind: wire.Holder}}, &host{hold: errors.ErrUnsupported})
	if err := w.Frame([]byte("{}")); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

func TestRawIsNoFrame(t *testing.T) {
	var got writes
	w := wire.NewWriter(&got, wire.Faults{{Kind: wire.NoFinalNewline}}, wire.Alone{})
	for _, err := range []error{w.Frame([]byte("{}")), w.Raw([]byte("half a li")), w.Raw([]byte("ne\r\n")), w.Frame([]byte("[]")), w.Close()} {
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
	line := strings.Repeat("x", 99)
	got, w := play(t, &host{}, wire.Faults{{Kind: wire.Noise, Text: line, N: 10000}}, "{}")
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
	w := wire.NewWriter(&broken{after: 7}, nil, wire.Alone{})
	if err := errors.Join(w.Frame([]byte("abcd")), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Frame([]byte("abcd")), w.Flush()); err == nil {
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
		var faults wire.Faults
		for range rapid.IntRange(0, 4).Draw(t, "faults") {
			f := wire.Fault{Kind: wire.Split, Frame: rapid.IntRange(0, 5).Draw(t, "frame")}
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				f.N = rapid.IntRange(1, 9).Draw(t, "every")
			case 1:
				f.Byte = rapid.IntRange(0, 30).Draw(t, "byte")
			case 2:
				f.Kind, f.N = wire.Coalesce, rapid.IntRange(0, 4).Draw(t, "join")
			}
			faults = append(faults, f)
		}
		var got writes
		w := wire.NewWriter(&got, faults, wire.Alone{})
		var want string
		for _, f := range frames {
			want += f + "\n"
			if err := errors.Join(w.Frame([]byte(f)), w.Flush()); err != nil {
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
