package claudecode

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// looked lists what members and elements see in a value, all the way down.
func looked(v jsontext.Value) []string {
	var out []string
	if members(v, func(name []byte, value jsontext.Value) {
		out = append(out, "name "+string([]rune(string(name)))) // as a decoder mends it
		out = append(out, looked(value)...)
	}) {
		return append(out, "end of object")
	}
	if v.Kind() == '[' {
		elements(v, func(value jsontext.Value) { out = append(out, looked(value)...) })
		return append(out, "end of array")
	}
	return []string{string(bytes.TrimSpace(v))}
}

// decoded lists the same as the decoder sees it.
func decoded(t *testing.T, dec *jsontext.Decoder) []string {
	t.Helper()
	var out []string
	switch kind := dec.PeekKind(); kind {
	case '{', '[':
		if _, err := dec.ReadToken(); err != nil {
			t.Fatal(err)
		}
		for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
			if kind == '{' {
				name, err := dec.ReadToken()
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, "name "+name.String())
			}
			out = append(out, decoded(t, dec)...)
		}
		if _, err := dec.ReadToken(); err != nil {
			t.Fatal(err)
		}
		if kind == '{' {
			return append(out, "end of object")
		}
		return append(out, "end of array")
	default:
		v, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		return []string{string(v)}
	}
}

// What is looked at by place is what a decoder reads.
func FuzzLooking(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` { "a" : 1 , "b":[ true,null , {"c":"]}"} ] } `, `{"a":"\\","b\u0022":"\"{","c":-1.5e3}`, `"text"`, `7`, "\t[\r\n]", `[[[]],[{}],""]`,
		`{"a":"` + "\xff" + `","\n":{"x":[1,2,3]}}`, `{"a":1,"a":2}`, `{"a":1}{}`, `{"a"`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !readable(text) {
			return
		}
		want := decoded(t, jsontext.NewDecoder(bytes.NewReader(text), lenient))
		if d := cmp.Diff(want, looked(text)); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

func TestStrings(t *testing.T) {
	for _, test := range []struct {
		json, want string
		ok         bool
	}{
		{`"plain"`, "plain", true}, {`""`, "", true}, {`"a\nb\u00e9\ud83e\udd9c"`, "a\nbé🦜", true}, {"\"a\xffb\"", "a\uFFFDb", true}, {`"a\` + "u0062\xff\"", "ab\uFFFD", true},
		{`7`, "", false}, {`null`, "", false}, {``, "", false}, {`{}`, "", false},
	} {
		if got, ok := str(jsontext.Value(test.json)); got != test.want || ok != test.ok {
			t.Errorf("%s: %q %v", test.json, got, ok)
		}
	}
	if !is(jsontext.Value(`"t\u0079pe"`), "type") || is(jsontext.Value(`"types"`), "type") || is(jsontext.Value(`type`), "type") || is(nil, "") {
		t.Error("words are compared wrongly")
	}
	known := "the same text"
	if textLike(jsontext.Value(`"the same te\u0078t"`), known) != known || textLike(jsontext.Value(`"other"`), known) != "other" || textLike(nil, known) != "" {
		t.Error("texts are compared wrongly")
	}
	for json, want := range map[string]bool{"": false, "null": false, "false": false, "true": true, `"false"`: true, "0": true} {
		if flagged(jsontext.Value(json)) != want {
			t.Errorf("flag %s", json)
		}
	}
	if count(jsontext.Value("-1")) != 0 || count(jsontext.Value("1.5")) != 0 || count(jsontext.Value(`"1"`)) != 0 || count(jsontext.Value("12")) != 12 {
		t.Error("counts are read wrongly")
	}
}

// Long strings are unquoted in pieces; wherever the pieces end, they mean the same.
func TestLongStrings(t *testing.T) {
	for name, unit := range map[string]string{
		"an escaped pair":         `\ud83e\udd9c` + strings.Repeat("-", 50),
		"escapes without a break": `\n\"\\`,
		"characters of all sizes": `é漢🦜` + strings.Repeat("-", 7) + `\t`,
		"characters of three":     `漢`,
		"bytes that are none":     "\xff\\n\xe6\xbc" + strings.Repeat("-", 30),
		"backslashes":             strings.Repeat(`\\`, 9) + strings.Repeat("-", 20),
	} {
		for shift := range 64 {
			quoted := jsontext.Value(`"` + strings.Repeat("x", shift) + strings.Repeat(unit, 3*pieceSize/len(unit)) + `"`)
			var want string
			if err := json.Unmarshal(quoted, &want, lenient); err != nil {
				t.Fatal(err)
			}
			if got, ok := str(quoted); got != want || !ok {
				t.Fatalf("%s, shifted by %d: %d bytes, want %d", name, shift, len(got), len(want))
			}
			if got := textLike(quoted, want); got != want {
				t.Fatalf("%s, shifted by %d: not the same", name, shift)
			}
			if got := textLike(quoted, want[:len(want)-1]+"?"); got != want {
				t.Fatalf("%s, shifted by %d: the same", name, shift)
			}
		}
	}
}
