package history

import "github.com/go-json-experiment/json/jsontext"

// ParseSnapshot reads the JSON form of a snapshot. Every field must be there and
// of its type, else the error is a [*ShapeError] that names it; unknown fields of
// the snapshot and of its groups are ignored, those of messages are kept. Whether
// the values make sense is for [Validate].
func ParseSnapshot(data []byte) (Snapshot, error) {
	var s Snapshot
	if err := parse(data, &s, "snapshot"); err != nil {
		return Snapshot{}, err
	}
	return s, nil
}

// UnmarshalJSONFrom reads one snapshot; see [ParseSnapshot].
func (s *Snapshot) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	r := &reader{dec: dec}
	var read Snapshot
	var got seen
	err := r.object(func(name string) error {
		switch name {
		case "schemaVersion":
			got |= 1 << 0
			return r.str(&read.SchemaVersion)
		case "runtimeId":
			got |= 1 << 1
			return r.str(&read.RuntimeID)
		case "sessionId":
			got |= 1 << 2
			return r.str(&read.SessionID)
		case "revision":
			got |= 1 << 3
			return r.str(&read.Revision)
		case "projectRoot":
			got |= 1 << 4
			return r.str(&read.ProjectRoot)
		case "messages":
			got |= 1 << 5
			return r.messages(&read.Messages)
		case "toolAtomicGroups":
			got |= 1 << 6
			return r.groups(&read.ToolAtomicGroups)
		}
		_, err := r.any()
		return err
	})
	if err == nil {
		err = got.missing(r, "schemaVersion", "runtimeId", "sessionId", "revision", "projectRoot", "messages", "toolAtomicGroups")
	}
	if err != nil {
		return named(err, "snapshot")
	}
	*s = read
	return nil
}

func (r *reader) messages(into *[]Message) error {
	*into = []Message{}
	return r.array(func() error {
		m, err := r.message()
		if err == nil {
			*into = append(*into, m)
		}
		return err
	})
}

func (r *reader) groups(into *[]AtomicGroup) error {
	*into = []AtomicGroup{}
	return r.array(func() error {
		var g AtomicGroup
		var got seen
		err := r.object(func(name string) error {
			switch name {
			case "id":
				got |= 1 << 0
				return r.str(&g.ID)
			case "messageIds":
				got |= 1 << 1
				return r.strs(&g.MessageIDs)
			case "toolCallIds":
				got |= 1 << 2
				return r.strs(&g.ToolCallIDs)
			case "complete":
				got |= 1 << 3
				return r.boolean(&g.Complete)
			}
			_, err := r.any()
			return err
		})
		if err == nil {
			err = got.missing(r, "id", "messageIds", "toolCallIds", "complete")
		}
		*into = append(*into, g)
		return err
	})
}
