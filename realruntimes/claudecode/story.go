package claudecode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/adaptercheck/adaptercheck/contract/executor"
	"github.com/adaptercheck/adaptercheck/contract/executor/verify"
	"github.com/adaptercheck/adaptercheck/fakes"
	"github.com/adaptercheck/adaptercheck/fakes/provider"
)

// Story is a conversation with the program, and what must come of it.
type Story struct {
	Name  string
	rules []provider.Rule
	play  func(ctx context.Context, s *stage) (*heard, error)
}

// Play plays the story with a program, and says what was heard. An error says what is
// wrong with it. It waits two minutes at most.
func (s Story) Play(ctx context.Context, program string) (told string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stage, err := newStage(program, s.rules)
	if err != nil {
		return "", err
	}
	h, err := s.play(ctx, stage)
	if err == nil {
		told, err = stage.judge(h)
	}
	if closed := stage.close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", fmt.Errorf("story %s: %w", s.Name, err)
	}
	return told, nil
}

// judge looks at what the provider was asked, which no story is without.
func (s *stage) judge(h *heard) (string, error) {
	var asked []string
	for _, x := range s.api.Journal() {
		if x.Dialect == "" {
			continue
		}
		if x.Refused != "" || x.Unmatched != "" {
			return "", fmt.Errorf("request %d: %s%s", x.Number, x.Refused, x.Unmatched)
		}
		asked = append(asked, fmt.Sprintf("%s %d", x.Rule, x.Status))
	}
	if len(asked) == 0 {
		return "", errors.New("the program asked the provider for nothing")
	}
	if n := s.outside.asked.Load(); n > 0 {
		return "", fmt.Errorf("the program asked %d times for something outside", n)
	}
	return fmt.Sprintf("%s; done %s; the provider: %s", h, h.done.Reason, strings.Join(asked, ", ")), nil
}

// Stories lists them.
func Stories() []Story {
	return []Story{
		{"chat", []provider.Rule{
			{Name: "hello", When: provider.When{Turn: 1}, Frames: answer("Hello, ", "ñandú 🦜.")},
			{Name: "again", When: provider.When{Turn: 2}, Frames: answer("Once more.")},
		}, chat},
		{"tool", []provider.Rule{
			{Name: "call", When: provider.When{Turn: 1}, Frames: []fakes.Frame{
				fakes.Delta{Text: "I will make it."},
				fakes.ToolCall{ID: call, Name: "Bash", Input: `{"command": "touch made.txt && echo it is made", "description": "Make a file"}`},
			}},
			{Name: "answer", When: provider.When{Result: call}, Frames: answer("It is there.")},
		}, tool},
		{"overloaded", []provider.Rule{
			{Name: "busy", Times: 1, Refuse: &provider.Refusal{Status: 529}},
			{Name: "answer", Frames: answer("At last.")},
		}, overloaded},
		{"refused", []provider.Rule{
			{Name: "no", Refuse: &provider.Refusal{Status: 400, Message: "this is not possible"}},
		}, refused},
	}
}

// call is the id of the tool's call.
const call = "toolu_01made"

func answer(pieces ...string) []fakes.Frame {
	in, out, cached := int64(100), int64(12), int64(30)
	frames := []fakes.Frame{fakes.Usage{In: &in, Out: &out, CacheRead: &cached}}
	for _, p := range pieces {
		frames = append(frames, fakes.Delta{Text: p})
	}
	return frames
}

// ends is a run with that text and that end.
func (s *stage) ends(ctx context.Context, message string, reason executor.Reason, text string) (*heard, error) {
	h, err := s.run(ctx, message)
	switch {
	case err != nil:
		return nil, err
	case h.done.Reason != reason:
		return nil, fmt.Errorf("done %s, want %s, after %s", h.done.Reason, reason, h)
	case h.text() != text:
		return nil, fmt.Errorf("the text is %q, want %q", h.text(), text)
	}
	return h, nil
}

// chat is two runs of a session, the second after the first in one conversation.
func chat(ctx context.Context, s *stage) (*heard, error) {
	h, err := s.ends(ctx, "say hello", executor.ReasonSuccess, "Hello, ñandú 🦜.")
	if err != nil {
		return nil, err
	}
	if usage, _ := verify.Spend(h.events, h.done.RunID); usage.InputTokens != 100 || usage.OutputTokens != 12 || usage.CachedInputTokens == nil || *usage.CachedInputTokens != 30 {
		return nil, fmt.Errorf("the run cost %+v", usage)
	}
	if _, err := s.ends(ctx, "and once more", executor.ReasonSuccess, "Once more."); err != nil {
		return nil, fmt.Errorf("the session does not go on: %w", err)
	}
	return h, nil
}

// tool is a run whose tool is asked about, and runs.
func tool(ctx context.Context, s *stage) (*heard, error) {
	h, err := s.run(ctx, "make the file")
	if err != nil {
		return nil, err
	}
	called, _ := first[executor.ToolCall](h)
	result, found := first[executor.ToolResult](h)
	switch {
	case called.ID != call || called.Name != "Bash":
		return nil, fmt.Errorf("the call is %s %q", called.Name, called.ID)
	case !found || result.ID != call || result.IsError || strings.TrimSpace(result.Output) != "it is made":
		return nil, fmt.Errorf("the result is %+v", result)
	case h.done.Reason != executor.ReasonSuccess || h.done.Summary != "It is there.":
		return nil, fmt.Errorf("done %s, %q", h.done.Reason, h.done.Summary)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "made.txt")); err != nil {
		return nil, fmt.Errorf("the tool has not run: %w", err)
	}
	return h, nil
}

// overloaded is a run whose first request is refused for now.
func overloaded(ctx context.Context, s *stage) (*heard, error) {
	h, err := s.ends(ctx, "hurry", executor.ReasonSuccess, "At last.")
	if err != nil {
		return nil, err
	}
	if e, is := first[executor.Error](h); is && e.Fatal {
		return nil, fmt.Errorf("a retry is told as a fatal error")
	}
	return h, nil
}

// refused is a run that the provider refuses for good.
func refused(ctx context.Context, s *stage) (*heard, error) {
	h, err := s.run(ctx, "the impossible")
	if err != nil {
		return nil, err
	}
	if e, is := first[executor.Error](h); !is || !e.Fatal || h.done.Reason != executor.ReasonError {
		return nil, fmt.Errorf("done %s, want an error, and a fatal one before, after %s", h.done.Reason, h)
	}
	return h, nil
}

// Version asks a program for its version.
func Version(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", filepath.Base(path), err)
	}
	return strings.TrimSpace(string(out)), nil
}
