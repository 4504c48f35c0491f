package claudecode

import "github.com/go-json-experiment/json/jsontext"

// resultLine is the result in the order of its version.
func (r *renderer) resultLine(t *turn, o outcome) object {
	v := r.version
	parts := map[string]any{
		"type": "result", "subtype": o.subtype, "is_error": o.failed, "duration_ms": 0, "duration_api_ms": 0, "num_turns": 1 + t.users,
		"stop_reason": o.stop, "session_id": r.session, "total_cost_usd": r.spent.Cost, "usage": v.usage(t.used), "modelUsage": v.bill(r.spent),
		"permission_denials": append([]object{}, t.denials...), "uuid": r.ids.uuid(),
	}
	if o.errors == nil {
		parts["result"] = o.text
		if o.data != "" {
			parts["structured_output"] = jsontext.Value(o.data)
		}
		if v.shape >= v21197 {
			parts["api_error_status"] = nil
		}
	} else if v.shape >= v20 {
		parts["errors"] = o.errors
	}
	if e := o.api; e != nil && v.shape >= v21197 {
		if e.status > 0 {
			parts["api_error_status"] = e.status
		}
		if e.kind != "" && v.shape >= v21332 {
			parts["api_error_type"] = e.kind
		}
		if e.transport != "" && v.shape >= v21332 {
			parts["api_error"] = e.transport
		}
	}
	if v.shape >= v21197 {
		parts["terminal_reason"] = o.reason
		if o.reason == "api_error" && v.shape < v21332 {
			parts["terminal_reason"] = "completed"
		}
		if o.reason == "budget_exhausted" && v.shape < v21332 {
			delete(parts, "terminal_reason")
		}
		parts["fast_mode_state"] = "off"
	}
	if v.shape >= v21197 && o.errors == nil && !o.uncalled {
		parts["ttft_stream_ms"], parts["time_to_request_ms"] = 0, 0
		if t.spoke {
			parts["ttft_ms"] = 0
			if v.shape >= v21332 {
				parts["first_content_frame_ms"] = 0
			}
		}
	}
	if v.shape >= v21332 {
		r.extend(parts, t)
	}
	order := resultOrder
	if v.shape < v21332 {
		order = resultOrderTypeFirst
	}
	line := object{}
	for _, name := range order {
		if value, has := parts[name]; has {
			line.add(name, value)
		}
	}
	return line
}

// extend adds what the newest results say beside.
func (r *renderer) extend(parts map[string]any, t *turn) {
	parts["fast_mode_disabled_reason"] = "sdk_opt_in_required"
	parts["subagent_stats"] = r.agentStats()
	parts["safety_stops"], parts["queued_turn_count"], parts["result_index"] = t.stops, 0, r.results
	if r.inv.output == streamJSON {
		parts["model_usage_since_last_result"] = r.version.bill(r.since)
	}
	if len(t.ids) > 0 {
		parts["begun_message_ids"] = t.ids
	}
	if id := t.from.UUID; id != "" {
		parts["user_message_uuid"], parts["user_message_uuids"] = id, []string{id}
		parts["request_sent_wall_ms"] = 0
		parts["first_request_input_tokens"] = t.used.Input + t.used.CacheRead + t.used.CacheWrite
		parts["first_request_cache_read_input_tokens"] = t.used.CacheRead
	}
}

// The members of a result line, in the order of the newest version and of those before.
var (
	resultOrder = []string{"duration_api_ms", "stop_reason", "session_id", "total_cost_usd", "usage", "modelUsage", "permission_denials",
		"terminal_reason", "fast_mode_state", "fast_mode_disabled_reason", "subagent_stats", "safety_stops", "is_error", "num_turns", "subtype",
		"api_error_status", "api_error_type", "api_error", "result", "structured_output", "errors", "ttft_ms", "type", "duration_ms", "uuid", "begun_message_ids",
		"ttft_stream_ms", "time_to_request_ms", "first_content_frame_ms", "user_message_uuid", "user_message_uuids", "request_sent_wall_ms",
		"first_request_input_tokens", "first_request_cache_read_input_tokens", "queued_turn_count", "result_index", "model_usage_since_last_result"}
	resultOrderTypeFirst = []string{"type", "subtype", "is_error", "api_error_status", "duration_ms", "duration_api_ms", "ttft_ms", "ttft_stream_ms",
		"time_to_request_ms", "num_turns", "result", "structured_output", "stop_reason", "session_id", "total_cost_usd", "usage", "modelUsage", "permission_denials",
		"terminal_reason", "fast_mode_state", "uuid", "errors", "result_index"}
)

// usage is what a result says of a turn.
func (v version) usage(t tokens) object {
	o := object{{"input_tokens", t.Input}, {"cache_creation_input_tokens", t.CacheWrite}, {"cache_read_input_tokens", t.CacheRead}, {"output_tokens", t.Output}}
	if v.shape >= v21332 {
		o.add("output_tokens_details", object{{"thinking_tokens", t.Thinking}})
	}
	o.add("server_tool_use", object{{"web_search_requests", 0}, {"web_fetch_requests", 0}})
	o.add("service_tier", "standard")
	o.add("cache_creation", object{{"ephemeral_1h_input_tokens", 0}, {"ephemeral_5m_input_tokens", 0}})
	if v.shape >= v21197 {
		o.add("inference_geo", "")
		o.add("iterations", []int{})
		o.add("speed", "standard")
	}
	if v.shape >= v21332 {
		o.add("fallback_credit", nil)
	}
	return o
}

// bill is what a result says of the models.
func (v version) bill(b bill) object {
	all := object{}
	for _, x := range b.Models {
		m, _ := modelOf(x.Model)
		o := object{{"inputTokens", x.Tokens.Input}, {"outputTokens", x.Tokens.Output}, {"cacheReadInputTokens", x.Tokens.CacheRead},
			{"cacheCreationInputTokens", x.Tokens.CacheWrite}, {"webSearchRequests", 0}, {"costUSD", x.Cost}, {"contextWindow", m.window}}
		if v.shape >= v21197 {
			o.add("maxOutputTokens", m.maxOutput)
		}
		if v.shape >= v21332 {
			basis := "list"
			if x.Guessed {
				basis = "unknown"
			}
			for _, extra := range (object{{"thinkingTokens", x.Tokens.Thinking}, {"cacheCreationEphemeral5mInputTokens", 0},
				{"cacheCreationEphemeral1hInputTokens", 0}, {"canonicalModel", apiName(x.Model)}, {"provider", "firstParty"}, {"costBasis", basis}}) {
				o.add(extra.name, extra.value)
			}
		}
		all.add(x.Model, o)
	}
	return all
}
