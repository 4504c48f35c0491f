package baseline

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/adaptercheck/adaptercheck/internal/yamltree"
)

// A file is read, or refused with its name, a line and a column; what is read is
// written and read again as it was.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", whole, head, head + "known: []\n", head + "known: [a]\n", head + "known:\n  - {subject: mine}\n", "a: &a [*a]\n", "\xff", "a: b: c\n",
		head + "known:\n  - {subject: m, check: executor.abort.stops, code: abort-late, issue: \"#1\", expires: 2027-02-30}\n",
	} {
		f.Add([]byte(seed))
	}
	place := regexp.MustCompile(`^f\.yaml:\d+:\d+: .`)
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Parse("f.yaml", data)
		if err != nil {
			if len(data) <= maxSize && !place.MatchString(err.Error()) {
				t.Errorf("the error names no place: %v", err)
			}
			return
		}
		out, err := Marshal(b.Entries)
		if err != nil {
			t.Fatalf("write what was read: %v", err)
		}
		again, err := Parse("f.yaml", out)
		if err != nil {
			t.Fatalf("read what was written: %v\n%s", err, bytes.TrimSpace(out))
		}
		if diff := cmp.Diff(b.Entries, again.Entries, cmpopts.IgnoreTypes(yamltree.Position{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("entries (-read +read again):\n%s", diff)
		}
	})
}
