package pimutants

import (
	"fmt"
	"path/filepath"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

func provenanceMutants() []Mutant {
	const id = "history.canonical.provenance"
	return []Mutant{
		{ID: "pi-source-runtime", Note: "says that messages come from a runtime's session, not from Pi's", Check: id, Code: "provenance-source-changed",
			Subject: messages(func(m *history.Message) { m.Provenance.Source = history.RuntimeSession })},
		{ID: "pi-runtime-named", Note: "names a runtime in messages, which Pi's do not", Check: id, Code: "provenance-runtime-changed",
			Subject: messages(func(m *history.Message) { m.Provenance.RuntimeID = history.Some("pi") })},
		{ID: "pi-entries-numbered", Note: "numbers entries instead of naming them", Check: id, Code: "provenance-entry-changed",
			Subject: changed(func(_ built, s *history.Snapshot) {
				for i := range s.Messages {
					s.Messages[i].SourceEntryID = fmt.Sprint(i)
					s.Messages[i].Provenance.EntryID = fmt.Sprint(i)
				}
			})},
		{ID: "pi-entry-of-parent", Note: "names the entry above a message as its source", Check: id, Code: "source-entry-changed",
			Subject: changed(func(_ built, s *history.Snapshot) {
				for i := len(s.Messages) - 1; i > 0; i-- {
					s.Messages[i].SourceEntryID = s.Messages[i-1].SourceEntryID
				}
			})},
		{ID: "pi-session-of-file", Note: "takes the name of the file for the id of the session", Check: "history.canonical.identity", Code: "snapshot-session-wrong",
			Subject: changed(func(b built, s *history.Snapshot) { s.SessionID = filepath.Base(b.path) })},
		{ID: "pi-session-of-file-in-messages", Note: "names the file as the session of each message", Check: id, Code: "provenance-session-changed",
			Subject: changed(func(b built, s *history.Snapshot) {
				for i := range s.Messages {
					s.Messages[i].Provenance.SessionID = filepath.Base(b.path)
				}
			})},
		{ID: "pi-ids-by-role", Note: "makes ids of session and role", Check: "history.canonical.message-ids", Code: "message-id-invalid",
			Subject: changed(func(_ built, s *history.Snapshot) {
				for i := range s.Messages {
					s.Messages[i].ID = s.SessionID + ":" + string(s.Messages[i].Role)
				}
			})},
		{ID: "pi-results-by-assistant", Note: "gives tool results the role of the assistant", Check: "history.canonical.roles", Code: "role-changed",
			Subject: messages(func(m *history.Message) {
				if m.Role == history.Tool {
					m.Role = history.Assistant
				}
			})},
		{ID: "pi-extensions-by-user", Note: "gives messages of extensions the role of the user, as Pi does for the model", Check: "history.canonical.roles", Code: "role-changed",
			Subject: messages(func(m *history.Message) {
				if m.Role == history.Custom {
					m.Role = history.User
				}
			})},
	}
}
