// Package thread is what Codex remembers of its threads from one process to the next,
// in whichever mode the processes run: their ids, and what each has spent.
//
//	store := thread.Store{Dir: child.Home(play)}
//	spent, known, err := store.Load(id)
//	spent.Count(usage)
//	err = store.Save(id, spent)
//
// The package imports fakes and fakes/child.
package thread
