package reference

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/adaptercheck/adaptercheck/contract/history/localkv"
)

// PrepareMessages takes all messages of a payload but the last for the prefix: in
// an append-only conversation that is what the request before it sent. The tools
// and every other field of the payload count as options, so that a change to any of
// them is a miss and never a wrong hit. A payload without two messages has no
// prefix.
//
// Token counts are estimated at four bytes each; whoever has a tokenizer counts
// better.
func PrepareMessages(_ context.Context, req KVRequest) (KVPrefix, error) {
	payload, _ := req.Payload.(map[string]any)
	messages, _ := payload["messages"].([]any)
	last := len(messages) - 1
	if last < 1 {
		return KVPrefix{Skip: true}, nil
	}
	var prompt []byte
	tokens := int64(0)
	for i, m := range messages {
		line, err := json.Marshal(m, json.Deterministic(true))
		if err != nil {
			return KVPrefix{}, fmt.Errorf("message %d: %w", i, err)
		}
		if i < last {
			prompt = append(append(prompt, line...), '\n')
			continue
		}
		tokens = estimate(len(line))
	}
	prefix := KVPrefix{Prompt: string(prompt), PrefixTokenCount: estimate(len(prompt))}
	prefix.ContextTokenCount = prefix.PrefixTokenCount + tokens
	if tools, ok := payload["tools"]; ok {
		prefix.ToolOptions = localkv.OptionsOf(tools)
	}
	delete(payload, "messages")
	delete(payload, "tools")
	prefix.SystemOptions = localkv.OptionsOf(payload)
	return prefix, nil
}

func estimate(bytes int) int64 { return int64(bytes+3) / 4 }
