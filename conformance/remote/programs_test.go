package remote_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
)

// programs are subjects that behave badly, each in one way.
var programs = map[string]func() int{
	"exits-at-once": func() int { fmt.Fprintln(os.Stderr, "cannot go on"); return 3 },
	"silent":        func() int { return answering(func(string, string) {}) },
	"wrong-version": func() int {
		return answering(func(id, _ string) { result(id, `{"protocol":"adaptercheck-subject-v0","name":"x"}`) })
	},
	"no-object":   func() int { return answering(func(id, _ string) { result(id, `"hello"`) }) },
	"odd-mode":    func() int { return greeting(`"mode":"both"`) },
	"odd-type":    func() int { return greeting(`"mode":["harness"]`) },
	"odd-feature": func() int { return greeting(`"mode":"harness","features":["telepathy"]`) },
	"odd-name": func() int {
		return answering(func(id, _ string) {
			result(id, `{"protocol":"adaptercheck-subject-v1","name":"a b","contracts":["history"]}`)
		})
	},
	"prints-first": func() int {
		fmt.Println("starting up")
		fmt.Println("ready")
		return drain()
	},
	"twice-named": func() int {
		return answering(func(id, _ string) {
			result(id, `{"protocol":"adaptercheck-subject-v1","name":"a","name":"b","contracts":["history"]}`)
		})
	},
	"refuses": func() int {
		return answering(func(id, _ string) {
			failure(id, "-32601")
		})
	},
	"closes-stdout": func() int { _ = os.Stdout.Close(); return drain() },
	"slow-start":    func() int { return drain() },

	// The rest greets as it should and then misbehaves.
	"garbage":       noisy("not json", "{", "nul", "{\"a\":1}{\"b\":2}", "\x00\xff"),
	"not-object":    noisy("[]", "12", `"text"`, "null"),
	"blank":         noisy("", "   ", "\t"),
	"notifications": noisy(`{"jsonrpc":"2.0","method":"hello"}`, `{"jsonrpc":"2.0","id":null,"method":"hello","params":{}}`),
	"unknown-ids":   noisy(`{"jsonrpc":"2.0","id":99999,"result":{}}`, `{"jsonrpc":"2.0","id":"x","result":{}}`, `{"jsonrpc":"2.0","result":{}}`),
	"odd-calls":     noisy(`{"jsonrpc":"2.0","id":{},"method":"transport/complete"}`, `{"jsonrpc":"2.0","id":1,"method":7}`),
	"unknown-call":  noisy(`{"jsonrpc":"2.0","id":1,"method":"files/delete","params":{}}`),
	"byte-mark":     noisy("\xef\xbb\xbf"),
	"long-line":     func() int { return well(func() { longLine(140 << 20) }) },
	"fifty-mb":      func() int { return well(func() { longLine(50 << 20) }) },
	"stderr-flood": func() int {
		return well(func() { _, _ = io.Copy(os.Stderr, io.LimitReader(endless{}, 5<<20)) })
	},
	"answers-twice": func() int {
		return answering(func(id, method string) { reply(id, method); reply(id, method) })
	},
	"wrong-id": func() int {
		return answering(func(id, method string) {
			if method == "initialize" {
				reply(id, method)
				return
			}
			reply("4"+id, method)
		})
	},
	"no-result": func() int {
		return answering(func(id, method string) {
			if method == "initialize" {
				reply(id, method)
				return
			}
			fmt.Printf(`{"id":%s}`+"\n", id)
		})
	},
	"exits-in-the-middle": func() int {
		return answering(func(id, method string) {
			if method == "initialize" || method == "instance/create" {
				reply(id, method)
				return
			}
			fmt.Fprintln(os.Stderr, "fatal: out of ideas")
			os.Exit(7)
		})
	},
	"half-a-line": func() int {
		return answering(func(id, method string) {
			if method == "initialize" || method == "instance/create" {
				reply(id, method)
				return
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"res`, id)
			os.Exit(0)
		})
	},
	"never-answers": func() int {
		return answering(func(id, method string) {
			if method == "initialize" || method == "instance/create" {
				reply(id, method)
			}
		})
	},
	"deaf": func() int { // it greets, and reads no more
		r := bufio.NewReader(os.Stdin)
		line, _ := r.ReadString('\n')
		reply(idOf(line), "initialize")
		select {}
	},
	"leaves-a-child": func() int { return well(func() { leave(nil) }) },
	"leaves-a-daemon": func() int { // nothing but their environment says whose child it is
		return well(func() { run("daemon") })
	},
	"daemon": func() int {
		leave(detached())
		return 0
	},
	"sleeper": func() int { select {} },
	"scripted": func() int { // it says what the test wrote down
		var said map[string]string
		if err := json.Unmarshal([]byte(os.Args[3]), &said); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		return answering(func(id, method string) {
			if text, ok := said[method]; ok {
				if code, isError := strings.CutPrefix(text, "error "); isError {
					failure(id, code)
					return
				}
				result(id, text)
				return
			}
			reply(id, method)
		})
	},
	"late-pull": func() int { // it answers a pull when it is asked for its health
		pulls, open := 0, ""
		return answering(func(id, method string) {
			switch method {
			case "stream/next":
				pulls++
				open = id
				return
			case "adapter/health":
				if open != "" {
					result(open, fmt.Sprintf(`{"event":{"runId":"r","sessionId":null,"ts":1,"seq":%d,"kind":"status","phase":"init"},"handle":{"adapterId":"program","sessionKey":"s","runId":"r"}}`, pulls))
					open = ""
				}
				result(id, fmt.Sprintf(`{"value":{"ok":true,"message":"%d pulls"}}`, pulls))
				return
			}
			reply(id, method)
		})
	},
	"well":       func() int { return well(func() {}) },
	"leaves-tmp": func() int { return well(func() { _ = os.WriteFile(os.TempDir()+"/left", nil, 0o600) }) },
	"tells-env": func() int {
		return well(func() {
			fmt.Fprintf(os.Stderr, "secret=%s other=%s home=%s\n", os.Getenv("REMOTE_TEST_SECRET"), os.Getenv("REMOTE_TEST_OTHER"), os.Getenv("HOME"))
		})
	},
}

// leave starts a process that does not end by itself, and tells its number.
func leave(as *syscall.SysProcAttr) {
	cmd := exec.Command(os.Args[0], play, "sleeper")
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, as
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Fprintf(os.Stderr, "child %d\n", cmd.Process.Pid)
}

// run runs another program to its end.
func run(program string) {
	cmd := exec.Command(os.Args[0], play, program)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// noisy is well, with lines between.
func noisy(lines ...string) func() int {
	return func() int {
		return well(func() {
			for _, l := range lines {
				fmt.Println(l)
			}
		})
	}
}

// well answers everything, and does something before each answer but the first.
func well(before func()) int {
	done := false
	return answering(func(id, method string) {
		if method != "initialize" && !done {
			done = true
			before()
		}
		reply(id, method)
	})
}

// greeting answers initialize with more fields.
func greeting(more string) int {
	return answering(func(id, _ string) {
		result(id, `{"protocol":"adaptercheck-subject-v1","name":"x","contracts":["executor"],`+more+`}`)
	})
}

// answering calls f for each request until the input ends.
func answering(f func(id, method string)) int {
	r := bufio.NewReader(os.Stdin)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return 0
		}
		method := methodPattern.FindStringSubmatch(line)
		if method != nil {
			f(idOf(line), method[1])
		}
	}
}

