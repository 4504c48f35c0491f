//go:build unix

package double

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"
)

const (
	envSteps  = "DOUBLE_STEPS"
	envSocket = "DOUBLE_SOCKET"
	envLog    = "DOUBLE_LOG"

	separator = "\x1e" // of steps
)

// Main runs the tests, or plays a double where this process is one. It returns the
// exit code. Tests that leave a goroutine behind fail.
func Main(m *testing.M) int {
	if steps, is := os.LookupEnv(envSteps); is {
		return play(steps)
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

// Call is one double as it was started, and what it read.
type Call struct {
	Args  []string
	Env   []string // names, sorted
	Dir   string
	Stdin string // as far as it was read
	Ended bool   // the end of stdin was read
}

// entry is a line of the log.
type entry struct {
	PID   int    `json:"pid"`
	Start *Call  `json:"start,omitzero"`
	Stdin string `json:"stdin,omitzero"`
	Ended bool   `json:"ended,omitzero"`
}

// player is a double at play.
type player struct {
	stdin *bufio.Reader
	log   *os.File
}

func (p *player) note(e entry) {
	e.PID = os.Getpid()
	if text, err := json.Marshal(e); err == nil && p.log != nil {
		_, _ = p.log.Write(append(text, '\n')) // the test misses what is not there
	}
}

// line reads a line of stdin; false is the end.
func (p *player) line() (string, bool) {
	line, err := p.stdin.ReadString('\n')
	p.note(entry{Stdin: line, Ended: err != nil})
	return line, err == nil
}

func play(steps string) int {
	p := &player{stdin: bufio.NewReader(os.Stdin)}
	if path := os.Getenv(envLog); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 90
		}
		p.log = f
	}
	dir, _ := os.Getwd()
	call := Call{Args: os.Args[1:], Dir: dir}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		call.Env = append(call.Env, name)
	}
	slices.Sort(call.Env)
	p.note(entry{Start: &call})
	todo := strings.Split(steps, separator)
	if !slices.ContainsFunc(todo, reads) {
		all, _ := io.ReadAll(p.stdin)
		p.note(entry{Stdin: string(all), Ended: true})
	}
	for _, step := range todo {
		if code, over := p.step(step); over {
			return code
		}
	}
	return 0
}

func reads(step string) bool {
	word, _, _ := strings.Cut(step, " ")
	return word == "hear" || word == "until" || word == "heed"
}

// step does a step, and reports whether it was the last, with which code.
func (p *player) step(step string) (int, bool) {
	word, rest, _ := strings.Cut(step, " ")
	n, _ := strconv.Atoi(rest)
	switch word {
	case "say":
		fmt.Println(rest)
	case "print":
		fmt.Print(rest)
	case "err":
		fmt.Fprintln(os.Stderr, rest)
	case "fill":
		chunk := strings.Repeat("x", 64<<10)
		for ; n > 0; n -= len(chunk) {
			if _, err := os.Stdout.WriteString(chunk[:min(n, len(chunk))]); err != nil {
				return 95, true
			}
		}
	case "close":
		os.Stdout.Close()
	case "deaf":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
	case "hear":
		p.line()
	case "until":
		for line, more := p.line(); more && !strings.Contains(line, rest); line, more = p.line() {
			continue
		}
	case "heed":
		for _, more := p.line(); more; _, more = p.line() {
			continue
		}
	case "hold":
		conn, err := net.Dial("unix", os.Getenv(envSocket))
		if err != nil {
			return 92, true
		}
		fmt.Fprintln(conn, rest)
		_, _ = io.Copy(io.Discard, conn)
	case "tool":
		if startTool() != nil {
			return 93, true
		}
	case "exit":
		return n, true
	case "die":
		_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
		select {}
	case "":
	default:
		return 94, true // no such step
	}
	return 0, false
}

func startTool() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	tool := exec.Command(self)
	tool.Env = append(os.Environ(), envSteps+"=deaf"+separator+"hold tool", envLog+"=")
	tool.Stdout = os.Stdout
	tool.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return tool.Start()
}
