package supervise

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"testing"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/subjects"
)

// The test binary is its own worker: a right one, or one that acts as its arguments
// say.
const (
	asWorker = "as-worker"
	asActor  = "as-actor"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asWorker:
			os.Exit(work())
		case asSubject:
			os.Exit(serve(os.Args[2]))
		case asActor:
			act(os.Args[2:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func find(name string) (check.Subject, bool) { return subjects.Find(name) }

func work() int {
	out, err := TakeStdout()
	if err != nil {
		return 1
	}
	// What others print does not land among the messages.
	fmt.Println("a word on stdout")
	writeRaw("a word on descriptor 1\n")
	echo := exec.Command("echo", "a word of a child")
	echo.Stdout = os.Stdout
	_ = echo.Run()
	if err := (Worker{Find: find}).Work(os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// act plays a worker: say:LINE prints a line, raw:TEXT the text, stderr:N that many
// bytes of noise, deaf ignores the signal to stop, block waits without end, exit:N
// exits.
func act(actions []string) {
	for _, a := range actions {
		word, rest, _ := strings.Cut(a, ":")
		n, _ := strconv.Atoi(rest)
		switch word {
		case "say":
			fmt.Println(rest)
		case "raw":
			fmt.Print(rest)
		case "stderr":
			fmt.Fprint(os.Stderr, strings.Repeat("noise\n", n/6), "last words\n")
		case "deaf":
			signal.Ignore(stopSignals...)
		case "block":
			select {}
		case "exit":
			os.Exit(n)
		}
	}
}

func actor(actions ...string) []string {
	return append([]string{self(), asActor}, actions...)
}

func self() string {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return program
}
