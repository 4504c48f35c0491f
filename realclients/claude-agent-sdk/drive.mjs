// Drives `adaptercheck fake claude-code` with the Claude Agent SDK, which takes it for
// the program that it knows.

import assert from "node:assert/strict";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { executable, home, played, tell } from "./fake.mjs";

// converse plays a script and returns those messages, and the error that the client
// ended in, if any. Each message is given to show.
async function converse(script, options, show = () => {}) {
  const conversation = query({
    prompt: "hello",
    options: {
      pathToClaudeCodeExecutable: executable("claude-code", script),
      env: { PATH: process.env.PATH, HOME: home, ANTHROPIC_API_KEY: "none" },
      includePartialMessages: true,
      ...options,
    },
  });
  const messages = [];
  try {
    for await (const message of conversation) {
      messages.push(message);
      await show(message, conversation);
    }
  } catch (error) {
    return { messages, error };
  }
  return { messages };
}

const only = (messages, type) => messages.filter((message) => message.type === type);
const blocks = (messages, type) => messages.flatMap((message) => message.message.content).filter((block) => block.type === type);
const pieces = (messages) =>
  only(messages, "stream_event").map((message) => message.event.delta).filter((delta) => delta?.type === "text_delta").map((delta) => delta.text);

// heard counts messages by their type.
function heard(messages) {
  const counts = [...new Set(messages.map((message) => message.type))].map((type) => `${only(messages, type).length} ${type}`);
  return `${counts.join(", ")}; result ${only(messages, "result")[0].subtype}`;
}

// Each story plays a script, judges what the client makes of it, and says what the client
// heard.
const stories = {
  async text() {
    const { messages, error } = await converse("text");
    assert.equal(error, undefined);
    assert.equal(messages.find((message) => message.subtype === "init").claude_code_version, "2.1.332");
    assert.deepEqual(pieces(messages), ["Hello, ", "ñandú 🦜."]);
    const [result] = only(messages, "result");
    assert.equal(result.subtype, "success");
    assert.equal(result.result, "Hello, ñandú 🦜.");
    assert.equal(result.total_cost_usd, 0.25);
    assert.equal(result.usage.output_tokens, 12);
    return heard(messages);
  },

  async tool() {
    const asked = [];
    const { messages, error } = await converse("tool", {
      canUseTool: async (name, input) => {
        asked.push([name, input.command]);
        return { behavior: "allow", updatedInput: input };
      },
    });
    assert.equal(error, undefined);
    assert.deepEqual(asked, [["Bash", "ls -1"]]);
    assert.deepEqual(blocks(only(messages, "assistant"), "tool_use").map((block) => block.id), ["toolu_1"]);
    assert.deepEqual(blocks(only(messages, "user"), "tool_result").map((block) => [block.tool_use_id, block.content]), [["toolu_1", "a.txt\nb.txt"]]);
    assert.equal(only(messages, "result")[0].result, "Two files.");
    return heard(messages);
  },

  async abort() {
    let interrupted = false;
    const { messages } = await converse("abort", {}, async (message, conversation) => {
      if (!interrupted && pieces([message]).length > 0) {
        interrupted = true;
        await conversation.interrupt();
      }
    });
    assert.ok(interrupted);
    const [result] = only(messages, "result");
    assert.equal(result.subtype, "error_during_execution");
    assert.equal(result.terminal_reason, "aborted_streaming");
    return heard(messages);
  },

  async error() {
    const { messages } = await converse("error");
    assert.equal(messages.filter((message) => message.subtype === "api_retry").length, 1);
    const [result] = only(messages, "result");
    assert.equal(result.is_error, true);
    assert.equal(result.api_error_status, 529);
    return heard(messages);
  },
};

await tell("@anthropic-ai/claude-agent-sdk", played("claude-code", "text"), stories);
