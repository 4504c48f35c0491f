package openclaw

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// said events are what chat events come to, whatever they lack.
func TestAnswer(t *testing.T) {
	type event struct {
		delta, whole string
		replace      bool
	}
	const none = "\x00" // the field is absent
	for name, c := range map[string]struct {
		events []event
		final  string
		want   string
	}{
		"increments":             {[]event{{"a", "a", false}, {" b", "a b", false}}, "a b c", `"a", " b", " c"`},
		"no increments":          {[]event{{none, "a", false}, {none, "a b", false}}, "a b", `"a", " b"`},
		"increments alone":       {[]event{{"a", none, false}, {" b", none, false}}, "a b", `"a", " b"`},
		"the text is ahead":      {[]event{{"a", "a b", false}, {" b", "a b c", false}}, "a b c", `"a b", " c"`},
		"an event was lost":      {[]event{{"a", "a", false}, {"c", "a b c", false}}, "a b c", `"a", " b c"`},
		"twice":                  {[]event{{"a", "a", false}, {"a", "a", false}}, "a", `"a"`},
		"out of order":           {[]event{{"a", "a", false}, {"c", "a b c", false}, {"b ", "a b ", false}}, "a b c", `"a", " b c"`},
		"escapes":                {[]event{{"\"\n", "\"\n", false}, {"é🦜\\", "\"\né🦜\\", false}}, "\"\né🦜\\", `"\"\n", "é🦜\\"`},
		"the same again":         {[]event{{"ha", "ha", false}, {"ha", "haha", false}, {"ha", "hahaha", false}}, "hahaha", `"ha", "ha", "ha"`},
		"taken back, the same":   {[]event{{"part", "part", false}, {"", "", true}, {"pa", "pa", false}, {"rt", "part", false}, {"y", "party", false}}, "party", `"part", "y"`},
		"taken back, another":    {[]event{{"part", "part", false}, {"", "", true}, {"po", "po", false}, {"rt", "port", false}}, "port", `"part", running text-restarted, "po", "rt"`},
		"taken back, alone":      {[]event{{"part", none, false}, {"", none, true}, {"pa", none, false}, {"st", none, false}}, "past", `"part", running text-restarted, "past"`},
		"replaced at once":       {[]event{{"part", "part", false}, {"pork", "pork", true}}, "pork", `"part", running text-restarted, "pork"`},
		"taken back at the end":  {[]event{{"part", "part", false}}, "par", `"part", running text-restarted, "par"`},
		"white space at the end": {[]event{{"\n part \n", "\n part \n", false}}, "part", `"\n part \n"`},
		"final alone":            {nil, "all of it", `"all of it"`},
		"no final":               {[]event{{"a", "a", false}}, "", `"a"`},
	} {
		t.Run(name, func(t *testing.T) {
			var a answer
			var got []executor.Event
			for _, e := range c.events {
				var delta, message jsontext.Value
				if e.delta != none {
					delta, _ = json.Marshal(e.delta)
				}
				if e.whole != none {
					message, _ = json.Marshal(assistant(e.whole))
				}
				got = append(got, a.event(delta, message, e.replace)...)
			}
			got = append(got, a.final(c.final)...)
			if d := cmp.Diff(c.want, outline(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
