package appserver

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// End ends the turn. The process stays.
func (r *renderer) End(f fakes.End) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	if f.Error || f.Reason == fakes.EndLength {
		why := f.Text
		if !f.Error {
			why = "Incomplete response returned, reason: max_output_tokens"
		}
		return r.fail(why, "")
	}
	if f.Reason != fakes.EndOK && f.Reason != fakes.EndAborted {
		return unplayable("an end by %s", f.Reason)
	}
	if r.quiet() {
		return nil
	}
	t := r.current()
	if f.Reason == fakes.EndAborted {
		if err := r.hush(t); err != nil {
			return err
		}
		return r.finish(t, "idle", "interrupted", nil)
	}
	if err := r.settle(t); err != nil {
		return err
	}
	if err := r.takeSteered(t); err != nil {
		return err
	}
	if t.diff != "" {
		if err := r.tell("turn/diff/updated", diffUpdated{t.of.id, t.id, t.diff}); err != nil {
			return err
		}
	}
	if t.last == nil {
		return r.finish(t, "idle", "completed", nil)
	}
	return r.finish(t, "idle", "completed", nil, *t.last)
}

// Failure is an error that ends the turn, or one after which the model is asked again.
func (r *renderer) Failure(f fakes.Failure) error {
	if err := otherRun(f.Run); err != nil {
		return err
	}
	switch {
	case f.Fatal:
		return r.fail(f.Message, f.Code)
	case f.Code == "warning":
		if r.quiet() {
			return nil
		}
		return r.tell("warning", warning{r.current().of.id, f.Message})
	}
	return r.retry(f.Message, f.Code)
}

func (r *renderer) fail(message, code string) error {
	if r.quiet() {
		return nil
	}
	t := r.current()
	if err := r.hush(t); err != nil {
		return err
	}
	return r.finish(t, "systemError", "failed", &turnError{Message: message, Info: errorInfo(code, "httpConnectionFailed")})
}

// notice is a reconnect notice with its cause, as `codex exec` writes both.
var notice = regexp.MustCompile(`(?s)^(Reconnecting\.\.\. [^(]*[^( ])(?: \((.*)\))?$`)

// maxRetries is what the notices name as their limit.
const maxRetries = 5

// retry tells that the model is asked again. What it was saying is given up.
func (r *renderer) retry(cause, code string) error {
	if r.quiet() {
		return nil
	}
	t := r.current()
	if err := r.hush(t); err != nil {
		return err
	}
	t.retries++
	e := turnError{Message: fmt.Sprintf("Reconnecting... %d/%d", t.retries, maxRetries), Info: errorInfo(code, "responseStreamDisconnected")}
	if code == "" {
		e.Info = map[string]httpStatus{"responseStreamDisconnected": {}}
	}
	if cause == "" {
		cause = "stream disconnected before completion"
	}
	if found := notice.FindStringSubmatch(cause); found != nil {
		e.Message, cause = found[1], found[2]
	}
	if cause != "" {
		e.Details = &cause
	}
	return r.tell("error", errorNotice{e, true, t.of.id, t.id})
}

// plainInfo and statusInfo are the words for errors: those that stand alone, and those
// with an HTTP status.
var (
	plainInfo = map[string]bool{"contextWindowExceeded": true, "usageLimitExceeded": true, "serverOverloaded": true, "cyberPolicy": true,
		"internalServerError": true, "unauthorized": true, "badRequest": true, "threadRollbackFailed": true, "sandboxError": true}
	statusInfo = map[string]bool{"httpConnectionFailed": true, "responseStreamConnectionFailed": true, "responseStreamDisconnected": true,
		"responseTooManyFailedAttempts": true}
)

// errorInfo is the code of an error at this wire: a word of its own, or an HTTP status
// under the word given. What it does not know is "other".
func errorInfo(code, word string) any {
	if status, err := strconv.Atoi(code); err == nil {
		return map[string]httpStatus{word: {&status}}
	}
	switch {
	case code == "quota":
		return "usageLimitExceeded"
	case code == "prompt_too_long":
		return "contextWindowExceeded"
	case plainInfo[code]:
		return code
	case statusInfo[code]:
		return map[string]httpStatus{code: {}}
	}
	return "other"
}
