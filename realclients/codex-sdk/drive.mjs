// Drives `adaptercheck fake codex` with the Codex SDK, which takes it for the program that
// it knows.

import assert from "node:assert/strict";
import { Codex } from "@openai/codex-sdk";
import { executable, home, played, tell } from "./fake.mjs";

// begin is a thread whose turns play the script.
function begin(script) {
  const codex = new Codex({
    codexPathOverride: executable("codex", script),
    env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home },
    apiKey: "none",
  });
  return codex.startThread({ skipGitRepoCheck: true, workingDirectory: home, sandboxMode: "read-only" });
}

// stream plays one turn and returns its events, and the error that the client ended in, if
// any. Each event is given to show.
async function stream(thread, options, show = () => {}) {
  const events = [];
  try {
    for await (const event of (await thread.runStreamed("hello", options)).events) {
      events.push(event);
      show(event);
    }
  } catch (error) {
    return { events, error };
  }
  return { events };
}

const only = (events, type) => events.filter((event) => event.type === type);
const heard = (events) => [...new Set(events.map((event) => event.type))].map((type) => `${only(events, type).length} ${type}`).join(", ");

// Each story plays a script, judges what the client makes of it, and says what the client
// heard.
const stories = {
  async text() {
    const thread = begin("text");
    const turn = await thread.run("hello");
    assert.equal(turn.finalResponse, "Hello, ñandú 🦜.");
    assert.deepEqual(turn.items.map((item) => item.type), ["reasoning", "agent_message"]);
    assert.deepEqual(turn.usage, { input_tokens: 100, cached_input_tokens: 30, cache_write_input_tokens: 0, output_tokens: 12, reasoning_output_tokens: 0 });
    const id = thread.id;
    assert.match(id, /^[0-9a-f-]{36}$/);
    // The second turn of a thread resumes it, and comes as events.
    const { events, error } = await stream(thread);
    assert.equal(error, undefined);
    assert.equal(only(events, "thread.started")[0].thread_id, id);
    return `${heard(events)}; the thread goes on`;
  },

  async tool() {
    const { events, error } = await stream(begin("tool"));
    assert.equal(error, undefined);
    const items = only(events, "item.completed").map((event) => event.item);
    assert.deepEqual(items.map((item) => item.type), ["agent_message", "command_execution", "command_execution", "agent_message"]);
    assert.deepEqual(items.slice(1, 3).map((item) => [item.status, item.exit_code, item.aggregated_output]), [
      ["completed", 0, "a.txt\nb.txt"],
      ["failed", 1, "no such file"],
    ]);
    assert.deepEqual(only(events, "item.started").map((event) => event.item.id), items.slice(1, 3).map((item) => item.id));
    return heard(events);
  },

  async error() {
    const { events, error } = await stream(begin("error"));
    assert.match(error.message, /exited with code 1/);
    assert.equal(only(events, "error").length, 2); // the retry, and the failure beside turn.failed
    assert.match(only(events, "turn.failed")[0].error.message, /401 Unauthorized/);
    await assert.rejects(begin("error").run("hello"), /401 Unauthorized/);
    return heard(events);
  },

  async abort() {
    const controller = new AbortController();
    const { events, error } = await stream(begin("abort"), { signal: controller.signal }, (event) => {
      if (event.type === "item.completed") controller.abort();
    });
    assert.equal(error.name, "AbortError");
    assert.equal(only(events, "turn.completed").length + only(events, "turn.failed").length, 0);
    return `${heard(events)}; then ${error.name}`;
  },
};

await tell("@openai/codex-sdk", played("codex", "text"), stories);
