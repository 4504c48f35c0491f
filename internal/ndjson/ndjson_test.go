package ndjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/internal/ndjson"
)

type line struct {
	Text                         string
	Number, Length               int64
	Blank, TooLong, Unterminated bool
}

func readAll(t *testing.T, r io.Reader, o ndjson.Options) ([]line, error) {
	t.Helper()
	lines := ndjson.NewReader(r, o)
	var got []line
	for {
		l, err := lines.Next()
		if err != nil {
			if _, again := lines.Next(); !errors.Is(again, err) {
				t.Errorf("after %v the next call returned %v", err, again)
			}
			return got, err
		}
		got = append(got, line{string(l.Bytes), l.Number, l.Length, l.Blank, l.TooLong, l.Unterminated})
	}
}

func TestNext(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	tests := []struct {
		name, in string
		max      int
		want     []line
	}{
		{name: "nothing"},
		{name: "one line", in: "a\n", want: []line{{Text: "a", Number: 1, Length: 1}}},
		{name: "carriage return before line feed", in: "a\r\nb\n", want: []line{
			{Text: "a", Number: 1, Length: 1}, {Text: "b", Number: 2, Length: 1}}},
		{name: "lone carriage return stays", in: "a\rb\n", want: []line{{Text: "a\rb", Number: 1, Length: 3}}},
		{name: "only one carriage return belongs to the end", in: "a\r\r\n", want: []line{{Text: "a\r", Number: 1, Length: 2}}},
		{name: "line and paragraph separators are text", in: "a\u2028b\u2029c\u0085d\n", want: []line{
			{Text: "a\u2028b\u2029c\u0085d", Number: 1, Length: 12}}},
		{name: "blank lines", in: "\n \t\n\r\na\n", want: []line{
			{Number: 1, Blank: true}, {Text: " \t", Number: 2, Length: 2, Blank: true},
			{Number: 3, Blank: true}, {Text: "a", Number: 4, Length: 1}}},
		{name: "last line unterminated", in: "a\nb", want: []line{
			{Text: "a", Number: 1, Length: 1}, {Text: "b", Number: 2, Length: 1, Unterminated: true}}},
		{name: "byte order mark", in: "\xef\xbb\xbfa\n\xef\xbb\xbfb\n", want: []line{
			{Text: "a", Number: 1, Length: 1}, {Text: "\xef\xbb\xbfb", Number: 2, Length: 4}}},
		{name: "longer than the read buffer", in: long + "\r\nb\n", want: []line{
			{Text: long, Number: 1, Length: 200_000}, {Text: "b", Number: 2, Length: 1}}},
		{name: "beyond the bound", in: "abcd\nabc\r\nabcd\r\nab", max: 3, want: []line{
			{Number: 1, Length: 4, TooLong: true}, {Text: "abc", Number: 2, Length: 3},
			{Number: 3, Length: 4, TooLong: true}, {Text: "ab", Number: 4, Length: 2, Unterminated: true}}},
		{name: "beyond the bound and the read buffer", in: long + "\nb\n" + long, max: 100_000, want: []line{
			{Number: 1, Length: 200_000, TooLong: true}, {Text: "b", Number: 2, Length: 1},
			{Number: 3, Length: 200_000, TooLong: true, Unterminated: true}}},
		{name: "no bound", in: "abc\n", max: -1, want: []line{{Text: "abc", Number: 1, Length: 3}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":     strings.NewReader(test.in),
				"bytewise":  iotest.OneByteReader(strings.NewReader(test.in)),
				"dataAtEOF": iotest.DataErrReader(strings.NewReader(test.in)),
			} {
				got, err := readAll(t, r, ndjson.Options{MaxLine: test.max})
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: ended with %v, want io.EOF", how, err)
				}
				if d := cmp.Diff(test.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", how, d)
				}
			}
		})
	}
}

// Lines of many blocks are read whole, whatever came before them.
func TestLongLines(t *testing.T) {
	const mebibyte = 1 << 20
	var in bytes.Buffer
	var want []string
	for n, size := range []int{3*mebibyte + 7, 3*mebibyte + 500, 2 * mebibyte, 20 * mebibyte, 3 * mebibyte, 11 * mebibyte, 40 * mebibyte, mebibyte - 1, 39*mebibyte + 1} {
		line := strings.Repeat(fmt.Sprintf("%d line %d, ", n, size), size/10)[:size]
		want = append(want, line)
		in.WriteString(line + "\r\n")
	}
	r := ndjson.NewReader(&in, ndjson.Options{})
	for n, line := range want {
		got, err := r.Next()
		if err != nil || string(got.Bytes) != line || got.Length != int64(len(line)) {
			t.Errorf("line %d: %d bytes of %d, %v", n, len(got.Bytes), len(line), err)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last line: %v", err)
	}
}

func TestReadErrorComesAfterWhatWasRead(t *testing.T) {
	boom := errors.New("boom")
	got, err := readAll(t, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(boom)), ndjson.Options{})
	if !errors.Is(err, boom) {
		t.Errorf("error %v, want boom", err)
	}
	want := []line{{Text: "a", Number: 1, Length: 1}, {Text: "b", Number: 2, Length: 1, Unterminated: true}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The lines, joined by LF, are the stream again, but for what the package says it
// takes away.
func FuzzNext(f *testing.F) {
	f.Add([]byte("a\r\n\n\xef\xbb\xbfb"), 4)
	f.Add([]byte("{\"a\":1}\n{\"b\":\"\u2028\"}\n"), 0)
	f.Add(bytes.Repeat([]byte("x"), 70_000), 65_536)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = min(max(limit, 0), 100_000)
		rest := bytes.TrimPrefix(in, []byte("\xef\xbb\xbf"))
		got, err := readAll(t, bytes.NewReader(in), ndjson.Options{MaxLine: limit})
		if !errors.Is(err, io.EOF) {
			t.Fatalf("ended with %v", err)
		}
		for i, l := range got {
			raw, after, terminated := bytes.Cut(rest, []byte("\n"))
			rest = after
			if terminated {
				raw = bytes.TrimSuffix(raw, []byte("\r"))
			}
			tooLong := limit > 0 && len(raw) > limit
			want := line{Number: int64(i + 1), Length: int64(len(raw)), TooLong: tooLong, Unterminated: !terminated}
			if !tooLong {
				want.Text, want.Blank = string(raw), len(bytes.Trim(raw, " \t\r")) == 0
			}
			if d := cmp.Diff(want, l); d != "" {
				t.Fatalf("line %d (-want +got):\n%s", i+1, d)
			}
		}
		if len(rest) != 0 {
			t.Fatalf("%d bytes were not yielded", len(rest))
		}
	})
}

func BenchmarkNext(b *testing.B) {
	for _, bench := range []struct {
		name string
		line int
	}{{"200B", 200}, {"100KB", 100 << 10}, {"10MB", 10 << 20}} {
		b.Run(bench.name, func(b *testing.B) {
			text := strings.Repeat("x", bench.line) + "\n"
			in := strings.Repeat(text, max(1, 1<<20/len(text)))
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				lines := ndjson.NewReader(strings.NewReader(in), ndjson.Options{})
				for {
					if _, err := lines.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
