package claudecode

import "strconv"

// apiError is a failed call of the provider.
type apiError struct {
	status    int      // HTTP; 0 is none
	word      string   // the CLI's own
	kind      string   // the provider's own, where there is a status
	transport string   // what failed where there is no status
	reason    string   // why the turn ended; empty is an API error
	refused   *message // what the model would not say; nil is another failure
}

// statuses are what the CLI makes of HTTP statuses.
var statuses = map[int]apiError{
	400: {status: 400, word: "unknown", kind: "invalid_request_error"},
	401: {status: 401, word: "authentication_failed", kind: "authentication_error"},
	402: {status: 402, word: "billing_error", kind: "billing_error"},
	403: {status: 403, word: "authentication_failed", kind: "permission_error"},
	404: {status: 404, word: "model_not_found", kind: "not_found_error"},
	413: {status: 413, word: "invalid_request", kind: "request_too_large"},
	429: {status: 429, word: "rate_limit", kind: "rate_limit_error"},
	500: {status: 500, word: "server_error", kind: "api_error"},
	502: {status: 502, word: "server_error"}, // a gateway says it, in its own words
	503: {status: 503, word: "server_error", kind: "api_error"},
	529: {status: 529, word: "server_error", kind: "overloaded_error"},
}

// stop is the stop reason of a message in the model's stead.
func (e apiError) stop() string {
	if e.refused != nil {
		return "refusal"
	}
	return "stop_sequence"
}

// apiErrorOf reads the code of a failure.
func apiErrorOf(code string) apiError {
	if status, err := strconv.Atoi(code); err == nil {
		if e, known := statuses[status]; known {
			return e
		}
		return apiError{status: status, word: "unknown", kind: "api_error"}
	}
	switch code {
	case "authentication_failed", "rate_limit", "overloaded", "invalid_request", "model_not_found", "server_error":
		return apiError{word: code}
	case "billing_error":
		return apiError{status: 400, word: code, kind: "invalid_request_error"}
	case "connection_failed":
		return apiError{word: "server_error", transport: code}
	case "prompt_too_long":
		return apiError{status: 400, word: "invalid_request", kind: "invalid_request_error", reason: code}
	case "max_output_tokens":
		return apiError{word: code, transport: code}
	}
	return apiError{word: "unknown"}
}

// apiFailed says that the provider failed: a line in the model's stead, and a success
// that is an error.
func (r *renderer) apiFailed(e apiError, text string) error {
	if r.turn == nil {
		r.turn = &turn{begun: true}
	}
	if err := r.say(r.synthetic(e, text)); err != nil {
		return err
	}
	reason := "api_error"
	if e.reason != "" && r.version.shape >= v21332 {
		reason = e.reason
	}
	return r.result(outcome{subtype: "success", failed: true, text: text, stop: e.stop(), reason: reason, api: &e, uncalled: true})
}

// synthetic is a line that the CLI says in the model's stead.
func (r *renderer) synthetic(e apiError, text string) object {
	v := r.version
	usage := object{}
	if v.shape >= v21332 {
		usage.add("output_tokens_details", nil)
	}
	for _, name := range []string{"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		usage.add(name, 0)
	}
	usage.add("server_tool_use", object{{"web_search_requests", 0}, {"web_fetch_requests", 0}})
	usage.add("service_tier", nil)
	usage.add("cache_creation", object{{"ephemeral_1h_input_tokens", 0}, {"ephemeral_5m_input_tokens", 0}})
	if v.shape >= v21197 {
		for _, name := range []string{"inference_geo", "iterations", "speed"} {
			usage.add(name, nil)
		}
	}
	if v.shape >= v21332 {
		usage.add("fallback_credit", nil)
	}
	message := object{}
	if v.shape >= v21332 {
		message.add("diagnostics", nil)
	}
	message.add("id", r.ids.uuid())
	if v.shape >= v21197 {
		message.add("container", nil)
	}
	message.add("model", "<synthetic>")
	message.add("role", "assistant")
	if v.shape >= v21197 {
		message.add("stop_details", nil)
	}
	for _, m := range (object{{"stop_reason", e.stop()}, {"stop_sequence", ""}, {"type", "message"}, {"usage", usage},
		{"content", []object{textBlock(text)}}}) {
		message.add(m.name, m.value)
	}
	if v.shape >= v21197 {
		message.add("context_management", nil)
	}
	o := r.tag(object{{"type", "assistant"}, {"message", message}, {"parent_tool_use_id", nil}})
	if v.shape >= v21332 {
		o.add("timestamp", r.clock())
	}
	if v.shape >= v20 {
		word := e.word
		if !v.classified && e.status != 401 {
			word = "unknown"
		}
		o.add("error", word)
	}
	switch {
	case v.shape < v21197:
	case e.refused != nil:
		o.add("request_id", e.refused.request)
	case e.kind != "":
		o.add("request_id", r.ids.api("req"))
	}
	if v.shape < v21332 {
		return o
	}
	o.add("is_api_error_message", true)
	if e.refused != nil {
		o.add("refused_message_id", e.refused.id)
	}
	if e.transport != "" {
		o.add("api_error", e.transport)
	}
	if e.word == "max_output_tokens" {
		o.add("api_error_params", object{{"cut", "output_limit"}})
	}
	if e.status > 0 {
		o.add("api_error_status", e.status)
	}
	if e.kind != "" {
		o.add("api_error_type", e.kind)
	}
	return o
}
