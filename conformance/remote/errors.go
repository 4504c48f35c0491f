package remote

import (
	"errors"
	"fmt"

	"github.com/adaptercheck/adaptercheck/conformance/check"
	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// The kinds of [Error]: why a subject could not be started or can no longer be
// asked.
var (
	// ErrNotFound: there is no such command, or no such working directory.
	ErrNotFound = errors.New("not found")
	// ErrNotExecutable: the command is there and cannot be run.
	ErrNotExecutable = errors.New("not executable")
	// ErrExited: the process has ended.
	ErrExited = errors.New("the process has ended")
	// ErrTimeout: the process runs and did not answer initialize in time.
	ErrTimeout = errors.New("no answer to initialize in time")
	// ErrVersion: the process speaks another version of the protocol.
	ErrVersion = errors.New("another version of the subject protocol")
	// ErrProtocol: the process does not speak the protocol.
	ErrProtocol = errors.New("not the subject protocol")
	// ErrMode: a fake was named for a subject that brings its own, or none for one
	// that needs it. It is a mistake of the caller's.
	ErrMode = errors.New("wrong mode")
)

// Error says why a subject cannot be judged. Its text names the subject and its
// program without directories, and holds nothing that the subject said.
type Error struct {
	// Kind is one of the Err values of this package.
	Kind error
	// Name of the program; where the subject was given a name, that and the program in
	// brackets.
	Name string
	// Detail says more, in words of this package.
	Detail string
	// Stderr is the end of what the subject printed there. It is for the terminal
	// alone, never for a report.
	Stderr string
}

// Error names the subject, the kind and the detail.
func (e *Error) Error() string {
	s := fmt.Sprintf("subject %s: %v", e.Name, e.Kind)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap is the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Rejection is a failure of the adapter: what its promise was rejected with, what
// it threw. The texts are content.
type Rejection struct {
	Name    string
	Message string
	Code    string // empty if there is none
}

// Error tells name, message and code.
func (r *Rejection) Error() string {
	s := fmt.Sprintf("rejected: %s: %s", r.Name, r.Message)
	if r.Code != "" {
		s += " (code " + r.Code + ")"
	}
	return s
}

// The codes of a rejection that mean an error of the contract.
const (
	codeBusy        = "busy"
	codeDisposed    = "disposed"
	codeUnknownRun  = "unknown-run"
	codeUnsupported = "unsupported"
)

// Is reports whether the code means an error of the contract.
func (r *Rejection) Is(target error) bool {
	switch r.Code {
	case codeBusy:
		return target == executor.ErrBusy
	case codeDisposed:
		return target == executor.ErrDisposed
	case codeUnknownRun:
		return target == executor.ErrUnknownRun
	case codeUnsupported:
		return target == errors.ErrUnsupported
	}
	return false
}

// rejectionOf is a Go error as the wire has it.
func rejectionOf(err error) *Rejection {
	r := &Rejection{Name: "Error", Message: err.Error()}
	for code, known := range map[string]error{
		codeBusy: executor.ErrBusy, codeDisposed: executor.ErrDisposed,
		codeUnknownRun: executor.ErrUnknownRun, codeUnsupported: errors.ErrUnsupported,
	} {
		if errors.Is(err, known) {
			r.Code = code
		}
	}
	return r
}

// The JSON-RPC error codes that have a meaning here.
const (
	rpcNoMethod  = -32601
	rpcBadParams = -32602
	rpcInternal  = -32603
	rpcNoValue   = -32004
	rpcNoPart    = -32005
)

// optional are the methods that a subject need not know.
var optional = map[string]bool{
	"adapter/approve": true, "adapter/dispose": true, "codec/serialize": true, "codec/restore": true,
	"history/append": true, "history/embeddingIdentity": true, "history/embed": true, "history/localKvDiagnostics": true,
}

// CallError is a JSON-RPC error: the subject could not do what was asked, and its
// adapter has no part in that. It is
//
//   - errors.ErrUnsupported where the subject has no such part;
//   - [check.ErrNoSuchValue] where its language has no such value;
//   - [check.ErrNoJudgement] and [ErrProtocol] otherwise.
type CallError struct {
	Method  string
	Code    int
	Message string // content
}

// Error names method, code and message.
func (e *CallError) Error() string {
	return fmt.Sprintf("%s: the subject answers with error %d: %s", e.Method, e.Code, e.Message)
}

// Unwrap is what the error means.
func (e *CallError) Unwrap() []error {
	switch {
	case e.Code == rpcNoPart, e.Code == rpcNoMethod && optional[e.Method]:
		return []error{errors.ErrUnsupported}
	case e.Code == rpcNoValue:
		return []error{check.ErrNoSuchValue}
	}
	return []error{check.ErrNoJudgement, ErrProtocol}
}

// badReply says that an answer is not what the method answers with.
func badReply(method, want string) error {
	return fmt.Errorf("%s: %w: the answer has no %s", method, ErrProtocol, want)
}
