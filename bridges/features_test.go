package bridges_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// The bridges know the features that the suite knows, but for the one that it finds
// out by itself and those of a host.
func TestFeatures(t *testing.T) {
	var all, wire []string
	for _, f := range fakes.AllFeatures() {
		switch f {
		case fakes.InProcess, fakes.OwnTools, fakes.Outbound, fakes.Vault, fakes.Logs, fakes.Restart:
			continue
		case fakes.Source, fakes.Append, fakes.Ports: // of the history contract
		default:
			wire = append(wire, string(f))
		}
		all = append(all, string(f))
	}
	for _, test := range []struct {
		file     string
		from, to string
		want     []string
	}{
		{"node/types/index.d.ts", "export type Feature =", ";", all},
		{"node/src/features.mjs", "export const WIRE_FEATURES =", ";", wire},
		{"python/adaptercheck_bridge/features.py", "\nWIRE = (", ")", wire},
	} {
		t.Run(test.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.FromSlash(test.file))
			if err != nil {
				t.Fatal(err)
			}
			_, rest, found := strings.Cut(string(text), test.from)
			list, _, ended := strings.Cut(rest, test.to)
			if !found || !ended {
				t.Fatalf("no list from %q to %q", test.from, test.to)
			}
			var got []string
			for _, word := range quoted.FindAllStringSubmatch(list, -1) {
				got = append(got, word[1])
			}
			slices.Sort(got)
			slices.Sort(test.want)
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("features (-the suite's +the bridge's):\n%s", d)
			}
		})
	}
}

var quoted = regexp.MustCompile(`"([^"]*)"`)
