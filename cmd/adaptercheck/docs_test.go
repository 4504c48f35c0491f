package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance"
	"github.com/adaptercheck/adaptercheck/conformance/baseline"
	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/internal/config"
)

// The files that the page shows are ones that can be read.
func TestConfigurationPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	if len(blocks) != 2 {
		t.Fatalf("%d files on the page", len(blocks))
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		if strings.HasPrefix(text, "schema: "+config.Schema) {
			_, err = config.Parse("page", []byte(text), config.Known{Fakes: testSystem().fakeNames()})
		} else {
			var b baseline.Baseline
			b, err = baseline.Parse("page", []byte(text))
			for _, e := range b.Entries {
				ch, found := conformance.Find(string(e.Check))
				if !found || !slices.Contains(ch.AllCodes(), check.Code(e.Code)) {
					t.Errorf("there is no %s with the code %s", e.Check, e.Code)
				}
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}
