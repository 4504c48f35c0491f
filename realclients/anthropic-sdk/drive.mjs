// Drives `adaptercheck fake provider` with Anthropic's SDK, which takes it for the API.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { tell } from "./fake.mjs";
import { collect, heard, provided, timed } from "./provider.mjs";

const client = (baseURL, options) => new Anthropic({ baseURL, apiKey: "any", ...options });
const ask = (content) => ({ model: "claude-sonnet-5", max_tokens: 100, messages: [{ role: "user", content }] });
const tools = [{ name: "list", input_schema: { type: "object", properties: { dir: { type: "string" } } } }];
const text = (message) => message.content.filter((block) => block.type === "text").map((block) => block.text).join("");
const types = ({ events }) => events.map((event) => event.type);

// Each story judges what the SDK makes of the answers, and says what it saw.
const stories = {
  async plain() {
    return provided(async (url) => {
      const { data, request_id } = await client(url).messages.create(ask("say hello")).withResponse();
      assert.equal(text(data), "Hello, ñandú 🦜.");
      assert.equal(data.stop_reason, "end_turn");
      assert.deepEqual([data.usage.input_tokens, data.usage.output_tokens, data.usage.cache_read_input_tokens], [100, 12, 30]);
      assert.match(request_id, /^req_/);
      return `${data.stop_reason}, ${data.usage.output_tokens} tokens`;
    });
  },

  async stream() {
    return provided(async (url) => {
      const stream = client(url).messages.stream(ask("say hello"));
      const pieces = [];
      stream.on("text", (piece) => pieces.push(piece));
      const seen = await collect(stream);
      assert.equal(seen.error, undefined);
      assert.deepEqual(pieces, ["Hello, ", "ñandú 🦜."]);
      const message = await stream.finalMessage();
      assert.equal(text(message), "Hello, ñandú 🦜.");
      assert.equal(message.usage.output_tokens, 12);
      return heard(types(seen));
    });
  },

  async tool() {
    return provided(async (url) => {
      const api = client(url);
      const question = { ...ask("list the files"), tools };
      const first = await api.messages.stream(question).finalMessage();
      assert.equal(first.stop_reason, "tool_use");
      const call = first.content.find((block) => block.type === "tool_use");
      assert.deepEqual([call.id, call.name, call.input], ["t1", "list", { dir: "." }]);
      const messages = [...question.messages, { role: "assistant", content: first.content }, { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "a.txt\nb.txt" }] }];
      const answer = await api.messages.create({ ...question, messages });
      assert.equal(text(answer), "Two files.");
      // Without its result the call is refused, as the provider does.
      await assert.rejects(api.messages.create({ ...question, messages: messages.slice(0, 2) }), Anthropic.BadRequestError);
      return `${call.name} ${JSON.stringify(call.input)}, then ${JSON.stringify(text(answer))}`;
    });
  },

  async limited() {
    return provided(async (url, journal) => {
      const { value, ms } = await timed(client(url).messages.create(ask("hurry")));
      assert.equal(text(value), "At last.");
      assert.ok(ms >= 1000, `it waited ${ms} ms`);
      const exchanges = await journal();
      assert.deepEqual(exchanges.map(({ status, breaches }) => [status, breaches]), [[429, undefined], [200, undefined]]);
      await provided(async (again) => {
        await assert.rejects(client(again, { maxRetries: 0 }).messages.create(ask("hurry")), (error) => error instanceof Anthropic.RateLimitError && error.headers.get("retry-after") === "1");
      });
      return "429, heeded Retry-After, 200; without retries a RateLimitError";
    });
  },

  async cut() {
    return provided(async (url, journal) => {
      const seen = await collect(client(url).messages.create({ ...ask("break off"), stream: true }));
      assert.ok(seen.error);
      const [{ receipt, strikes, outcome }] = await journal();
      assert.deepEqual([receipt.Frames, strikes[0].kind, outcome], [5, "fin", "broken"]);
      assert.equal(seen.events.length, 4); // the SDK keeps pings to itself
      return `${heard(types(seen))}; then ${seen.error.constructor.name}: ${seen.error.message}`;
    });
  },
};

await tell("@anthropic-ai/sdk", "the fake provider", stories);
