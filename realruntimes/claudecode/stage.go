package claudecode

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adaptercheck/adaptercheck/adapters/claudecode"
	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// stage is what a story is played on: a provider, the adapter of the program, and
// directories of its own.
type stage struct {
	api     *provider.Server
	adapter *claudecode.Adapter
	outside *outside
	dir     string // that the program works in
}

// patience bounds a story. A program of 400 MB may take its time to start.
const patience = 2 * time.Minute

// key is the key that the program is given for the provider.
const key = "sk-ant-none"

func newStage(program string, rules []provider.Rule) (s *stage, err error) {
	base, err := os.MkdirTemp("", "real-claude")
	if err != nil {
		return nil, err
	}
	s = &stage{dir: filepath.Join(base, "work")}
	home := filepath.Join(base, "home")
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err := errors.Join(os.Mkdir(s.dir, 0o700), os.Mkdir(home, 0o700)); err != nil {
		return nil, err
	}
	if s.outside, err = newOutside(); err != nil {
		return nil, err
	}
	if s.api, err = provider.New(context.Background(), provider.Options{Keys: []string{key}, Rules: rules}); err != nil {
		return nil, err
	}
	s.adapter = claudecode.New(claudecode.Options{
		Command: []string{program}, Home: home, Dir: s.dir, AllowEnv: []string{}, MaxTurns: 10,
		Env: []string{
			"HOME=" + home, "ANTHROPIC_API_KEY=" + key, "ANTHROPIC_BASE_URL=" + s.api.URL(),
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
			"HTTP_PROXY=" + s.outside.url(), "HTTPS_PROXY=" + s.outside.url(), "NO_PROXY=127.0.0.1",
		},
	})
	return s, nil
}

func (s *stage) close() error {
	var err error
	if s.adapter != nil {
		err = s.adapter.Dispose(context.Background())
	}
	if s.api != nil {
		err = errors.Join(err, s.api.Close())
	}
	if s.outside != nil {
		err = errors.Join(err, s.outside.close())
	}
	return errors.Join(err, os.RemoveAll(filepath.Dir(s.dir)))
}

// heard is what a run told, to its end.
type heard struct {
	events []executor.Event
	done   executor.Done
}

// run runs a message in the story's session. A question whether a tool may run is
// answered with yes.
func (s *stage) run(ctx context.Context, message string) (*heard, error) {
	run, err := s.adapter.Start(ctx, executor.TaskHandle{}, executor.StartOpts{SessionKey: "story", Message: message})
	if err != nil {
		return nil, err
	}
	stream := s.adapter.Events(run)
	defer stream.Close()
	h := &heard{}
	for e, err := range executor.All(ctx, stream) {
		if err != nil {
			return nil, fmt.Errorf("after %s: %w", h, err)
		}
		h.events = append(h.events, e)
		if status, is := e.(executor.Status); is {
			if id, asked := strings.CutPrefix(status.Detail, executor.DetailApproval+":"); asked {
				if err := s.adapter.Approve(ctx, run, id, true); err != nil {
					return nil, fmt.Errorf("approve: %w", err)
				}
			}
		}
	}
	if found := verify.Whole(h.events); len(found) > 0 {
		return nil, fmt.Errorf("the stream of %s has findings %v", h, found)
	}
	for _, e := range h.events { // there is one, or it had been found
		if done, is := e.(executor.Done); is {
			h.done = done
		}
	}
	return h, nil
}

// text is what the run said.
func (h *heard) text() string { return verify.Text(h.events, h.done.RunID, executor.Assistant) }

// first is the first event of a type.
func first[E executor.Event](h *heard) (e E, found bool) {
	for _, event := range h.events {
		if e, is := event.(E); is {
			return e, true
		}
	}
	return e, false
}

// String counts the events by their kind, in order of appearance.
func (h *heard) String() string {
	counts := map[executor.Kind]int{}
	var kinds []executor.Kind
	for _, e := range h.events {
		if counts[e.Kind()] == 0 {
			kinds = append(kinds, e.Kind())
		}
		counts[e.Kind()]++
	}
	var out []string
	for _, k := range kinds {
		out = append(out, fmt.Sprintf("%d %s", counts[k], k))
	}
	return strings.Join(out, ", ")
}

// outside is a proxy that lets nothing through and counts who asked.
type outside struct {
	listener net.Listener
	asked    atomic.Int64
	serving  sync.WaitGroup
}

func newOutside() (*outside, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o := &outside{listener: l}
	o.serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			o.asked.Add(1)
			c.Close()
		}
	})
	return o, nil
}

func (o *outside) url() string { return "http://" + o.listener.Addr().String() }

func (o *outside) close() error {
	err := o.listener.Close()
	o.serving.Wait()
	return err
}
