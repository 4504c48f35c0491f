package provider

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// address looks for keys where logs keep them.
func (x *exchange) address(u *url.URL) {
	if u.RawQuery == "" {
		return
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if v != "" && (v == x.key || slices.Contains(x.space.server.options.Keys, v)) {
				x.breach(KeyInURL)
			}
		}
	}
}

// admit checks what stands in the headers: the key, and the version.
func (x *exchange) admit(r *http.Request, d Dialect) *Refusal {
	keys := x.space.server.options.Keys
	known := len(keys) == 0 || slices.Contains(keys, x.key)
	if d.openAI() {
		switch {
		case x.key == "" || !x.bearer:
			return &Refusal{Status: 401, Type: "invalid_request_error", Message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. You can obtain an API key from https://platform.openai.com/account/api-keys."}
		case !known:
			return &Refusal{Status: 401, Code: "invalid_api_key", Type: "invalid_request_error", Message: "Incorrect API key provided: " + veiled(x.key) + ". You can find your API key at https://platform.openai.com/account/api-keys."}
		}
		return nil
	}
	switch {
	case x.key == "":
		return &Refusal{Status: 401, Message: "x-api-key header is required"}
	case !known && r.Header.Get("X-Api-Key") == "":
		return &Refusal{Status: 401, Message: "Invalid bearer token"}
	case !known:
		return &Refusal{Status: 401, Message: "invalid x-api-key"}
	case r.Header.Get("Anthropic-Version") == "":
		return bad("anthropic-version: header is required")
	case !slices.Contains(versions, r.Header.Get("Anthropic-Version")):
		return bad("anthropic-version: %q is not a valid version", r.Header.Get("Anthropic-Version"))
	}
	return nil
}

// stricter is the version of Anthropic's API that takes less than those before it.
const stricter = "2026-10-21"

// versions are those of Anthropic's API.
var versions = []string{"2023-01-01", "2023-06-01", stricter}

// veiled is how the provider shows a key that is wrong.
func veiled(key string) string {
	if len(key) < 16 {
		return strings.Repeat("*", len(key))
	}
	return key[:4] + strings.Repeat("*", 8) + key[len(key)-4:]
}

// read reads the body of a request.
func (x *exchange) read(r *http.Request) ([]byte, *Refusal) {
	limit := x.space.server.options.MaxBody
	if r.ContentLength > limit {
		return nil, tooLarge(r, limit)
	}
	var in io.Reader = r.Body
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
		if r.ContentLength >= 0 {
			body := make([]byte, r.ContentLength)
			if _, err := io.ReadFull(in, body); err != nil {
				return nil, bad("the body ends early: %v", err)
			}
			return body, nil
		}
	case "gzip":
		zipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, bad("the body is not what Content-Encoding says: %v", err)
		}
		in = zipped
	default:
		return nil, &Refusal{Status: 415, Type: "invalid_request_error", Message: "Unsupported content encoding " + strconv.Quote(coding)}
	}
	body, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case int64(len(body)) > limit:
		return nil, tooLarge(r, limit)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, bad("the body ends early: %v", err)
	}
	return body, nil
}

// tooLarge refuses a body. What is left of it is read, within bounds: a client that is
// still sending does not look for an answer.
func tooLarge(r *http.Request, limit int64) *Refusal {
	_, _ = io.CopyN(io.Discard, r.Body, 8*limit) // it may end at any place
	return &Refusal{Status: 413}
}
