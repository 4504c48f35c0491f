// Package double makes a test binary the runtime of its own tests: a process that
// does, step by step, what a test tells it. It is for tests of adapters whose
// runtime is a process, where what counts is pipes, signals and descendants rather
// than what a real runtime would say.
//
//	func TestMain(m *testing.M) { os.Exit(double.Main(m)) }
//
//	stage := double.NewStage(t)
//	stage.Play("say hello", "hold main", "exit 0")
//	adapter := codex.New(codex.Options{Command: stage.Command(), Env: stage.Env()})
//
// The steps:
//
//	say TEXT    print the line           err TEXT    print it on stderr
//	print TEXT  print it, without a line end
//	fill N      print N bytes, without a line end
//	hold NAME   connect, and wait until the test lets go
//	hear        read a line of stdin     until TEXT  read lines, up to one that holds the text
//	heed        read stdin to its end    close       close stdout
//	deaf        ignore SIGINT, SIGTERM   exit N, die N  end by a code, by a signal
//	tool        start a tool in a session of its own that is deaf and holds as "tool"
//
// What is read is in the log. Without a step that reads, stdin is read to its end at
// the start. A double that has done all its steps exits with 0. On Windows there are
// none.
//
// It imports contract/executor.
package double
