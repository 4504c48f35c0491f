package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A bridge needs no home, as there is none in many a container.
func TestBridgeWithoutHome(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, home := range map[string]string{"none": "", "one that cannot be written to": file} {
		t.Run(what, func(t *testing.T) {
			for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
				t.Setenv(name, home)
			}
			tmp := t.TempDir()
			for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
				t.Setenv(name, tmp)
			}
			for _, b := range bridgeList() {
				dir, err := b.install()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := os.Stat(filepath.Join(dir, b.main)); err != nil || filepath.Dir(dir) != tmp {
					t.Errorf("%s: installed in %s: %v", b.language, dir, err)
				}
			}
		})
	}
}
