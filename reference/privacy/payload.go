package privacy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/history"
)

// ErrProvider is returned for a blank provider name.
var ErrProvider = errors.New("provider is blank")

// Result is what may be sent.
type Result struct {
	// Payload shares nothing with the one that was given.
	Payload     any
	Destination history.Destination
	// Class is the highest class of any text that was looked at.
	Class Class
	// Changed: a string or a key of Payload is not what it was.
	Changed bool
	// Blocked counts pieces that were replaced because of their class, Secrets those
	// replaced because they look like a secret.
	Blocked, Secrets int
	// Inspected counts the strings and keys that were looked at.
	Inspected int
}

// Sanitize gives what of a payload may be sent to a provider. On an error nothing
// may be sent; the error says nothing about the content. It is [ErrProvider] for a
// blank provider, [ErrPayload] for a payload that cannot be looked through.
func (e *Engine) Sanitize(provider string, payload any) (res Result, err error) {
	if fold(provider) == "" {
		return Result{}, ErrProvider
	}
	// Nothing below is expected to panic; if something does, nothing is sent.
	defer func() {
		if recover() != nil {
			res, err = Result{}, fmt.Errorf("%w: it panicked", ErrPayload)
		}
	}()
	res = Result{Destination: e.Destination(provider), Class: Normal}
	plain, err := new(copier).copy(payload, 0)
	if err != nil {
		return Result{}, err
	}
	if e.disabled {
		res.Payload = plain
		return res, nil
	}
	p := &pass{
		base:    higher(e.base, floorOf(plain)),
		class:   Normal,
		allowed: e.allowedFor(provider),
		redact:  res.Destination == history.Remote && !e.keepSecrets,
	}
	at := where{place: content}
	if _, object := plain.(map[string]any); object {
		at.place = envelope
	}
	res.Payload = p.value(plain, at)
	res.Class, res.Changed = p.class, p.changed
	res.Blocked, res.Secrets, res.Inspected = p.blocked, p.secrets, p.inspected
	return res, nil
}

// floorOf finds the class that a payload has as a whole: normal, unless markers
// are broken, left open or nested. An object has no order of its own, so a marker
// that was left open in one string may have been meant to reach any other; then
// the highest class of all markers counts for all text.
func floorOf(v any) Class {
	all, nested, whole := Normal, Normal, true
	look := func(s string) {
		m := readMarkup(s)
		all, whole = higher(all, m.class), whole && m.whole
		if m.nested {
			nested = higher(nested, m.class)
		}
	}
	var visit func(any)
	visit = func(v any) {
		switch v := v.(type) {
		case string:
			look(v)
		case []any:
			for _, item := range v {
				visit(item)
			}
		case map[string]any:
			for key, item := range v {
				look(key)
				visit(item)
			}
		}
	}
	visit(v)
	if !whole {
		return all
	}
	return nested
}

// place says what a value is to the provider.
type place uint8

const (
	// envelope is the payload's own object.
	envelope place = iota
	// parameter is a value under a key of the envelope that carries no content, such
	// as user or stop. Its strings have no class of their own; objects in it may hold
	// anything and are content.
	parameter
	// content is all the rest.
	content
)

// where describes a value's position: its place and the nearest key above it.
type where struct {
	place place
	key   string
}

// pass sanitises one payload.
type pass struct {
	base    Class
	allowed classSet
	redact  bool

	class                       Class
	changed                     bool
	blocked, secrets, inspected int
}

func (p *pass) value(v any, at where) any {
	switch v := v.(type) {
	case string:
		return p.text(v, at)
	case []any:
		for i, item := range v {
			v[i] = p.value(item, at)
		}
	case map[string]any:
		return p.object(v, at)
	}
	return v
}

func (p *pass) object(in map[string]any, at where) map[string]any {
	if in == nil {
		return in
	}
	if at.place == parameter {
		at.place = content
	}
	out := make(map[string]any, len(in))
	type moved struct {
		index    int
		from, to string
	}
	var renamed []moved
	// In order, so that equal payloads give equal results.
	for i, key := range slices.Sorted(maps.Keys(in)) {
		below := where{place: content, key: strings.ToLower(key)}
		if at.place == envelope && !contentKeys[below.key] {
			below.place = parameter
		}
		name := p.key(key, at)
		item := p.value(in[key], below)
		if name == key {
			out[key] = item
			continue
		}
		in[key] = item
		renamed = append(renamed, moved{i, key, name})
	}
	for _, m := range renamed {
		name := m.to
		for {
			if _, taken := out[name]; !taken {
				break
			}
			name += "_" + strconv.Itoa(m.index)
		}
		out[name] = in[m.from]
	}
	return out
}

// key sanitises the name of a field. Names that the provider's format gives a
// meaning have no class of their own; any other name in content is text.
func (p *pass) key(key string, at where) string {
	lower := strings.ToLower(key)
	known := structuralKeys[lower] || contentKeys[lower]
	return p.inspect(key, at.place != content || known, "")
}

func (p *pass) text(s string, at where) string {
	fixed := at.place == parameter || structuralKeys[at.key] && isIdentifier(s)
	return p.inspect(s, fixed, at.key)
}

// inspect applies the policy to one string: classes, unless it is a fixed part of
// the format that carries no marker, then secrets. key is the field that it is the
// value of.
func (p *pass) inspect(s string, fixed bool, key string) string {
	p.inspected++
	out := s
	if m := readMarkup(s); !fixed || m.tokens != nil {
		out = p.classify(s, m, p.base)
	}
	if p.redact {
		var n int
		out, n = redactSecrets(out, key)
		p.secrets += n
	}
	p.changed = p.changed || out != s
	return out
}

// isIdentifier reports whether a value under a structural key is what such keys
// hold. Prose under such a key is content.
func isIdentifier(s string) bool {
	return len(s) <= 256 && strings.IndexFunc(s, isSpace) < 0
}

// structuralKeys hold identifiers that a provider needs as they are.
var structuralKeys = map[string]bool{
	"api": true, "id": true, "model": true, "name": true, "role": true,
	"stopreason": true, "stop_reason": true, "toolcallid": true,
	"tool_call_id": true, "type": true,
}

// contentKeys of the envelope open what people and tools said.
var contentKeys = map[string]bool{
	"arguments": true, "content": true, "contents": true, "context": true,
	"description": true, "input": true, "instructions": true, "messages": true,
	"metadata": true, "parts": true, "prompt": true, "requestmetadata": true,
	"system": true, "system_instruction": true, "systeminstruction": true,
	"systemprompt": true, "text": true, "thinking": true, "toolconfig": true,
	"tools": true,
}