var (
	idPattern     = regexp.MustCompile(`"id":(\d+)`)
	methodPattern = regexp.MustCompile(`"method":"([^"]+)"`)
)

func idOf(line string) string {
	m := idPattern.FindStringSubmatch(line)
	if m == nil {
		return "0"
	}
	return m[1]
}

func result(id, value string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, value) }

func failure(id, code string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"no"}}`+"\n", id, code)
}

// reply is a right answer to every method that the tests use.
func reply(id, method string) {
	result(id, map[string]string{
		"initialize":           `{"protocol":"adaptercheck-subject-v1","name":"program","contracts":["executor"],"mode":"harness","features":[],"declares":{}}`,
		"instance/create":      `{"id":"program","participantKind":"agent","parts":[]}`,
		"adapter/id":           `{"id":"program","participantKind":"agent"}`,
		"adapter/health":       `{"value":{"ok":true}}`,
		"adapter/capabilities": `{"value":{"streaming":true,"mcp":false,"worktrees":false,"resume":false,"toolApproval":false,"models":[]}}`,
		"adapter/start":        `{"run":"r1","handle":{"adapterId":"program","sessionKey":"s","runId":null}}`,
		"handle/get":           `{"handle":{"adapterId":"program","sessionKey":"s","runId":null}}`,
		"stream/open":          `{"stream":"s1"}`,
		"stream/close":         `{}`,
		"harness/calls":        `{"calls":[]}`,
		"instance/close":       `{}`,
	}[method])
}

func drain() int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// longLine prints a line of n bytes that is no message.
func longLine(n int) {
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range n >> 20 {
		_, _ = os.Stdout.Write(piece)
	}
	fmt.Println()
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	return copy(b, strings.Repeat("a complaint of no interest\n", len(b)/27+1)), nil
}
