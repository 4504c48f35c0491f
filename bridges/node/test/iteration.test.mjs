import assert from "node:assert/strict";
import test from "node:test";

import { moduleOf, start } from "./client.mjs";

// A harness around one way to give events. Everything that is done to the iterator is a
// recorded call.
const harness = (events) => `
const calls = [];
const note = (method) => void calls.push({ method, params: null });
const handle = { adapterId: "a", sessionKey: "s", runId: null };
export default {
  makeAdapter: () => ({ id: "a", participantKind: "agent", start: async () => handle, events: (run) => { ${events} } }),
  emit: () => {}, frames: {}, recordedCalls: () => calls,
};`;

async function opened(t, events) {
  const c = start(t, await moduleOf(t, harness(events)));
  await c.initialize();
  const x = await c.executor();
  const { run } = await x.start();
  const stream = await x.open(run);
  const calls = async () => (await x.call("harness/calls")).calls.map((call) => call.method);
  return { c, x, run, stream, calls };
}

test("next is called only when a pull comes, return when the stream is closed", async (t) => {
  const { x, stream, calls } = await opened(t, `
    note("events");
    let n = 0;
    return { [Symbol.asyncIterator]() { note("iterator"); return {
      next: async () => (note("next"), { done: false, value: { n: ++n } }),
      return: async () => (note("return"), { done: true, value: undefined }) }; } };`);
  assert.deepEqual(await calls(), ["events"]);
  assert.deepEqual((await x.next(stream)).event, { n: 1 });
  assert.deepEqual(await calls(), ["events", "iterator", "next"]);
  assert.deepEqual((await x.next(stream)).event, { n: 2 });
  assert.deepEqual(await x.call("stream/close", { stream }), {});
  assert.deepEqual(await calls(), ["events", "iterator", "next", "next", "return"]);
});

test("a stream that is closed before its first pull is released too", async (t) => {
  const { x, stream, calls } = await opened(t, `
    note("events");
    return { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true }), return: async () => (note("return"), {}) }) };`);
  await x.call("stream/close", { stream });
  assert.deepEqual(await calls(), ["events", "return"]);
});

test("several pulls wait at once, and each is asked of the iterator at once", async (t) => {
  const { x, stream, calls } = await opened(t, `
    const waiting = [];
    let n = 0;
    return { [Symbol.asyncIterator]: () => ({ next: () => new Promise((resolve) => {
      note("next");
      waiting.push(resolve);
      if (waiting.length === 3) for (const w of waiting.reverse()) w({ done: false, value: ++n });
    }) }) };`);
  const got = await Promise.all([x.next(stream), x.next(stream), x.next(stream)]);
  assert.deepEqual(got.map((r) => r.event), [3, 2, 1]);
  assert.equal((await calls()).length, 3);
});

test("the handle is told as it stands after each pull", async (t) => {
  const { x, stream, run } = await opened(t, `
    return (async function* () { yield 1; run.runId = "r"; yield 2; delete run.sessionKey; run.runId = Promise.resolve(); })();`);
  const handles = [];
  for (let i = 0; i < 3; i++) handles.push((await x.next(stream)).handle);
  assert.deepEqual(handles, [
    { adapterId: "a", sessionKey: "s", runId: null },
    { adapterId: "a", sessionKey: "s", runId: "r" },
    { adapterId: "a", runId: { $adaptercheck: "promise" } },
  ]);
  assert.deepEqual((await x.call("handle/get", { run })).handle, handles[2]);
});

test("what goes wrong in a stream is told, and the bridge goes on", async (t) => {
  for (const [name, events, want] of [
    ["events throws", `throw new RangeError("no")`, { name: "RangeError", message: "no" }],
    ["no iterable", `return {}`, { name: "TypeError", message: "events did not return an async iterable" }],
    ["a promise of one", `return (async () => (async function* () {})())()`, { name: "TypeError", message: "events did not return an async iterable" }],
  ]) {
    const c = start(t, await moduleOf(t, harness(events)));
    await c.initialize();
    const x = await c.executor();
    const { run } = await x.start();
    assert.deepEqual((await x.call("stream/open", { run })).rejected, want, name);
  }
  for (const [name, next, want] of [
    ["next rejects", `async () => { throw Object.assign(new Error("down"), { code: "x" }) }`, { name: "Error", message: "down", code: "x" }],
    ["next throws", `() => { throw "a text" }`, { name: "string", message: "a text" }],
    ["next throws null", `() => { throw null }`, { name: "null", message: "null" }],
    ["next gives nothing", `() => undefined`, { name: "TypeError", message: "next did not give an iterator result" }],
  ]) {
    const { x, stream } = await opened(t, `return { [Symbol.asyncIterator]: () => ({ next: ${next} }) };`);
    const got = await x.next(stream);
    assert.deepEqual(got.rejected, want, name);
    assert.ok(got.handle, name);
    assert.deepEqual(await x.call("stream/close", { stream }), {}, "an iterator without return");
  }
});
