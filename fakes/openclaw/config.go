package openclaw

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
)

// config is the gateway's configuration: JSON values.
type config map[string]any

// redacted stands for secrets.
const redacted = "__OPENCLAW_REDACTED__"

func (r *Runtime) newConfig() config {
	entries := map[string]any{}
	for _, a := range r.agents {
		entries[a.id] = map[string]any{"workspace": a.workspace}
	}
	return config{
		"gateway": map[string]any{
			"mode": "local", "bind": "loopback", "auth": map[string]any{"mode": "token", "token": redacted}, "controlUi": map[string]any{"enabled": true},
		},
		"agents": map[string]any{
			"defaults": map[string]any{"model": map[string]any{"primary": defaultProvider + "/" + defaultModel}, "workspace": workspace},
			"entries":  entries,
		},
	}
}

func (c config) text() []byte { return encoded(map[string]any(c)) }

func (c config) hash() string {
	sum := sha256.Sum256(c.text())
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// denied lists the tools that an agent may not use, sorted.
func (c config) denied(agent string) []string {
	names := texts(c["tools"], "deny")
	agents, _ := c["agents"].(map[string]any)
	entries, _ := agents["entries"].(map[string]any)
	own, _ := entries[agent].(map[string]any)
	names = append(names, texts(own["tools"], "deny")...)
	slices.Sort(names)
	return slices.Compact(names)
}

// texts are the texts of a list that is a member of a value.
func texts(of any, member string) []string {
	object, _ := of.(map[string]any)
	items, _ := object[member].([]any)
	var names []string
	for _, item := range items {
		if name, is := item.(string); is {
			names = append(names, name)
		}
	}
	return names
}

func configMethods() map[string]method {
	change := map[string]rule{"raw": isText, "baseHash": filled, "sessionKey": isText, "note": isText, "restartDelayMs": isNumber, "deliveryContext": nil, "replacePaths": nil}
	return map[string]method{
		"config.get":   {scopeRead, shape{}, (*Runtime).getConfig},
		"config.patch": {scopeAdmin, shape{required: []string{"raw"}, members: change}, (*Runtime).patchConfig},
	}
}

func (r *Runtime) getConfig(q *request) { q.ok(r.configuration()) }

func (r *Runtime) configuration() *object {
	text := r.config.text()
	return newObject().str("path", home+"/openclaw.json").flag("exists", true).str("raw", string(text)).raw("parsed", text).
		flag("valid", true).raw("config", text).str("hash", r.config.hash()).raw("issues", []byte(`[]`))
}

// patchConfig merges a change into the configuration, which holds from the next run on.
func (r *Runtime) patchConfig(q *request) {
	var p struct {
		Raw  string `json:"raw"`
		Base string `json:"baseHash"`
	}
	read(q.params, &p)
	var change map[string]any
	if err := json.Unmarshal([]byte(p.Raw), &change, lenient); err != nil {
		q.fail(invalid("config.patch raw must be an object"))
		return
	}
	switch {
	case p.Base == "" && r.version.modern:
		q.fail(invalid("config base hash required for " + leaf(change) + "; re-run config.get and retry with baseHash"))
		return
	case p.Base == "":
		q.fail(invalid("config base hash required; re-run config.get and retry"))
		return
	case p.Base != r.config.hash():
		q.fail(invalid("config changed since last load; re-run config.get and retry"))
		return
	}
	r.config = merged(r.config, change)
	q.ok(newObject().flag("ok", true).str("path", home+"/openclaw.json").raw("config", r.config.text()).str("hash", r.config.hash()))
}

// leaf is the path of the first value that a change has.
func leaf(change map[string]any) string {
	names := slices.Sorted(maps.Keys(change))
	if len(names) == 0 {
		return ""
	}
	if inner, is := change[names[0]].(map[string]any); is && len(inner) > 0 {
		return names[0] + "." + leaf(inner)
	}
	return names[0]
}

// merged puts a change over values: objects are merged, null takes away, all else
// replaces.
func merged(old, change map[string]any) map[string]any {
	result := maps.Clone(old)
	if result == nil {
		result = map[string]any{}
	}
	for name, value := range change {
		switch value := value.(type) {
		case nil:
			delete(result, name)
		case map[string]any:
			inner, _ := result[name].(map[string]any)
			result[name] = merged(inner, value)
		default:
			result[name] = value
		}
	}
	return result
}
