import assert from "node:assert/strict";
import test from "node:test";

import { decode, encode, rejection } from "../src/raw.mjs";
import { moduleOf, start } from "./client.mjs";

const token = (kind, more) => ({ $adaptercheck: kind, ...more });
const plain = (value) => JSON.parse(JSON.stringify(value)); // what is on the line

test("what JSON cannot carry has a token", () => {
  const loop = {};
  loop.self = loop;
  let deep = "bottom";
  for (let i = 0; i < 100; i++) deep = [deep];
  const shared = { a: 1 };
  class WithGetter {
    own = 1;
    get seen() {
      return 2;
    }
    method() {}
  }
  const cases = [
    [undefined, token("undefined")],
    [Promise.resolve(1), token("promise")],
    [Promise.reject(new Error("nobody waits for it")), token("promise")],
    [{ then: () => {} }, token("promise")],
    [() => 1, token("function")],
    [Symbol("x"), token("symbol")],
    [12n, token("bigint", { value: "12" })],
    [NaN, token("nan")],
    [Infinity, token("infinity")],
    [-Infinity, token("-infinity")],
    [new Date(0), token("date")],
    [new Map(), token("map")],
    [new Set(), token("set")],
    [Buffer.from("x"), token("buffer")],
    [new ArrayBuffer(1), token("buffer")],
    [loop, { self: token("cycle") }],
    [{ get a() { throw new Error("no"); }, b: 1 }, { a: token("throws"), b: 1 }],
    [new Proxy({}, { ownKeys() { throw new Error("no"); } }), token("throws")],
    [{ a: undefined, b: [undefined], c: null }, { b: [token("undefined")], c: null }],
    [[shared, shared], [shared, shared]],
    [new WithGetter(), { own: 1, seen: 2 }],
    [{ toJSON: () => "other" }, { toJSON: token("function") }],
    ["half \ud83e", "half \ufffd"],
    [JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ];
  for (const [value, want] of cases) assert.deepEqual(plain(encode(value)), want);
  assert.ok(JSON.stringify(encode(deep)).includes('{"$adaptercheck":"deep"}'));
});

test("what the suite names is made real", () => {
  assert.equal(decode(token("undefined")), undefined);
  assert.deepEqual(Object.keys(decode({ a: token("undefined") })), ["a"]);
  assert.ok(decode(token("promise")) instanceof Promise);
  assert.equal(decode(token("function", { value: "v" }))(), "v");
  assert.equal(typeof decode(token("symbol")), "symbol");
  assert.equal(decode(token("bigint", { value: "12" })), 12n);
  assert.ok(Number.isNaN(decode(token("nan"))));
  assert.equal(decode(token("-infinity")), -Infinity);
  const loop = decode(token("cycle", { value: "v" }));
  assert.equal(loop.self.self.value, "v");
  assert.equal(decode(token("date", { value: 5 })).getTime(), 5);
  assert.ok(decode(token("date")) instanceof Date);
  assert.deepEqual([...decode(token("map", { value: [["k", "v"], [1, token("bigint", { value: "2" })]] }))], [["k", "v"], [1, 2n]]);
  assert.equal(decode(token("map")).size, 0);
  assert.ok(decode(token("set", { value: "v" })).has("v"));
  assert.equal(String(decode(token("buffer", { value: "dmFsdWU=" }))), "value");
  assert.ok(decode(token("buffer")).length > 0);
  const trapped = decode({ messages: token("throws"), list: [1, token("throws")] });
  assert.throws(() => trapped.messages);
  assert.throws(() => trapped.list[1]);
  assert.equal(trapped.list[0], 1);
  assert.throws(() => decode(token("throws")).value);
  let depth = 0;
  let deep = decode(token("deep", { value: "v" }));
  for (; Array.isArray(deep); deep = deep[0]) depth++;
  assert.ok(depth > 10_000);
  assert.equal(deep, "v");
  assert.throws(() => decode({ a: token("weird") }), { code: -32004 });
  assert.deepEqual(decode({ a: [1, "x", null, { b: true }] }), { a: [1, "x", null, { b: true }] });
});

test("a failure is told, whatever was thrown", () => {
  const hostile = { get name() { throw 1; }, get message() { throw 1; }, get code() { throw 1; }, toString() { throw 1; } };
  assert.deepEqual(rejection(new TypeError("m")), { rejected: { name: "TypeError", message: "m" } });
  assert.deepEqual(rejection(Object.assign(new Error("m"), { code: 5 })), { rejected: { name: "Error", message: "m" } });
  assert.deepEqual(rejection(undefined), { rejected: { name: "undefined", message: "undefined" } });
  assert.deepEqual(rejection(hostile), { rejected: { name: "object", message: "" } });
});

test("values of the wrong kind cross as they stand", async (t) => {
  const c = start(t, await moduleOf(t, `
    const shared = { adapterId: 6 };
    export default { emit: () => {}, frames: {}, recordedCalls: () => [{ method: "m", params: new Map() }],
      makeAdapter: () => ({
        id: 5, participantKind: undefined, sessionCodec: { serialize: async () => 7 },
        capabilities: async () => { throw new Error("later") },
        health: () => ({ ok: "yes", get message() { throw 1 } }),
        start: async (_task, { sessionKey }) => (sessionKey === "none" ? undefined : shared),
        setModel: () => { throw new Error("sync") },
        writeContext: async () => "ignored",
      }) };`));
  await c.initialize();
  const x = await c.executor();
  assert.deepEqual(x.made, { id: 5, participantKind: token("undefined"), parts: [] });
  assert.deepEqual(await x.call("adapter/capabilities"), { value: token("promise") });
  assert.deepEqual(await x.call("adapter/health"), { value: { ok: "yes", message: token("throws") } });
  assert.deepEqual(await x.start({ sessionKey: "none" }), { run: null, handle: token("undefined") });
  const { run, handle } = await x.start();
  assert.deepEqual(handle, { adapterId: 6 });
  assert.equal((await x.start()).run, run, "a handle that is given out twice is one run");
  assert.deepEqual((await x.call("adapter/setModel", { run, model: "m" })).rejected, { name: "Error", message: "sync" });
  assert.deepEqual(await x.call("adapter/writeContext", { run, key: "k", value: "v" }), {});
  assert.equal((await x.call("adapter/abort", { run })).rejected.name, "TypeError");
  assert.deepEqual(await x.call("codec/serialize", { run }), { value: 7 });
  assert.deepEqual((await x.call("harness/calls")).calls, [{ method: "m", params: token("map") }]);
  await assert.rejects(x.call("adapter/dispose"), { code: -32601 });
  await assert.rejects(x.call("adapter/approve", { run, id: "q", allow: true }), { code: -32601 });
});
