package hosttest

import (
	"encoding/base64"
	"encoding/hex"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

func TestCatalogueIsWellFormed(t *testing.T) {
	checks := Checks()
	if err := check.Validate(checks); err != nil {
		t.Error(err)
	}
	if len(checks) < 25 {
		t.Errorf("%d checks, want at least 25", len(checks))
	}
	cases := map[string]bool{}
	for _, ch := range checks {
		// A case of which a plain host shows nothing would leave every verdict open.
		if len(ch.Needs) == 0 {
			cases[ch.Case] = true
		}
	}
	for _, id := range check.Cases(report.Host) {
		if !cases[id] {
			t.Errorf("no check without needs sharpens the case %s", id)
		}
	}
}

// What is shown of a key is found in any form that hides nothing, and no more than that.
func TestLeaks(t *testing.T) {
	key := keyHead + "ABCDEFGHJKLMNPQRSTUVWXYZabcdefgh"
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"whole":           {`{"error":"bad ` + key + `"}`, true},
		"the middle":      {"…" + key[25:38] + "…", true},
		"the head":        {keyHead + "…", false},
		"the last four":   {"…" + key[len(key)-4:], false},
		"the last eight":  {"…" + key[len(key)-8:], false},
		"the last nine":   {"…" + key[len(key)-9:], true},
		"hexadecimal":     {hex.EncodeToString([]byte("x" + key)), true},
		"base64":          {base64.StdEncoding.EncodeToString([]byte(key)), true},
		"base64 after 1":  {base64.StdEncoding.EncodeToString([]byte("x" + key)), true},
		"base64 after 2":  {base64.URLEncoding.EncodeToString([]byte("xy" + key)), true},
		"nothing":         {"", false},
		"another's words": {"ok ready clawboo-native needs-auth", false},
	} {
		if got := leaks(c.text, key); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
