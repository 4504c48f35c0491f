package tiers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/adaptercheck/adaptercheck/contract/executor/tiers"
)

func TestAssemble(t *testing.T) {
	type b = tiers.Breakpoint
	for _, c := range []struct {
		name                      string
		stable, context, volatile string
		text, prefix              string
		breakpoints               []b
	}{
		{"all three", "S", "C", "V", "S\n\nC\n\nV", "S\n\nC", []b{{1, "stable"}, {4, "context"}}},
		{"no volatile", "S", "C", "", "S\n\nC", "S\n\nC", []b{{1, "stable"}, {4, "context"}}},
		{"no context", "S", "", "V", "S\n\nV", "S", []b{{1, "stable"}}},
		{"stable only", "S", "", "", "S", "S", []b{{1, "stable"}}},
		{"R76: an empty stable leaves no leading separator and no breakpoint", "", "C", "V", "C\n\nV", "C", []b{{1, "context"}}},
		{"R76: context only", "", "C", "", "C", "C", []b{{1, "context"}}},
		{"R76: volatile only", "", "", "V", "V", "", nil},
		{"R76: nothing", "", "", "", "", "", nil},
		{"white space is present", "S", " ", "\n", "S\n\n \n\n\n", "S\n\n ", []b{{1, "stable"}, {4, "context"}}},
		{"white space stays as it is", "S\n\n", "\n\nC", "V", "S\n\n\n\n\n\nC\n\nV", "S\n\n\n\n\n\nC", []b{{3, "stable"}, {8, "context"}}},
		{"offsets are bytes, not characters", "é", "😀", "V", "é\n\n😀\n\nV", "é\n\n😀", []b{{2, "stable"}, {8, "context"}}},
		{"a lone surrogate counts three bytes", "\xED\xA0\x80", "C", "", "\uFFFD\n\nC", "\uFFFD\n\nC", []b{{3, "stable"}, {6, "context"}}},
		{"a broken byte is replaced in the volatile tier too", "S", "", "a\xFFb", "S\n\na\uFFFDb", "S", []b{{1, "stable"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := tiers.Assemble(tiers.Tiers{Stable: c.stable, Context: c.context, Volatile: c.volatile})
			want := tiers.Prompt{Text: c.text, StablePrefix: c.prefix, StablePrefixBytes: len(c.prefix), Breakpoints: c.breakpoints}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("prompt (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever the tiers, what stands before a breakpoint does not depend on what
// stands behind it: that is what a cache needs.
func TestAssembleKeepsTheFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := tiers.Tiers{
			Stable:   rapid.String().Draw(t, "stable"),
			Context:  rapid.String().Draw(t, "context"),
			Volatile: rapid.String().Draw(t, "volatile"),
		}
		p := tiers.Assemble(in)
		if !strings.HasPrefix(p.Text, p.StablePrefix) || len(p.StablePrefix) != p.StablePrefixBytes {
			t.Fatalf("prefix %q of %q, %d bytes", p.StablePrefix, p.Text, p.StablePrefixBytes)
		}
		for _, b := range p.Breakpoints {
			cut := in
			cut.Volatile = ""
			if b.Label == tiers.Stable {
				cut.Context = ""
			}
			if got := tiers.Assemble(cut).Text; got != p.Text[:b.Offset] {
				t.Fatalf("before %s: %q, want %q", b.Label, p.Text[:b.Offset], got)
			}
		}
	})
}

func TestSortToolDefs(t *testing.T) {
	type def struct{ name, mark string }
	defs := []def{{"z", ""}, {"\uFF5E", ""}, {"a", "1"}, {"B", ""}, {"2", ""}, {"é", ""}, {"a", "2"}, {"_", ""}, {"😀", ""}, {"10", ""}, {"b", ""}}
	before := slices.Clone(defs)
	got := tiers.SortToolDefs(defs, func(d def) string { return d.name })
	// Digits as text, upper case first, and the emoji before U+FF5E: its first
	// code unit is a surrogate.
	want := []def{{"10", ""}, {"2", ""}, {"B", ""}, {"_", ""}, {"a", "1"}, {"a", "2"}, {"b", ""}, {"z", ""}, {"é", ""}, {"😀", ""}, {"\uFF5E", ""}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(def{})); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, defs, cmp.AllowUnexported(def{})); diff != "" {
		t.Errorf("the caller's slice changed (-want +got):\n%s", diff)
	}
	if got := tiers.SortToolDefs([]def(nil), func(d def) string { return d.name }); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestSortToolDefsIsStable(t *testing.T) {
	type def struct {
		name string
		mark int
	}
	var defs []def
	for i := range 100 {
		defs = append(defs, def{name: string(rune('a' + i%3)), mark: i})
	}
	for i, d := range tiers.SortToolDefs(defs, func(d def) string { return d.name })[1:] {
		if i < 33 && d.mark != 3*(i+1) {
			t.Errorf("a number %d is definition %d, want %d", i+1, d.mark, 3*(i+1))
		}
	}
}

// CompareUTF16 agrees with comparing the encoded code units.
func TestCompareUTF16(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune{0, 'a', 'b', 'é', 0xD7FF, 0xE000, 0xFF5E, 0xFFFD, 0xFFFF, 0x10000, 0x103FF, 0x10400, '😀', 0x10FFFF}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := tiers.CompareUTF16(a, b); got != want {
			t.Fatalf("CompareUTF16(%+q, %+q) = %d, want %d", a, b, got, want)
		}
	})
}

func TestDateStamp(t *testing.T) {
	for _, c := range []struct {
		name string
		time time.Time
		want string
	}{
		{"padded month and day", time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC), "2026-03-07"},
		{"UTC, next day", time.Date(2026, 12, 31, 23, 0, 0, 0, time.FixedZone("", -2*3600)), "2027-01-01"},
		{"UTC, day before", time.Date(2026, 1, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600)), "2025-12-31"},
		{"date year padding: 99 is 0099", time.Date(99, 1, 2, 0, 0, 0, 0, time.UTC), "0099-01-02"},
		{"five digits are written whole", time.Date(12345, 1, 2, 0, 0, 0, 0, time.UTC), "12345-01-02"},
		{"before the common era", time.Date(-1, 1, 2, 0, 0, 0, 0, time.UTC), "-0001-01-02"},
		{"the zero time is a date, there is no invalid one", time.Time{}, "0001-01-01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tiers.DateStamp(c.time); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func ExampleAssemble() {
	p := tiers.Assemble(tiers.Tiers{Stable: "You review code.", Volatile: "It is Friday."})
	fmt.Printf("%q\n", p.Text)
	fmt.Println(p.StablePrefixBytes, p.Breakpoints)
	// Output:
	// "You review code.\n\nIt is Friday."
	// 16 [{16 stable}]
}
