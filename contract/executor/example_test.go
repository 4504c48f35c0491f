package executor_test

import (
	"context"
	"fmt"

	"github.com/adaptercheck/adaptercheck/contract/executor"
)

// An adapter pushes what its runtime says and ends the queue when the runtime is
// gone; the observer ranges over it.
func ExampleQueue() {
	q := executor.NewQueue(executor.QueueOptions{
		Release: func() { fmt.Println("unsubscribed") },
	})
	head := executor.Envelope{RunID: "run-1", Seq: 1}
	q.Push(executor.TextDelta{Envelope: head, Text: "hello"})
	head.Seq++
	q.Push(executor.Done{Envelope: head, Reason: executor.ReasonSuccess, Summary: "hello"})
	q.End()

	defer q.Close()
	for event, err := range executor.All(context.Background(), q) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event.Head().Seq, event.Kind())
	}
	// Output:
	// 1 text-delta
	// 2 done
	// unsubscribed
}

// A type switch picks out the kinds that matter; a [executor.Visitor] is for code
// that must not forget one.
func ExampleAll() {
	stream := executor.Ended{}
	for event, err := range executor.All(context.Background(), stream) {
		if err != nil {
			fmt.Println("the stream failed:", err)
			break
		}
		if done, ok := event.(executor.Done); ok {
			fmt.Println(done.Reason)
		}
	}
	fmt.Println("over")
	// Output: over
}

// The id comes when the runtime names it, and then stays.
func ExampleRun_Bind() {
	run := executor.NewRun("codex", "session-1")
	_, bound := run.ID()
	fmt.Println(bound)
	fmt.Println(run.Bind("run-1"), run.Bind("run-2"))
	<-run.Bound()
	fmt.Println(run.ID())
	// Output:
	// false
	// true false
	// run-1 true
}

func ExampleRegistry() {
	var registry executor.Registry
	registry.Register(&named{id: "codex"})
	registry.Register(&named{id: "memory"})
	registry.Register(&named{id: "codex"}) // replaces, and keeps the place
	fmt.Println(registry.IDs())
	// Output: [codex memory]
}

func ExampleMarshalEvent() {
	event := executor.Cost{Envelope: executor.Envelope{RunID: "run-1", TS: 1700000000000, Seq: 7}}
	line, err := executor.MarshalEvent(event)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(line))
	// Output:
	// {"runId":"run-1","sessionId":null,"ts":1700000000000,"seq":7,"kind":"cost","costUsd":null,"usage":{"inputTokens":0,"outputTokens":0},"model":null}
}
