package hosttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/fakes"
)

func TestAt(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.WriteFile(log, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		at   At
		want string // in the error; empty is none
	}{
		"a base":            {At{URL: "http://127.0.0.1:1"}, ""},
		"all there is":      {At{URL: "https://host.example/base/", Outbound: "127.0.0.1:2", Vault: []string{dir}, Log: log}, ""},
		"another loopback":  {At{URL: "http://localhost:1", Outbound: "[::1]:2"}, ""},
		"no scheme":         {At{URL: "127.0.0.1:1"}, "URL of a host"},
		"another scheme":    {At{URL: "file:///etc/passwd"}, "URL of a host"},
		"a secret in it":    {At{URL: "http://canary:canary@127.0.0.1:1"}, "URL of a host"},
		"a query":           {At{URL: "http://127.0.0.1:1?key=canary"}, "URL of a host"},
		"nothing":           {At{}, "URL of a host"},
		"everyone":          {At{URL: "http://127.0.0.1:1", Outbound: "0.0.0.0:2"}, "loopback"},
		"any port":          {At{URL: "http://127.0.0.1:1", Outbound: "127.0.0.1:0"}, "loopback"},
		"no port":           {At{URL: "http://127.0.0.1:1", Outbound: "127.0.0.1"}, "loopback"},
		"no log":            {At{URL: "http://127.0.0.1:1", Log: filepath.Join(dir, "none")}, "log of the host"},
		"a log that is not": {At{URL: "http://127.0.0.1:1", Log: dir}, "no regular file"},
	} {
		err := c.at.Validate()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a host shows is what was said of it, and of its log what it wrote since.
func TestAtSubject(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.WriteFile(log, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := At{URL: "http://127.0.0.1:1/", Vault: []string{dir}, Log: log}.Subject("h")
	for f, want := range map[fakes.Feature]bool{fakes.Vault: true, fakes.Logs: true, fakes.Outbound: false, fakes.Restart: false, fakes.InProcess: false} {
		if s.Shows(f) != want {
			t.Errorf("%s is shown: %t", f, !want)
		}
	}
	in, err := s.Host(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if in.URL != "http://127.0.0.1:1" {
		t.Errorf("URL %s", in.URL)
	}
	for _, c := range []struct{ written, want string }{{"before\nafter\n", "after\n"}, {"anew\n", "anew\n"}} {
		if err := os.WriteFile(log, []byte(c.written), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := in.Logs(); err != nil || got != c.want {
			t.Errorf("%q, %v, want %q", got, err, c.want)
		}
	}
}
