// Command gendocs writes the pages under docs/checks from the catalogue of checks:
// one per profile, topic by topic. From the root of the module:
//
//	go run ./internal/gendocs
//
// A test fails when the pages are not what it would write. It imports conformance
// and docs/contract.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", filepath.Join("docs", "checks"), "where the pages are")
	flag.Parse()
	if err := write(*dir); err != nil {
		fmt.Fprintf(os.Stderr, "gendocs: %v\n", err)
		os.Exit(1)
	}
}

// write writes the pages that differ from what is there.
func write(dir string) error {
	pages, err := pages()
	if err != nil {
		return err
	}
	for name, text := range pages {
		path := filepath.Join(dir, name)
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the page: %w", err)
		}
	}
	return nil
}
