package openclaw

import (
	"context"
	"fmt"
	"slices"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/internal/oneshot"
)

// SetModel sets the model of the session in the gateway, for the calls that a live run
// has yet to make and for later runs whose start names none. Empty leaves it to the
// gateway again.
func (a *Adapter) SetModel(ctx context.Context, run *executor.Run, model string) error {
	known, err := a.lookup(run)
	if err == nil {
		err = a.setModel(ctx, known.session, model)
	}
	if err != nil {
		return fmt.Errorf("set model: %w", err)
	}
	return nil
}

func (a *Adapter) setModel(ctx context.Context, s *session, model string) error {
	c, err := a.link.get(ctx)
	if err != nil {
		return err
	}
	native, err := a.native(ctx, c, s, "")
	if err != nil {
		return err
	}
	if err := a.patchModel(ctx, c, s, native, model); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.model = model
	return nil
}

// WriteContext writes a file of the session's agent where the key names one that the
// gateway has for agents, as SOUL.md: it is the agent's, in all its sessions. Any other
// value waits for the session's next run, where it stands before the message under its
// key; a value of the same key replaces the earlier one, and what waits may be 1 MiB. A
// key that is no path inside a directory is refused, and what the gateway refuses is a
// [*GatewayError].
func (a *Adapter) WriteContext(ctx context.Context, run *executor.Run, key, value string) error {
	known, err := a.lookup(run)
	if err == nil {
		err = oneshot.CheckKey(key)
	}
	if err == nil {
		err = a.writeContext(ctx, known.session, key, value)
	}
	if err != nil {
		return fmt.Errorf("write context: %w", err)
	}
	return nil
}

type agentFile struct {
	Agent   string `json:"agentId"`
	Name    string `json:"name"`
	Content string `json:"content"`
}

func (a *Adapter) writeContext(ctx context.Context, s *session, key, value string) error {
	c, err := a.link.get(ctx)
	if err != nil {
		return err
	}
	native, err := a.native(ctx, c, s, "")
	if err != nil {
		return err
	}
	agent := agentOf(native)
	names, err := agentFiles(ctx, c, agent)
	if err != nil {
		return err
	}
	if slices.Contains(names, key) {
		_, err := c.call(ctx, "agents.files.set", agentFile{agent, key, value}, 0)
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return s.put(piece{key, value})
}

// agentFiles lists the names of the files that the gateway has for an agent.
func agentFiles(ctx context.Context, c *conn, agent string) ([]string, error) {
	payload, err := c.call(ctx, "agents.files.list", struct {
		Agent string `json:"agentId"`
	}{agent}, 0)
	if err != nil {
		return nil, err
	}
	var list struct {
		Files []struct {
			Name text `json:"name"`
		} `json:"files"`
	}
	read(payload, &list)
	var names []string
	for _, f := range list.Files {
		names = append(names, string(f.Name))
	}
	return names, nil
}

type sessionsPatch struct {
	Key   string  `json:"key"`
	Model *string `json:"model"` // null is the gateway's own
}

// patchModel sets the model of a session in the gateway.
func (a *Adapter) patchModel(ctx context.Context, c *conn, s *session, native, model string) error {
	p := sessionsPatch{Key: native}
	if model != "" {
		p.Model = &model
	}
	if _, err := c.call(ctx, "sessions.patch", p, 0); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.patched = model
	return nil
}
