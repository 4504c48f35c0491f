package history

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ParseMessage reads the JSON form of one message. It refuses what is not the
// shape of a message with a [*ShapeError] that names the field: a wrong type of a
// required field, an unknown role, block type or source, a duplicate name,
// anything after the object, and text that is not valid UTF-8 (an unpaired
// surrogate escape included, since no Go string can hold one). Optional fields of
// another type, and fields that it does not know, are kept as they are.
func ParseMessage(data []byte) (Message, error) {
	var m Message
	if err := parse(data, &m, "message"); err != nil {
		return Message{}, err
	}
	return m, nil
}

// parse reads the whole of data and gives a [*ShapeError] on failure.
func parse(data []byte, into any, what string) error {
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	if shape, ok := errors.AsType[*ShapeError](err); ok {
		return shape
	}
	return named(syntaxError(err, int64(len(data))), what)
}

// UnmarshalJSONFrom reads one message; see [ParseMessage].
func (m *Message) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	read, err := (&reader{dec: dec}).message()
	if err != nil {
		return named(err, "message")
	}
	*m = read
	return nil
}

// named fills in what was read or written.
func named(err error, what string) error {
	if shape, ok := errors.AsType[*ShapeError](err); ok {
		shape.What = what
	}
	return err
}

func (r *reader) message() (Message, error) {
	var m Message
	var got seen
	err := r.object(func(name string) (err error) {
		switch name {
		case "id":
			got |= 1 << 0
			return r.str(&m.ID)
		case "sourceEntryId":
			got |= 1 << 1
			return r.str(&m.SourceEntryID)
		case "role":
			got |= 1 << 2
			return r.role(&m.Role)
		case "blocks":
			got |= 1 << 3
			return r.blocks(&m.Blocks)
		case "provenance":
			got |= 1 << 4
			return r.provenance(&m.Provenance)
		case "flags":
			got |= 1 << 5
			return r.flags(&m.Flags)
		case "createdAt":
			m.CreatedAt.text, err = r.any()
		case "provider":
			m.Provider.text, err = r.any()
		case "model":
			m.Model.text, err = r.any()
		case "tokenEstimate":
			m.TokenEstimate.text, err = r.any()
		default:
			err = r.extra(&m.Extra, name)
		}
		return err
	})
	if err == nil {
		err = got.missing(r, "id", "sourceEntryId", "role", "blocks", "provenance", "flags")
	}
	return m, err
}

func (r *reader) extra(into *Members, name string) error {
	value, err := r.any()
	if err == nil {
		*into = append(*into, Member{name, value})
	}
	return err
}

const (
	wantRole   = "one of the five roles"
	wantSource = "pi-session or runtime-session"
)

func (r *reader) role(into *Role) error {
	var s string
	if err := r.str(&s); err != nil {
		return err
	}
	*into = Role(s)
	if !slices.Contains(Roles(), *into) {
		return r.fail(ProblemValue, wantRole)
	}
	return nil
}

func (r *reader) provenance(into *Provenance) error {
	var got seen
	err := r.object(func(name string) (err error) {
		switch name {
		case "source":
			got |= 1 << 0
			var s string
			if err := r.str(&s); err != nil {
				return err
			}
			into.Source = Source(s)
			if !into.Source.known() {
				return r.fail(ProblemValue, wantSource)
			}
		case "sessionId":
			got |= 1 << 1
			return r.str(&into.SessionID)
		case "entryId":
			got |= 1 << 2
			return r.str(&into.EntryID)
		case "runtimeId":
			if err := r.expect('"', "a string"); err != nil {
				return err
			}
			into.RuntimeID.text, err = r.any()
		case "originalRole":
			into.OriginalRole.text, err = r.any()
		default:
			err = r.extra(&into.Extra, name)
		}
		return err
	})
	if err == nil {
		err = got.missing(r, "source", "sessionId", "entryId")
	}
	return err
}

func (s Source) known() bool { return s == PiSession || s == RuntimeSession }

func (r *reader) flags(into *Flags) error {
	return r.object(func(name string) (err error) {
		switch name {
		case "pinned":
			into.Pinned.text, err = r.any()
		case "atomic":
			into.Atomic.text, err = r.any()
		case "localOnly":
			into.LocalOnly.text, err = r.any()
		case "synthetic":
			into.Synthetic.text, err = r.any()
		default:
			err = r.extra(&into.Extra, name)
		}
		return err
	})
}

func (r *reader) blocks(into *[]Block) error {
	*into = []Block{}
	return r.array(func() error {
		b, err := r.block()
		if err == nil {
			*into = append(*into, b)
		}
		return err
	})
}
