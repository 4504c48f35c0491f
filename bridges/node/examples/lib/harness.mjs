// The harness of the example runtime, in the extended shape.
import { ExampleAdapter } from "./adapter.mjs";
import { FakeRuntime } from "./runtime.mjs";

/**
 * Makes a harness of its own, with a runtime of its own.
 *
 * @param {string} label
 * @param {object} [options] of the adapter
 * @returns {import("../../types/index.d.ts").ExecutorHarness}
 */
export function exampleHarness(label, options) {
  const runtime = new FakeRuntime();
  return {
    label,
    features: ["native-run-id", "money", "second-run", "sessions", "start-options", "observers", "codec", "steer", "health-down", "refuse", "silent", "cut"],
    declares: { secondStart: "refuses", queue: "drop", blocklist: "delivered" },
    makeAdapter: () => new ExampleAdapter(runtime, options),
    start: (adapter, task, opts) => adapter.start(task, opts),
    emit: (frame, to) => runtime.say(frame, to),
    fault: (name, to) => runtime.fault(name, to),
    recordedCalls: () => runtime.calls,
    frames: {
      init: (run, session, { model } = {}) => ({ type: "hello", run, session, model }),
      delta: (text) => ({ type: "text", text }),
      reasoning: (text) => ({ type: "thought", text }),
      message: (text) => ({ type: "message", text }),
      toolCall: (name, input, id) => ({ type: "call", id, name, input }),
      toolResult: (id, output, isError) => ({ type: "result", id, output, failed: isError }),
      usage: (numbers) => ({ type: "usage", ...numbers }),
      turn: (state) => ({ type: "turn", state }),
      final: (summary) => ({ type: "end", reason: "ok", text: summary }),
      maxTurns: (summary) => ({ type: "end", reason: "max_turns", text: summary }),
      tokenLimit: (summary) => ({ type: "end", reason: "length", text: summary }),
      aborted: () => ({ type: "end", reason: "aborted" }),
      failed: (text) => ({ type: "end", reason: "ok", text, failed: true }),
      error: (message, { code, fatal }) => ({ type: "error", code, message, fatal }),
      unknown: (type, fields) => ({ ...fields, type }),
      malformed: (line) => line,
    },
  };
}
