package openclaw

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// blocklist keeps the tools that live runs must not use in the gateway's configuration.
// What stood there before stays. Changes of this adapter are made one after another; one
// that somebody else makes meanwhile is seen, and the change is made anew.
type blocklist struct {
	mu   sync.Mutex
	runs map[string]int  // how many live runs forbid a tool
	ours map[string]bool // tools that this adapter put there
}

// attempts is how often a change is tried that meets those of others.
const attempts = 3

// forbid puts the tools there, for one more run.
func (b *blocklist) forbid(ctx context.Context, c *conn, tools []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range tools {
		b.runs[t]++
	}
	if err := b.change(ctx, c); err != nil {
		b.drop(tools)
		return err
	}
	return nil
}

// permit takes the tools away that no other run forbids. Where that fails they stay
// until the next change.
func (b *blocklist) permit(ctx context.Context, c *conn, tools []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(tools)
	if c != nil {
		_ = b.change(ctx, c)
	}
}

func (b *blocklist) drop(tools []string) {
	for _, t := range tools {
		if b.runs[t]--; b.runs[t] <= 0 {
			delete(b.runs, t)
		}
	}
}

type configPatch struct {
	Raw  string `json:"raw"`
	Base string `json:"baseHash,omitzero"`
}

// change makes the configuration what the live runs ask for. The lock is held.
func (b *blocklist) change(ctx context.Context, c *conn) error {
	var err error
	for range attempts {
		var deny []string
		var hash string
		if deny, hash, err = denied(ctx, c); err != nil {
			return err
		}
		want, ours := b.wanted(deny)
		if slices.Equal(want, deny) {
			b.ours = ours
			return nil
		}
		list, _ := json.Marshal(want) // strings only
		if len(want) == 0 {
			list = jsontext.Value("null") // as it was: none
		}
		_, err = c.call(ctx, "config.patch", configPatch{Raw: `{"tools":{"deny":` + string(list) + `}}`, Base: hash}, 0)
		if err == nil {
			b.ours = ours
			return nil
		}
		var refused *GatewayError
		if !errors.As(err, &refused) {
			return err
		}
	}
	return err
}

// wanted is the list that should be there, and what of it is the adapter's own.
func (b *blocklist) wanted(deny []string) (want []string, ours map[string]bool) {
	ours = map[string]bool{}
	for _, t := range deny {
		switch {
		case !b.ours[t]:
			want = append(want, t)
		case b.runs[t] > 0:
			want, ours[t] = append(want, t), true
		}
	}
	var more []string
	for t := range b.runs {
		if !slices.Contains(want, t) {
			more, ours[t] = append(more, t), true
		}
	}
	slices.Sort(more)
	return append(want, more...), ours
}

// denied reads the list of the configuration, and the hash that a change of it names.
func denied(ctx context.Context, c *conn) ([]string, string, error) {
	payload, err := c.call(ctx, "config.get", struct{}{}, 0)
	if err != nil {
		return nil, "", err
	}
	type tools struct {
		Deny []text `json:"deny"`
	}
	var answer struct {
		Hash   text `json:"hash"`
		Parsed object[struct {
			Tools object[tools] `json:"tools"`
		}] `json:"parsed"`
	}
	if !read(payload, &answer) {
		return nil, "", errors.New("config.get: the answer is no configuration")
	}
	var deny []string
	for _, t := range answer.Parsed.is.Tools.is.Deny {
		deny = append(deny, string(t))
	}
	return deny, string(answer.Hash), nil
}
