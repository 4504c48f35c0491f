package remote

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// reply is every answer of the protocol: what a method does not answer with is
// absent. Values are raw.
type reply struct {
	Value    jsontext.Value `json:"value"`
	Rejected jsontext.Value `json:"rejected"`
	Handle   jsontext.Value `json:"handle"`
	Run      jsontext.Value `json:"run"`
	Stream   jsontext.Value `json:"stream"`
	Event    jsontext.Value `json:"event"`
	End      jsontext.Value `json:"end"`

	// instance/create and adapter/id
	ID              jsontext.Value `json:"id"`
	ParticipantKind jsontext.Value `json:"participantKind"`
	Parts           jsontext.Value `json:"parts"`
	Identity        jsontext.Value `json:"identity"`
	Root            jsontext.Value `json:"expectedProjectRoot"`
	HistoryFile     jsontext.Value `json:"historyFile"`
	Append          jsontext.Value `json:"append"`

	// the harness
	Unplayable jsontext.Value `json:"unplayable"`
	Calls      jsontext.Value `json:"calls"`

	at uint64 // when it came, in the order of all answers
}

// readReply reads an answer. A failure of the adapter is a [*Rejection]; the reply
// is there even then, for its handle.
func readReply(method string, raw jsontext.Value) (reply, error) {
	var r reply
	if raw.Kind() != '{' || json.Unmarshal(raw, &r, lax()[0], lax()[1]) != nil {
		return reply{}, badReply(method, "object")
	}
	if r.Rejected == nil {
		return r, nil
	}
	var f struct {
		Name    jsontext.Value `json:"name"`
		Message jsontext.Value `json:"message"`
		Code    jsontext.Value `json:"code"`
	}
	if r.Rejected.Kind() == '{' {
		_ = json.Unmarshal(r.Rejected, &f, lax()[0], lax()[1]) // what cannot be read is not told
	}
	return r, &Rejection{Name: textOf(f.Name), Message: textOf(f.Message), Code: textOf(f.Code)}
}

// textOf is a raw string, and empty for a value of any other type.
func textOf(v jsontext.Value) string {
	s, _ := stringOf(v)
	return s
}

func stringOf(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, v)
	return string(b), err == nil
}

func isTrue(v jsontext.Value) bool { return v.Kind() == 't' }

// absent reports whether a raw value stands for nothing.
func absent(v jsontext.Value) bool {
	name, is := tokenOf(v)
	return v == nil || v.Kind() == 'n' || is && name == "undefined"
}

// listOf is the elements of a raw list, and false for a value of any other type.
func listOf(v jsontext.Value) ([]jsontext.Value, bool) {
	if v.Kind() != '[' {
		return nil, false
	}
	list := []jsontext.Value{}
	err := json.Unmarshal(v, &list, lax()[0], lax()[1])
	return list, err == nil
}

// membersOf is the members of a raw object, and false for a value of any other
// type, what stands for such a value included.
func membersOf(v jsontext.Value) (map[string]jsontext.Value, bool) {
	if _, token := tokenOf(v); token || v.Kind() != '{' {
		return nil, false
	}
	m := map[string]jsontext.Value{}
	err := json.Unmarshal(v, &m, lax()[0], lax()[1])
	return m, err == nil
}
