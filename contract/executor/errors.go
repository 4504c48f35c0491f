package executor

import "errors"

// ErrBusy is returned by Start when the session has a live run and the adapter
// refuses a second one instead of queueing it (executor#second-start).
var ErrBusy = errors.New("busy: the session has a live run")

// ErrDisposed is returned by Start after Dispose.
var ErrDisposed = errors.New("disposed: the adapter has been released")

// ErrUnknownRun is returned for a handle that the adapter never gave out.
var ErrUnknownRun = errors.New("unknown run: the handle is not of this adapter")

// The codes that adapters of this project put in [Error] events. The field is
// open: a runtime's own code is right as well. docs/contract/executor.md lists
// what each one means.
const (
	CodeQueueOverflow   = "queue-overflow"   // an observer fell behind the hard bound
	CodeStreamTruncated = "stream-truncated" // the wire ended without its terminal frame
	CodeEmptyOutput     = "empty-output"     // exit 0 with nothing said
	CodeTokenLimit      = "token-limit"      // the answer was cut by a length limit
	CodeExit            = "exit"             // the process ended with a failure of its own
	CodeRuntime         = "runtime-error"    // the runtime said that the run failed
	CodeMalformedFrame  = "malformed-frame"  // a frame that could not be read was skipped
	CodeConnectionLost  = "connection-lost"  // a connection was lost and has been restored
	CodeFramesLost      = "frames-lost"      // frames did not come over a connection that goes on
)

// The codes that adapters of this project put in [Status] details.
const (
	DetailTextRestarted = "text-restarted"     // what follows replaces the text so far
	DetailApproval      = "approval-requested" // a question for Approve; the id follows after a colon
	DetailRetry         = "retry"              // the runtime tries again
)

// ErrorCodes lists this project's own codes of [Error] events.
func ErrorCodes() []string {
	return []string{CodeQueueOverflow, CodeStreamTruncated, CodeEmptyOutput, CodeTokenLimit, CodeExit, CodeRuntime, CodeMalformedFrame}
}

// DetailCodes lists this project's own codes of [Status] details.
func DetailCodes() []string { return []string{DetailTextRestarted, DetailApproval, DetailRetry} }
