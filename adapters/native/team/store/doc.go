// Package store keeps what the agents of a team share: tasks, memory, the audit of
// tools, and the team's chat. All of it is one SQLite file, which several processes
// may have open at once.
//
//	s, err := store.Open(filepath.Join(home, "team.db"))
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	task, err := s.CreateTask(ctx, store.NewTask{Title: "write the report", TeamID: team})
//	...
//	task, err = s.Claim(ctx, task.ID, agent, "clawboo-native") // ErrConflict: another has it
//
// A change of several rows is one transaction: it happens whole or not at all, and
// no other process sees half of it. Whoever writes waits for another process that
// writes, at most five seconds.
//
// Secrets do not get in: what is saved to memory, the audit, comments and the chat
// first loses what looks like a credential.
//
// It imports contract/history, the privacy engine of reference, a strict JSON codec
// and SQLite.
package store
