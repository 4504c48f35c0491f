// Drives `adaptercheck fake provider` with OpenAI's SDK, which takes it for the API: first
// Chat Completions, then Responses.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { tell } from "./fake.mjs";
import { collect, heard, provided, timed } from "./provider.mjs";

const client = (url, options) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "any", ...options });
const parameters = { type: "object", properties: { dir: { type: "string" } } };

// A dialect is how its requests are made, and how an answer reads: its text, its calls, its
// usage, and the pieces and types of the events of a stream.
const chat = {
  name: "chat",
  create: (api, messages, more) => api.chat.completions.create({ model: "gpt-4o-mini", messages, ...more }),
  streamed: { stream_options: { include_usage: true } },
  tools: [{ type: "function", function: { name: "list", parameters } }],
  text: ({ choices: [{ message }] }) => message.content,
  calls: ({ choices: [{ message }] }) => message.tool_calls.map(({ id, function: { name, arguments: input } }) => [id, name, input]),
  usage: ({ usage }) => [usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens],
  final: (events) => ({ usage: events.at(-1).usage }),
  pieces: (events) => events.map((event) => event.choices[0]?.delta.content).filter(Boolean),
  types: (events) => events.map((event) => event.object),
  // what the model said, and what came of its call, as the next request has them
  answered: ({ choices: [{ message }] }, id, content) => [message, { role: "tool", tool_call_id: id, content }],
};
const responses = {
  name: "responses",
  create: (api, input, more) => api.responses.create({ model: "gpt-5.4", input, ...more }),
  streamed: {},
  tools: [{ type: "function", name: "list", parameters, strict: false }],
  text: (response) => response.output_text,
  calls: ({ output }) => output.filter(({ type }) => type === "function_call").map(({ call_id, name, arguments: input }) => [call_id, name, input]),
  usage: ({ usage }) => [usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens],
  final: (events) => events.at(-1).response,
  pieces: (events) => events.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta),
  types: (events) => events.map((event) => event.type),
  answered: ({ output }, call_id, content) => [...output, { type: "function_call_output", call_id, output: content }],
};

const ask = (content) => [{ role: "user", content }];

// Each story judges what the SDK makes of the answers, and says what it saw.
const stories = {
  plain: (d) =>
    provided(async (url) => {
      const { data, request_id } = await d.create(client(url), ask("say hello")).withResponse();
      assert.equal(d.text(data), "Hello, ñandú 🦜.");
      assert.deepEqual(d.usage(data), [100, 12, 30]);
      assert.match(request_id, /^req_/);
      return `${JSON.stringify(d.text(data))}, usage ${d.usage(data)}`;
    }),

  stream: (d) =>
    provided(async (url) => {
      const { events, error } = await collect(d.create(client(url), ask("say hello"), { stream: true, ...d.streamed }));
      assert.equal(error, undefined);
      assert.deepEqual(d.pieces(events), ["Hello, ", "ñandú 🦜."]);
      assert.deepEqual(d.usage(d.final(events)), [100, 12, 30]);
      return heard(d.types(events));
    }),

  tool: (d) =>
    provided(async (url) => {
      const api = client(url);
      const question = ask("list the files");
      const first = await d.create(api, question, { tools: d.tools });
      const [[id, name, input]] = d.calls(first);
      assert.deepEqual([id, name, JSON.parse(input)], ["t1", "list", { dir: "." }]);
      const answer = await d.create(api, [...question, ...d.answered(first, id, "a.txt\nb.txt")], { tools: d.tools });
      assert.equal(d.text(answer), "Two files.");
      // A result of a call that nobody made is refused, as the provider does.
      await assert.rejects(d.create(api, [...question, ...d.answered(first, "t9", "x")], { tools: d.tools }), OpenAI.BadRequestError);
      return `${name} ${input}, then ${JSON.stringify(d.text(answer))}`;
    }),

  limited: (d) =>
    provided(async (url, journal) => {
      const { value, ms } = await timed(d.create(client(url), ask("hurry")));
      assert.equal(d.text(value), "At last.");
      assert.ok(ms >= 1000, `it waited ${ms} ms`);
      assert.deepEqual((await journal()).map(({ status, breaches }) => [status, breaches]), [[429, undefined], [200, undefined]]);
      await provided((again) =>
        assert.rejects(d.create(client(again, { maxRetries: 0 }), ask("hurry")), (error) => error instanceof OpenAI.RateLimitError && error.headers.get("retry-after") === "1"),
      );
      return "429, heeded Retry-After, 200; without retries a RateLimitError";
    }),

  cut: (d) =>
    provided(async (url, journal) => {
      const { events, error } = await collect(d.create(client(url), ask("break off"), { stream: true }));
      assert.ok(error);
      const [{ receipt, strikes, outcome }] = await journal();
      assert.deepEqual([receipt.Frames, strikes[0].kind, outcome], [5, "fin", "broken"]);
      assert.equal(events.length, 5);
      return `${heard(d.types(events))}; then ${error.constructor.name}: ${error.message}`;
    }),
};

const all = {};
for (const d of [chat, responses]) {
  for (const [name, story] of Object.entries(stories)) all[`${d.name} ${name}`] = () => story(d);
}
await tell("openai", "the fake provider", all);
