package oneshot

import (
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// Failure makes an error event.
func Failure(code, message string, fatal bool) executor.Error {
	return executor.Error{Code: &code, Message: message, Fatal: fatal}
}

// maxUnread is how many unreadable lines of one run are reported. A stream of
// garbage is worth one hundred errors, not a million.
const maxUnread = 100

// Unread reports lines that could not be read, by their place and never by their
// content. The zero value has reported none.
type Unread struct{ count int }

// Malformed reports a line that is no frame.
func (u *Unread) Malformed(number int64) []executor.Event {
	return u.report(fmt.Sprintf("line %d of the runtime's output could not be read and was skipped", number))
}

// TooLong reports a line that is longer in bytes than what is read.
func (u *Unread) TooLong(number, length int64) []executor.Event {
	return u.report(fmt.Sprintf("line %d of the runtime's output is too long (%d bytes) and was skipped", number, length))
}

func (u *Unread) report(message string) []executor.Event {
	if u.count++; u.count > maxUnread {
		return nil
	}
	return []executor.Event{Failure(executor.CodeMalformedFrame, message, false)}
}

// Unended is the fatal error of a run whose process ended without saying how its
// turn did. The name is the runtime's command.
func Unended(name string, e Ending) executor.Error {
	code := executor.CodeStreamTruncated
	if e.Failed {
		code = executor.CodeExit
	}
	message := name + " ended without saying how the turn ended (" + e.How + ")"
	if e.Stderr != "" {
		message += ": " + e.Stderr
	}
	return Failure(code, message, true)
}
