package privacy

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// Whatever two texts hold, sanitising twice is sanitising once, and a remote
// provider sees no marker.
func FuzzSanitize(f *testing.F) {
	for _, s := range []string{
		"", "a [ds4:internal]b[/ds4:internal]", "[[ds4:normal][/ds4:normal]ds4:local-only]X", "[ds4:sensitive] x",
		"password='[ds4:local-only]x[/ds4:local-only]'", "api_key=sk-abcdefgh12345", `\[ds4:normal]`, placeholderSecret + "_1",
		"-----BEGIN PRIVATE KEY-----\nx", "Bearer sk-abcdefgh12345", "[/ds4:local-only]", "[ds4:normal]sk-[/ds4:normal]abcdefgh1",
		"password=`[DS4 REDACTED SECRET]`abcd", "://a:AKIA0123456789ABCDEF@", "xoxb-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
	} {
		f.Add(s, "content", uint8(0))
		f.Add("[ds4:local-only]", s, uint8(2))
	}
	f.Fuzz(func(t *testing.T, a, b string, policy uint8) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Skip()
		}
		cfg := Config{DefaultClass: Classes()[policy%4]}
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for _, provider := range []string{"openai", "ollama"} {
			once, err := e.Sanitize(provider, object{"messages": list{a, object{b: a, "password": b}}, b: list{b}})
			if err != nil {
				t.Fatal(err)
			}
			twice, err := e.Sanitize(provider, once.Payload)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(once.Payload, twice.Payload); diff != "" {
				t.Fatalf("%s: (-once +twice):\n%s", provider, diff)
			}
			if provider == "openai" && floorOf(twice.Payload) != Normal {
				t.Fatalf("a marker is left: %v", once.Payload)
			}
		}
	})
}
