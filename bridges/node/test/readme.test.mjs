// The walk-through of README.md is what an author copies: it must work as it stands.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";

import { moduleOf, root, start } from "./client.mjs";

const adapter = `
export class FakeRuntime {
  calls = [];
  said = [];
  say(frame) { this.said.push(frame); this.hear?.(frame); }
}
export class MyAdapter {
  id = "mine";
  participantKind = "agent";
  constructor(fake) { this.fake = fake; }
  async start(_task, { sessionKey, message }) { this.fake.calls.push({ method: "chat.send", params: { message } }); return { adapterId: "mine", sessionKey, runId: null }; }
  async *events() { const frame = await new Promise((resolve) => (this.fake.hear = resolve)); yield frame; }
}`;

test("the walk-through", async (t) => {
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  const [, indented] = readme.match(/```js\n([\s\S]*?)```/);
  const module = await moduleOf(t, indented.replace(/^ {3}/gm, ""));
  await writeFile(path.join(path.dirname(module), "my-adapter.mjs"), adapter);
  const c = start(t, module);
  const got = await c.initialize();
  assert.deepEqual([got.name, got.mode, got.features], ["my-adapter", "harness", ["deltas", "live-text", "terminal-frame", "silent"]]);
  const x = await c.executor();
  const { run } = await x.start({ message: "hello" });
  assert.deepEqual((await x.call("harness/calls")).calls, [{ method: "chat.send", params: { message: "hello" } }]);
  const stream = await x.open(run);
  const pull = x.next(stream);
  await x.emit({ delta: "hi" });
  assert.deepEqual((await pull).event, { type: "text", text: "hi" });
});

test("the examples that the README names are there", async () => {
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  const names = [...readme.matchAll(/`((?:executor|seed|history|wire)-[a-z]+\.mjs)`/g)].map((m) => m[1]);
  assert.ok(names.length >= 5);
  for (const name of names) await readFile(path.join(root, "examples", name));
});
