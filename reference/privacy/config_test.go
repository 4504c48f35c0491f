package privacy

import (
	"errors"
	"testing"
)

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		ok   bool
	}{
		{"zero value", Config{}, true},
		{"no local provider", Config{LocalProviders: []string{}}, true},
		{"local-only as default class", Config{DefaultClass: LocalOnly}, true},
		{"unknown default class", Config{DefaultClass: "secret"}, false},
		{"local-only for remote providers (D13)", Config{RemoteDefaultAllowed: []Class{Normal, LocalOnly}}, false},
		{"local-only for one remote provider (D13)", Config{RemoteProviders: map[string][]Class{"acme": {LocalOnly}}}, false},
		{"unknown class", Config{RemoteDefaultAllowed: []Class{"secret"}}, false},
		{"class twice", Config{RemoteDefaultAllowed: []Class{Normal, Normal}}, false},
		{"blank local name", Config{LocalProviders: []string{" \u00a0"}}, false},
		{"local name twice", Config{LocalProviders: []string{"a", " A "}}, false},
		{"blank remote name", Config{RemoteProviders: map[string][]Class{"\t": {Normal}}}, false},
		{"remote name twice", Config{RemoteProviders: map[string][]Class{"a": {Normal}, "A": {Normal}}}, false},
		{"both local and remote", Config{RemoteProviders: map[string][]Class{"Ollama": {Normal}}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(c.cfg)
			if c.ok != (err == nil) || !c.ok && !errors.Is(err, ErrConfig) {
				t.Errorf("error %v, want ok %t", err, c.ok)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	const original = "bef4abbceeca35adec5a66ba3cc952bc551b2650af4bcbc75cded4b3f0dce871"
	if got := engine(t, Config{}).Version(); got != original {
		t.Errorf("version of the default policy is %s, want %s", got, original)
	}
	seen := map[string]bool{original: true}
	for _, cfg := range []Config{
		{Disabled: true}, {DefaultClass: Internal}, {LocalProviders: []string{"ollama"}}, {KeepSecrets: true},
		{RemoteDefaultAllowed: []Class{Normal}}, {RemoteProviders: map[string][]Class{"a": {Normal}}},
		{RemoteProviders: map[string][]Class{"a": {}}},
	} {
		v := engine(t, cfg).Version()
		if seen[v] {
			t.Errorf("policy %+v has the version of another one", cfg)
		}
		seen[v] = true
	}
}
