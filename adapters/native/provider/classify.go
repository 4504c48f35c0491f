package provider

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"

	"github.com/anthropics/anthropic-sdk-go"
	fastjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/adaptercheck/adaptercheck/internal/redact"
)

// maxMessage bounds what a provider said in an error, in bytes.
const maxMessage = 500

var (
	// errStalled ends a turn in which nothing came for too long.
	errStalled = errors.New("nothing came for too long")
	// errNoStream is about an answer of another content type.
	errNoStream = errors.New("the answer is no stream of events")
	// errUnended is about a stream that ended without its last event.
	errUnended = errors.New("the answer ended in the middle")
)

// progress is how far a turn had come when it failed.
type progress struct {
	answered bool // an event of the answer had come
	yielded  bool // a piece, or a call, had
}

// failure is a failed turn. What ended with ctx is the error of ctx.
func failure(ctx context.Context, id ID, err error, at progress, secrets *redact.Redactor) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		err = errStalled
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &Error{Provider: id, Yielded: at.yielded, cause: err}
	e.Code, e.Status, e.Message = judge(err, at)
	e.Message = secrets.Head(e.Message, maxMessage)
	if overflow().MatchString(e.Message) && (e.Code == CodeBadRequest || e.Code == CodeUnknown) {
		e.Code = CodeContextOverflow
	}
	return e
}

// judge says what kind of failure an error is. Errors are told apart by what they carry, a
// status or a type, and never by their text.
func judge(err error, at progress) (code Code, status int, said string) {
	var ofAnthropic *anthropic.Error
	var ofOpenAI *openai.Error
	var inStream *ssestream.StreamError
	switch {
	case errors.As(err, &ofAnthropic):
		kind, said := body(ofAnthropic.RawJSON())
		if ofAnthropic.StatusCode >= 300 {
			return byStatus(ofAnthropic.StatusCode), ofAnthropic.StatusCode, said
		}
		return byType(kind), 0, said
	case errors.As(err, &ofOpenAI):
		said := ofOpenAI.Message
		return byStatus(ofOpenAI.StatusCode), ofOpenAI.StatusCode, said
	case errors.As(err, &inStream):
		kind, said := body(string(inStream.Event.Data))
		return byType(kind), 0, said
	case errors.Is(err, errStalled):
		return CodeNetwork, 0, "the provider said nothing for too long"
	case errors.Is(err, errNoStream):
		return CodeMalformed, 0, errNoStream.Error()
	case errors.Is(err, errUnended), at.answered && unreachable(err):
		return CodeTruncated, 0, errUnended.Error()
	case unreachable(err):
		return CodeNetwork, 0, "the provider could not be reached"
	case malformed(err):
		return CodeMalformed, 0, "the answer could not be read"
	}
	return CodeUnknown, 0, "the turn failed"
}

// unreachable reports whether an error is the network's.
func unreachable(err error) bool {
	var wrong net.Error
	var op *net.OpError
	var at *url.Error
	return errors.As(err, &wrong) || errors.As(err, &op) || errors.As(err, &at) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded)
}

// malformed reports whether an error is about what came.
func malformed(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, bufio.ErrTooLong)
}

// body is the type and the message of an error body. Anthropic and OpenAI put them under
// error; some that copy OpenAI do not.
func body(text string) (kind, said string) {
	type details struct {
		Type    jsontext.Value `json:"type"`
		Code    jsontext.Value `json:"code"`
		Message jsontext.Value `json:"message"`
	}
	var b struct {
		Error jsontext.Value `json:"error"`
		details
	}
	lenient := fastjson.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if fastjson.Unmarshal([]byte(text), &b, lenient) != nil {
		return "", ""
	}
	d := b.details
	if b.Error.Kind() == '{' {
		d = details{}
		_ = fastjson.Unmarshal(b.Error, &d, lenient) // it was read once
	}
	kind = str(d.Type)
	if byType(kind) == CodeUnknown {
		if other := str(d.Code); byType(other) != CodeUnknown {
			kind = other
		}
	}
	said = str(d.Message)
	if said == "" {
		said = str(b.Error)
	}
	return kind, said
}

// str is the string that a value holds; empty for anything else.
func str(v jsontext.Value) string {
	var s string
	if v.Kind() != '"' || fastjson.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	return s
}

// isStream refuses an answer that is no stream of events: a page, or one JSON value. A
// server that does not say what it sends is believed.
func isStream(res *http.Response) error {
	if res == nil {
		return nil
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "" && (err != nil || kind != "text/event-stream") {
		return errNoStream
	}
	return nil
}
