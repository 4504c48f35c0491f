// Package host is a native runtime host: the HTTP surface by which the people and pages of
// one machine check and keep keys of model providers, seed a first team, and run its tasks
// through the native adapter.
//
//	h, err := host.New(host.Options{Home: dir, Log: slog.Default()})
//	if err != nil {
//		return err
//	}
//	defer h.Close()
//	l, err := host.Listen("127.0.0.1:18790", false)
//	…
//	err = h.Serve(ctx, l)
//
// What it must do is docs/contract/host.md. Its files are below Home: the vault, the
// agents and their teams, one SQLite file of the team's things, transcripts, and a git
// worktree per task.
//
// It imports contract and the other packages of adapters/native.
package host
