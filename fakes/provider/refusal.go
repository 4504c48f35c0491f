package provider

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/adaptercheck/adaptercheck/fakes"
)

// Refusal is an answer that is an error, in the form that the provider of the dialect
// has. The zero value is status 500 with what the provider says then.
type Refusal struct {
	// Status is HTTP's; 0 is what belongs to Type, else 500. 200 is an error where
	// nobody expects it.
	Status int
	// Type of the error, as "overloaded_error"; empty is what belongs to Status.
	Type string
	// Code and Param are OpenAI's; empty is null.
	Code, Param string
	// Message is what is said; empty is what belongs to the status.
	Message string
	// RetryAfter is how long the client is told to wait, in whole seconds, rounded up.
	RetryAfter time.Duration
	// ContentType and Body, where not empty, are what is sent instead.
	ContentType, Body string
}

// HTMLPage is the body that a proxy sends in the place of a provider.
const HTMLPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

// known is what the providers say with a status.
type known struct {
	status               int
	anthropic, openAI    string // types
	code                 string // OpenAI's
	messageA, messageOAI string
}

var knownErrors = []known{
	{400, "invalid_request_error", "invalid_request_error", "", "Error", "Invalid request."},
	{401, "authentication_error", "invalid_request_error", "invalid_api_key", "invalid x-api-key", "Incorrect API key provided."},
	{402, "billing_error", "billing_error", "", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", "Payment required."},
	{403, "permission_error", "permission_error", "", "Your API key does not have permission to use the specified resource.", "You are not allowed to sample from this model."},
	{404, "not_found_error", "invalid_request_error", "", "Not Found", "Not found."},
	{408, "timeout_error", "timeout_error", "", "Request timed out.", "Request timed out."},
	{409, "invalid_request_error", "invalid_request_error", "", "Conflict", "Conflict."},
	{413, "request_too_large", "invalid_request_error", "", "Request exceeds the maximum size", "Request entity too large."},
	{422, "invalid_request_error", "invalid_request_error", "", "Unprocessable Entity", "Unprocessable entity."},
	{429, "rate_limit_error", "requests", "rate_limit_exceeded", "Number of request tokens has exceeded your per-minute rate limit.", "Rate limit reached. Please try again later."},
	{500, "api_error", "server_error", "", "Internal server error", "The server had an error while processing your request. Sorry about that!"},
	{502, "api_error", "server_error", "", "Bad gateway", "Bad gateway."},
	{503, "api_error", "service_unavailable", "", "Service unavailable", "The engine is currently overloaded, please try again later."},
	{504, "timeout_error", "server_error", "", "Gateway timeout", "Gateway timeout."},
	{529, "overloaded_error", "server_error", "", "Overloaded", "Overloaded."},
}

// quotaExhausted is how OpenAI tells a quota from a rate.
const quotaExhausted = "insufficient_quota"

// settle completes a refusal: status by type, and the other way round.
func (r Refusal) settle() (Refusal, known) {
	if r.Status == 0 {
		r.Status = 500
		for _, k := range knownErrors {
			if r.Type != "" && (r.Type == k.anthropic || r.Type == k.openAI || r.Type+"_error" == k.anthropic || r.Type == k.code) {
				r.Status = k.status
				break
			}
		}
		if r.Type == quotaExhausted || r.Code == quotaExhausted {
			r.Status = 429
		}
	}
	for _, k := range knownErrors {
		if k.status == r.Status {
			return r, k
		}
	}
	return r, known{r.Status, "api_error", "server_error", "", "Error", "Error."}
}

// status is what the HTTP answer has.
func (r Refusal) status() int {
	r, _ = r.settle()
	return r.Status
}

type anthropicError struct {
	Type  string `json:"type"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Request string `json:"request_id,omitzero"`
}

func (r Refusal) anthropic() anthropicError {
	r, k := r.settle()
	e := anthropicError{Type: "error"}
	e.Error.Type, e.Error.Message = or(r.Type, k.anthropic), or(r.Message, k.messageA)
	if e.Error.Type == "overloaded" { // the word of scripts
		e.Error.Type = "overloaded_error"
	}
	return e
}

type openAIError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	} `json:"error"`
}

func (r Refusal) openAI() openAIError {
	r, k := r.settle()
	var e openAIError
	e.Error.Message, e.Error.Type = or(r.Message, k.messageOAI), or(r.Type, k.openAI)
	if r.Param != "" {
		e.Error.Param = &r.Param
	}
	switch {
	case r.Code != "":
		e.Error.Code = &r.Code
	case e.Error.Type == quotaExhausted:
		e.Error.Code = new(quotaExhausted)
	case r.Type == "" && k.code != "":
		e.Error.Code = &k.code
	}
	return e
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// body is what the provider of a dialect sends.
func (r Refusal) body(d Dialect, requestID string) (contentType string, body []byte) {
	switch {
	case r.Body != "" || r.ContentType != "":
		return or(r.ContentType, "application/json"), []byte(r.Body)
	case d.openAI():
		return "application/json", jsonText(r.openAI())
	}
	e := r.anthropic()
	e.Request = requestID
	return "application/json", jsonText(e)
}

// retryAfter is the value of the header, empty for none.
func (r Refusal) retryAfter() string {
	if r.RetryAfter <= 0 {
		return ""
	}
	return strconv.FormatInt(int64((r.RetryAfter+time.Second-1)/time.Second), 10)
}

// errorEvent is an error in the middle of a stream.
func errorEvent(name string, e any) event { return event{parts(sse(name, jsonText(e))), false} }

// failure is what a script's error frame means: a code that is a number is a status.
func failure(f fakes.Failure) Refusal {
	r := Refusal{Message: f.Message}
	if status, err := strconv.Atoi(f.Code); err == nil && status >= 400 && status < 600 {
		r.Status = status
	} else {
		r.Type = f.Code
	}
	return r
}

// objectFields reads the members of a JSON object; an empty text has none.
func objectFields(text string) (map[string]jsontext.Value, error) {
	fields := map[string]jsontext.Value{}
	if text == "" {
		return fields, nil
	}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, fmt.Errorf("want a JSON object: %w", err)
	}
	return fields, nil
}

// nativeObject is an event of a type that no word covers.
func nativeObject(kind string, fields map[string]jsontext.Value) any {
	if _, given := fields["type"]; !given {
		fields["type"] = jsontext.Value(jsonText(kind))
	}
	return fields
}
