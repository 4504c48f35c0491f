package rawmutants

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/conformance/report"
)

// at is a subject that does something when it is asked, before its adapter is. What
// does reports whether the adapter shall be asked.
func at(method string, does func(l *line) bool) behaviour {
	return behaviour{heard: func(l *line, asked string) bool { return asked != method || does(l) }}
}

// misbehaving are subjects whose process does not do what a process should.
func misbehaving() []Mutant {
	misbehaves := func(id, checkID string, code check.Code, note string, b behaviour) Mutant {
		return Mutant{ID: "raw-" + id, Profile: report.Executor, Check: checkID, Code: code, Note: note, behaves: b}
	}
	const (
		answers = "executor.health.answers"
		returns = "executor.start.returns"
		stops   = "executor.abort.stops"
		runEnd  = "executor.residue.run-end"
		aborted = "executor.residue.abort"
	)
	return []Mutant{
		misbehaves("C05", answers, "health-late", "reads nothing more while it looks at its health", at("adapter/health", func(*line) bool { select {} })),
		misbehaves("silent", answers, "health-late", "never answers", at("adapter/health", func(*line) bool { return false })),
		misbehaves("start-silent", returns, "start-waits-for-run", "never answers a start", at("adapter/start", func(*line) bool { return false })),
		misbehaves("exits", stops, "abort-failed", "exits when it is to abort", at("adapter/abort", func(*line) bool { os.Exit(7); return false })),
		misbehaves("half-line", answers, "health-rejected", "exits in the middle of a line", at("adapter/health", func(l *line) bool {
			fmt.Fprint(l.play.Stdout, `{"jsonrpc":"2.0","id":3,"res`)
			os.Exit(0)
			return false
		})),
		misbehaves("closes-output", answers, "health-rejected", "closes its output and runs on", at("adapter/health", func(*line) bool {
			_ = os.Stdout.Close()
			return false
		})),
		misbehaves("leaves-child", runEnd, "process-left", "leaves a child with each run, which keeps its pipes", at("adapter/start", leavesChild)),
		misbehaves("leaves-file", runEnd, "file-left", "leaves a file with each run", at("adapter/start", leavesFile)),
		misbehaves("leaves-child-aborted", aborted, "process-left", "leaves a child with each run that is aborted", at("adapter/abort", leavesChild)),
	}
}

// leavesChild starts a process that holds the pipes of its parent. It cannot be seen
// to do anything; who started the subject ends it.
func leavesChild(*line) bool {
	child := exec.Command("sleep", "600")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return true
}

func leavesFile(*line) bool {
	file, err := os.CreateTemp("", "left-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true
	}
	_ = file.Close()
	return true
}

// complains writes five megabytes to the second channel, which is right.
func complains(l *line) bool {
	const complaint = "a complaint of no interest\n"
	_, _ = l.play.Stderr.Write(bytes.Repeat([]byte(complaint), (5<<20)/len(complaint)))
	return true
}

// noisy are subjects that keep the contract and break the protocol.
func noisy() []Mutant {
	breaks := func(id string, code check.Code, note string, b behaviour) Mutant {
		return Mutant{ID: "raw-" + id, Profile: report.Executor, Check: linesCheck, Code: code, Note: note, behaves: b}
	}
	// beside says lines before the answers to a health check.
	beside := func(lines ...string) behaviour {
		return at("adapter/health", func(l *line) bool {
			for _, text := range lines {
				_ = l.say(text)
			}
			return true
		})
	}
	// answering says the answers to a health check in another way.
	answering := func(says func(a answer) []string) behaviour {
		return behaviour{says: func(a answer) []string {
			if a.method != "adapter/health" {
				return []string{a.text(a.id)}
			}
			return says(a)
		}}
	}
	return []Mutant{
		breaks("garbage", "line-garbage", "prints what is no JSON", beside("Debugger attached.", "{", "\x00\xff")),
		breaks("garbage-long", "line-garbage", "prints fifty megabytes on one line", at("adapter/health", func(l *line) bool {
			_ = l.say(strings.Repeat("x", 50<<20))
			return true
		})),
		breaks("list", "line-not-object", "prints JSON that is no object", beside("[]", "12", `"text"`)),
		breaks("blank", "line-blank", "prints blank lines", beside("", "\t ")),
		breaks("notifies", "notification", "sends a notification", beside(`{"jsonrpc":"2.0","method":"log","params":{}}`)),
		breaks("calls-oddly", "call-malformed", "asks under an object for an id", beside(`{"jsonrpc":"2.0","id":{},"method":"transport/complete","params":{}}`)),
		breaks("calls-unknown", "call-unknown", "asks for what there is not", beside(`{"jsonrpc":"2.0","id":1,"method":"files/read","params":{}}`)),
		breaks("answers-twice", "answer-repeated", "answers twice", answering(func(a answer) []string { return []string{a.text(a.id), a.text(a.id)} })),
		breaks("answers-other", "answer-unknown-id", "answers another request", answering(func(a answer) []string { return []string{a.text(a.id + 100_000)} })),
		breaks("answers-both", "answer-malformed", "answers with a result and an error", answering(func(a answer) []string {
			return []string{strings.TrimSuffix(a.text(a.id), "}") + `,"error":{"code":1,"message":"no"}}`}
		})),
		breaks("unterminated", "line-unterminated", "exits without ending its line", behaviour{says: func(a answer) []string {
			if a.method == "adapter/health" {
				fmt.Fprint(os.Stdout, a.text(a.id))
				os.Exit(0)
			}
			return []string{a.text(a.id)}
		}}),
	}
}
