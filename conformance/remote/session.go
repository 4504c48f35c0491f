package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/internal/process"
	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// session is one run of the command: the process and the conversation with it.
type session struct {
	name   string
	mask   *redact.Redactor
	child  *process.Process
	lines  *lines
	client *jrpc2.Client
	tmp    string // holds the private directories

	ending sync.Once
	ended  error
}

// temporaryDir is the subject's own directory for temporary files, below the private
// ones.
const temporaryDir = "tmp"

// temporaryVars name that directory in its environment.
var temporaryVars = []string{"TMPDIR", "TMP", "TEMP"}

// start starts the command. answer answers call-backs.
func start(o Options, answer jrpc2.Handler) (*session, error) {
	s := &session{name: o.label()}
	tmp, err := os.MkdirTemp("", "adaptercheck-subject-")
	if err != nil {
		return nil, fmt.Errorf("private directory of the subject: %w", err)
	}
	s.tmp = tmp
	env, named, err := environment(o, tmp)
	if err != nil {
		s.forget()
		return nil, err
	}
	s.mask = redact.New(nil, named)
	in, out, err := os.Pipe()
	if err != nil {
		s.forget()
		return nil, fmt.Errorf("input of the subject: %w", err)
	}
	s.child, err = process.Start(process.Options{Command: o.Command, Dir: o.Dir, Env: env, Stdin: in})
	_ = in.Close()
	if err != nil {
		_ = out.Close()
		s.forget()
		return nil, s.cannotStart(o, err)
	}
	s.lines = newLines(s.child.Stdout(), out, s.child.Done(), newTrace(o.Trace, s.mask))
	s.client = jrpc2.NewClient(s.lines, &jrpc2.ClientOptions{OnCallback: answer})
	return s, nil
}

// environment is the subject's: the allow list, private directories, and the names
// that the caller gave, whose values come second.
func environment(o Options, tmp string) (env, named []string, err error) {
	dirs := []string{temporaryDir}
	if o.PrivateHome {
		dirs = append(dirs, "home")
	}
	for _, d := range dirs {
		if err := os.Mkdir(filepath.Join(tmp, d), 0o700); err != nil {
			return nil, nil, fmt.Errorf("private directory of the subject: %w", err)
		}
	}
	var extra []string
	for _, name := range temporaryVars {
		extra = append(extra, name+"="+filepath.Join(tmp, temporaryDir))
	}
	if o.PrivateHome {
		home := filepath.Join(tmp, "home")
		extra = append(extra, "HOME="+home, "USERPROFILE="+home)
		for name, dir := range map[string]string{
			"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share", "XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache",
			"APPDATA": "AppData/Roaming", "LOCALAPPDATA": "AppData/Local",
		} {
			extra = append(extra, name+"="+filepath.Join(home, filepath.FromSlash(dir)))
		}
	}
	host := os.Environ()
	usual := map[string]bool{}
	for _, pair := range process.Environ(host, nil, nil) {
		usual[pair] = true
	}
	for _, pair := range process.Environ(host, o.Env, nil) {
		if !usual[pair] {
			named = append(named, pair)
		}
	}
	return process.Environ(host, o.Env, extra), named, nil
}

func (s *session) cannotStart(o Options, err error) error {
	kind := error(nil)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		kind = ErrNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		kind = ErrNotExecutable
	default:
		return fmt.Errorf("subject %s: %w", s.name, err)
	}
	detail := ""
	switch {
	case strings.Contains(err.Error(), "working directory"):
		detail = "the working directory"
	case kind == ErrNotFound && o.there():
		detail = "the interpreter that its first line names"
	}
	return s.fail(kind, detail)
}

// fail makes an error of this subject.
func (s *session) fail(kind error, detail string) *Error {
	e := &Error{Kind: kind, Name: s.name, Detail: detail}
	if s.child != nil {
		e.Stderr, _ = s.stderr()
	}
	return e
}

// stderr is the end of what the subject printed there, with the values of its own
// environment masked, and whether something before it is missing.
func (s *session) stderr() (string, bool) {
	text, cut := s.child.Stderr()
	if cut { // it may begin with the rest of a value
		text = text[min(len(text), max(0, s.mask.Longest()-1)):]
	}
	return s.mask.String(text), cut
}

// noise tells of lines on the subject's stdout that are none of the protocol's; empty
// if there were none.
func (s *session) noise() string {
	n := 0
	for _, times := range s.lines.breaches() {
		n += times
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("lines on its stdout that are not the protocol's: %d", n)
}

// call makes one request and waits for the answer or for ctx, whose error it
// returns. The number says when the answer came, in the order of all answers.
func (s *session) call(ctx context.Context, method string, params any) (jsontext.Value, uint64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", method, err)
	}
	given, err := json.Marshal(params, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: parameters: %w", method, err)
	}
	answer, err := s.client.Call(ctx, method, jsontext.Value(given))
	var refused *jrpc2.Error
	switch {
	case err == nil:
		return jsontext.Value(answer.ResultString()), s.lines.came(answer.ID()), nil
	case errors.As(err, &refused):
		return nil, 0, &CallError{Method: method, Code: int(refused.Code), Message: s.mask.Head(refused.Message, 500)}
	case ctx.Err() != nil:
		return nil, 0, fmt.Errorf("%s: %w", method, ctx.Err())
	}
	return nil, 0, fmt.Errorf("%s: %w", method, s.gone())
}

// ask is call for an answer that is an object of the protocol.
func (s *session) ask(ctx context.Context, method string, params any) (reply, error) {
	raw, at, err := s.call(ctx, method, params)
	if err != nil {
		return reply{}, err
	}
	r, err := readReply(method, raw)
	r.at = at
	return r, err
}

// gone says why the conversation is over.
func (s *session) gone() error {
	if s.lines.endedEarly() {
		return s.fail(ErrProtocol, "it closed its standard output and ran on")
	}
	// A process that does not read may be gone before its output says so.
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select {
	case <-s.child.Done():
		exit, _ := s.child.Wait(context.Background())
		return s.fail(ErrExited, exit.String())
	case <-timer.C:
		return s.fail(ErrProtocol, "it takes no more requests")
	}
}

// end ends the process with everything that it started, and waits for all of it.
func (s *session) end(ctx context.Context, grace time.Duration) error {
	s.ending.Do(func() {
		s.child.Note() // what leaves the group is not found any more once the process has ended
		_ = s.lines.Close()
		s.ended = s.child.Stop(ctx, process.Step{Signal: 0, Grace: grace}, process.Step{Signal: syscall.SIGTERM, Grace: grace})
		endStrays(s.tmp)
		_ = s.child.Stdout().Close() // the client's reader ends
		_ = s.client.Close()
		s.forget()
	})
	return s.ended
}

// forget removes the private directories.
func (s *session) forget() { _ = os.RemoveAll(s.tmp) }

// temporary counts what lies in the private temporary directory.
func (s *session) temporary() int {
	entries, _ := os.ReadDir(filepath.Join(s.tmp, temporaryDir))
	return len(entries)
}
