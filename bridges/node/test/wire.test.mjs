import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";

import { moduleOf, root, start } from "./client.mjs";

// A command that prints the lines of one turn, and waits if it is told to.
const codex = `
const say = (line) => console.log(JSON.stringify(line));
const prompt = process.argv.at(-1);
say({ type: "thread.started", thread_id: "T1" });
say({ type: "turn.started" });
console.log("not json");
say({ type: "item.started", item: { id: "i1", type: "command_execution", command: "ls", status: "in_progress" } });
say({ type: "item.completed", item: { id: "i1", type: "command_execution", command: "ls", aggregated_output: "a\\n", exit_code: 1, status: "failed" } });
say({ type: "item.completed", item: { id: "i2", type: "agent_message", text: "you said\\u2028" + prompt } });
if (prompt === "wait") setInterval(() => {}, 1000);
else say({ type: "turn.completed", usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 } });
`;

test("the wire example against a command", { skip: process.platform === "win32" && "needs signals" }, async (t) => {
  const c = start(t, path.join(root, "examples", "wire-ok.mjs"));
  await c.initialize();
  const x = await c.executor("i", { command: [process.execPath, await moduleOf(t, codex)] });
  assert.deepEqual(await x.call("adapter/health"), { value: { ok: true } });
  const play = async (message, act = () => {}) => {
    const { run } = await x.start({ message });
    const stream = await x.open(run);
    const events = [];
    for (;;) {
      const got = await x.next(stream);
      if (got.end) return events;
      events.push(got.event);
      if (got.event.kind === "text-delta") await act(run);
    }
  };
  const events = await play("hi");
  assert.deepEqual(events.map((e) => e.kind), ["status", "status", "error", "tool-call", "tool-result", "text-delta", "cost", "done"]);
  assert.equal(events[5].text, "you said\u2028hi");
  assert.equal(events[5].sessionId, "T1");
  assert.deepEqual(events[6].usage, { inputTokens: 6, outputTokens: 2, cachedInputTokens: 4 });
  const aborted = await play("wait", (run) => x.call("adapter/abort", { run }));
  assert.equal(aborted.at(-1).reason, "aborted");
});
