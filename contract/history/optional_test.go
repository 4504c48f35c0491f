package history_test

import (
	"math"
	"testing"

	"github.com/adaptercheck/adaptercheck/contract/history"
	"github.com/go-json-experiment/json"
)

func TestOptional(t *testing.T) {
	type fields struct {
		B history.Optional[bool]    `json:"b,omitzero"`
		N history.Optional[float64] `json:"n,omitzero"`
		S history.Optional[string]  `json:"s,omitzero"`
	}
	for _, text := range []string{
		`{}`,
		`{"b":null,"n":null,"s":null}`,
		`{"b":false,"n":0,"s":""}`,
		`{"b":true,"n":1.5e3,"s":"A"}`,
		`{"b":"true","n":"1","s":1}`,
		`{"b":0,"n":[1],"s":{"a":[]}}`,
	} {
		var f fields
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

func TestOptionalGet(t *testing.T) {
	read := func(text string) (o history.Optional[float64]) {
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	tests := []struct {
		name          string
		o             history.Optional[float64]
		present, null bool
		value         float64
		ok            bool
	}{
		{"absent", history.Optional[float64]{}, false, false, 0, false},
		{"null", history.Null[float64](), true, true, 0, false},
		{"zero", history.Some(0.0), true, false, 0, true},
		{"exponent", read(`1e2`), true, false, 100, true},
		{"too large is infinite", read(`1e999`), true, false, math.Inf(1), true},
		{"string", read(`"1"`), true, false, 0, false},
		{"list", read(`[1]`), true, false, 0, false},
		{"not a number is null", history.Some(math.NaN()), true, true, 0, false},
		{"infinite is null", history.Some(math.Inf(-1)), true, true, 0, false},
	}
	for _, tt := range tests {
		v, ok := tt.o.Get()
		if v != tt.value || ok != tt.ok || tt.o.Present() != tt.present || tt.o.IsNull() != tt.null {
			t.Errorf("%s: got %v %v, present %v, null %v", tt.name, v, ok, tt.o.Present(), tt.o.IsNull())
		}
	}
	if got := history.Some("a\"\u0001é\xff"); got.Text() != `"a\"\u0001é`+"\ufffd"+`"` || got.Or("") != "a\"\u0001é\ufffd" {
		t.Errorf("got %s", got.Text())
	}
	if got, ok := history.Some(false).Get(); got || !ok {
		t.Error("false is not false")
	}
	if got := history.Null[bool]().Or(true); !got {
		t.Error("null has a value")
	}
}
